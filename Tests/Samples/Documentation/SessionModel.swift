import ArticleClient

/// What the root view of an app shows.
@MainActor final class SessionModel {
    enum Screen { case wait, signIn, home }

    private(set) var screen = Screen.wait
    private let auth: BackendAuth

    init(_ auth: BackendAuth) { self.auth = auth }

    /// Runs as long as the root view is there: `.task { await model.follow() }`.
    func follow() async {
        for await state in auth.states {
            switch state {
            case .unavailable: screen = .wait
            case .signedOut, .expired: screen = .signIn
            case .signedIn: screen = .home
            }
        }
    }

    func signIn(key: String, account: String) throws(CredentialStoreError) {
        try auth.signIn(Credentials(token: key, account: account))
    }

    func signOut() throws(CredentialStoreError) { try auth.signOut() }
}
