/// What a call belongs to: from one sign-in to its end. A renewed token does not end it.
struct Session: Sendable, Hashable {
    typealias ID = Int

    /// Of those who send no credentials; it never ends.
    static let anonymous = Session(id: 0, owner: "")

    let id: ID
    /// Whose copies it uses: the account's, or where none is known those of the token that it
    /// began with.
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

/// What an app's first screen depends on: whether somebody is signed in.
public enum SessionState: Sendable, Hashable {
    /// The store cannot be read yet, as before the first unlock of a device. It is read again when
    /// a request is sent, and by `BackendAuth.reload()`.
    case unavailable(CredentialStoreError)
    case signedOut
    /// `account` is what `Credentials.account` says.
    case signedIn(account: String?)
    /// The backend has refused the credentials and they could not be renewed: the user has to sign
    /// in again. Copies of the account's responses are still there.
    case expired(account: String?)
}
