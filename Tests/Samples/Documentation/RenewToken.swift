import BroadsheetHTTP
import BroadsheetKit

/// `POST /tokens`, of a sign-in service that is the app's own.
struct RenewTokenRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.post, "/tokens", access: .everyone)
    typealias Item = Tokens

    static let parameters = Parameters(Self.init, .body(\.old))

    var old: Tokens
}

struct Tokens: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(access:renewal:), .required("access", \.access, .text(.line(1...4096))),
        .required("renewal", \.renewal, .text(.line(1...4096))))

    var access: String
    var renewal: String
}

/// Credentials that are renewed, once, however many requests were refused with them.
func renewingAuth(store: any CredentialStore) throws(CredentialStoreError) -> BackendAuth {
    try BackendAuth(store: store) { old, backend in
        let request = RenewTokenRequest(
            old: Tokens(access: old.token, renewal: old.refreshToken ?? ""))
        let new = try await backend.send(request)
        return Credentials(token: new.access, refreshToken: new.renewal)
    }
}
