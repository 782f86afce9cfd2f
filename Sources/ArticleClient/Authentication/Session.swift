/// What a call belongs to, from a sign-in to its end. Renewing the token does not end it.
struct Session: Sendable, Hashable {
    typealias ID = Int

    /// The session of requests without credentials; it never ends.
    static let anonymous = Session(id: 0, owner: "")

    let id: ID
    /// The owner of the cached responses that it uses: the account or, if that is unknown, the
    /// token with which the session began.
    var owner: String

    init(id: ID, owner: String) {
        self.id = id
        self.owner = owner
    }

    init(id: ID, of credentials: Credentials) {
        self.id = id
        owner = credentials.account.map { "account \($0)" } ?? "token \(credentials.token)"
    }
}

/// Whether a user is signed in.
public enum SessionState: Sendable, Hashable {
    /// The store cannot be read yet, for example before the first unlock of a device. It is read
    /// again when a request is sent, and by `BackendAuth.reload()`.
    case unavailable(CredentialStoreError)
    case signedOut
    /// `account` is `Credentials.account`.
    case signedIn(account: String?)
    /// The backend has rejected the credentials and they could not be renewed: the user has to sign
    /// in again. The account's cached responses are still available.
    case expired(account: String?)
}
