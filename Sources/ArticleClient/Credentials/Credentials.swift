public import ArticleAPI
import BroadsheetHTTP

/// Credentials for the backend: an API key, or a token that can be renewed.
///
/// Its description contains no secrets; its JSON does.
///
/// ```swift
/// let credentials = Credentials(token: key, refreshToken: "renewal", account: "ada")
/// let line = "signing in with \(credentials)"
/// ```
public struct Credentials: Sendable, Hashable {
    /// A key or an access token, sent as `Authorization: Bearer`.
    public var token: String
    /// The token that is exchanged for a new access token.
    public var refreshToken: String?
    /// A stable name of the account, for example its id at the backend; `nil` if unknown. Cached
    /// responses belong to the account, and another process that shares the store uses it to tell
    /// renewed credentials from those of another user.
    public var account: String?
    /// The time at which the token expires. From then on, it is renewed before it is sent; `nil` if
    /// that is not known: then it is renewed when the backend rejects it.
    public var expiresAt: Timestamp?

    public init(
        token: String, refreshToken: String? = nil, account: String? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.token = token
        self.refreshToken = refreshToken
        self.account = account
        self.expiresAt = expiresAt
    }

    /// The tokens of a session at a Broadsheet backend.
    public init(_ session: UserSession) {
        self.init(
            token: session.accessToken, refreshToken: session.refreshToken,
            account: session.user.id.description, expiresAt: session.expiresAt)
    }

    /// New credentials as this clock sees them. If they seem to have expired already, the clock is
    /// wrong, and every request would renew them: then only the backend decides.
    ///
    /// - Parameter seconds: the clock's time, in seconds since 1970.
    func new(at seconds: Int64) -> Credentials {
        var new = self
        if hasExpired(at: seconds) { new.expiresAt = nil }
        return new
    }

    func hasExpired(at seconds: @autoclosure () -> Int64) -> Bool {
        expiresAt.map { $0.milliseconds <= seconds() * 1_000 } ?? false
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no secrets, so that it can be logged.
    public var description: String { "Credentials(\(Redaction.mark))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Credentials: JSONModel {
    /// The form in which files contain them.
    public static let shape = ObjectCodec(
        Self.init(token:refreshToken:account:expiresAt:),
        .required("token", \.token, .text(.line(1...4096))),
        .optional("refreshToken", \.refreshToken, .text(.line(1...4096))),
        .optional("account", \.account, .text(.line(1...4096))),
        .optional("expiresAt", \.expiresAt, .timestamp))
}

/// Stores credentials between runs of an app.
///
/// A ``BackendAuth`` calls it from one thread at a time, which may be any thread. It may block.
///
/// ```swift
/// struct FixedKey: CredentialStore {
///     let key: String
///
///     func load() -> Credentials? { Credentials(token: key) }
///     func save(_ credentials: Credentials) {}
///     func remove() {}
/// }
/// ```
public protocol CredentialStore: Sendable {
    /// `nil` if there are none.
    func load() throws(CredentialStoreError) -> Credentials?
    func save(_ credentials: Credentials) throws(CredentialStoreError)
    func remove() throws(CredentialStoreError)
}

/// The reason why credentials cannot be read or stored; never contains the credentials. See
/// ``CredentialStore``.
public struct CredentialStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The device has not been unlocked since it started; try again later.
        case locked
        /// The app may not use the keychain or access group that it names.
        case notEntitled
        /// The stored item does not hold credentials.
        case damaged
        /// Anything else, which is described.
        case failed
    }

    public let kind: Kind
    public let description: String

    public init(_ description: String, _ kind: Kind = .failed) {
        self.kind = kind
        self.description = description
    }

    /// True if the store may work later, as before the first unlock of a device.
    public var isTemporary: Bool { kind == .locked }
}

/// Keeps credentials in memory, for tests. Safe to use from any thread.
///
/// ```swift
/// let store = MemoryCredentialStore(Credentials(token: "first"))
/// let auth = try BackendAuth(store: store)
/// ```
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Locked<Credentials?>

    public init(_ credentials: Credentials? = nil) { self.credentials = Locked(credentials) }

    public func load() -> Credentials? { credentials.withLock { $0 } }
    public func save(_ credentials: Credentials) { self.credentials.withLock { $0 = credentials } }
    public func remove() { credentials.withLock { $0 = nil } }
}

/// The session of a call, from a sign-in to its end. Renewing the token does not end it.
package struct Session: Sendable, Hashable {
    typealias ID = Int

    /// The session of requests without credentials; it never ends.
    static let anonymous = Session(id: 0, owner: "", account: .anonymous)

    let id: ID
    /// The owner of the cached responses that it uses: the account or, if that is unknown, the
    /// token with which the session began.
    var owner: String
    /// The owner of the session.
    package var account: SessionOwner

    init(id: ID, owner: String, account: SessionOwner = .unknown) {
        self.id = id
        self.owner = owner
        self.account = account
    }

    init(id: ID, of credentials: Credentials) {
        self.id = id
        owner = credentials.account.map { "account \($0)" } ?? "token \(credentials.token)"
        account = credentials.account.map(SessionOwner.account) ?? .unknown
    }
}

/// The state of the session, signed in or signed out. See ``BackendAuth``.
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
