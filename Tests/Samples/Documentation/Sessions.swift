import BroadsheetKit

/// A backend that remembers who was signed in when the app last ran.
func accountBackend(
    _ configuration: BackendConfiguration, store: any CredentialStore
) throws(CredentialStoreError) -> BackendService {
    BackendService(configuration: configuration, auth: try BackendAuth(store: store))
}

/// Signs in with an ID token, for example of Sign in with Apple.
func signIn(
    withAppleToken token: String, nonce: String, to backend: BackendService
) async throws(BackendError) -> User {
    try await backend.signIn(
        identity: ProvidedIdentity(provider: "apple", idToken: token, nonce: nonce))
}

/// Signs out everywhere but here, and says how often.
func signOutElsewhere(on backend: BackendService) async throws(BackendError) -> Int {
    let others = try await backend.send(FetchSessionsRequest()).items.filter { !$0.isCurrent }
    for session in others { try await backend.send(EndSessionRequest(id: session.id)) }
    return others.count
}
