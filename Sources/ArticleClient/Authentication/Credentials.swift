public import ArticleAPI

/// What shows the backend who asks: a key, or a token that can be renewed.
public struct Credentials: Sendable, Hashable {
    /// A key or an access token, as `Authorization: Bearer` carries it.
    public var token: String
    /// What a new token is had for.
    public var refreshToken: String?
    /// Names the account, always in the same way: its id at the backend, for example. Copies of
    /// responses belong to it, and another process that shares the store knows by it whether the
    /// credentials in there were renewed or are somebody else's. `nil`: unknown.
    public var account: String?

    public init(token: String, refreshToken: String? = nil, account: String? = nil) {
        self.token = token
        self.refreshToken = refreshToken
        self.account = account
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible {
    /// Nothing that a log must not hold.
    public var description: String { "Credentials(\(Redaction.mark))" }
    public var debugDescription: String { description }
}

extension Credentials: JSONModel {
    /// How a file keeps them.
    public static let shape = ObjectCodec(
        Self.init(token:refreshToken:account:),
        .required("token", \.token, .text(.line(1...4096))),
        .optional("refreshToken", \.refreshToken, .text(.line(1...4096))),
        .optional("account", \.account, .text(.line(1...4096))))
}

/// Where credentials are kept between runs.
public protocol CredentialStore: Sendable {
    /// `nil` where there are none.
    func load() throws(CredentialStoreError) -> Credentials?
    func save(_ credentials: Credentials) throws(CredentialStoreError)
    func remove() throws(CredentialStoreError)
}

/// Why credentials cannot be read or kept; never what they are.
public struct CredentialStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The device has not been unlocked since it started: try again later.
        case locked
        /// The app may not use the keychain or access group that it names.
        case notEntitled
        /// The stored item does not hold credentials.
        case damaged
        /// Anything else; the description says what.
        case failed
    }

    public let kind: Kind
    public let description: String

    public init(_ description: String, _ kind: Kind = .failed) {
        self.kind = kind
        self.description = description
    }

    /// Whether the store may work later, as before the first unlock of a device.
    public var isTemporary: Bool { kind == .locked }
}

/// Keeps credentials as long as the process lives: for tests.
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Locked<Credentials?>

    public init(_ credentials: Credentials? = nil) { self.credentials = Locked(credentials) }

    public func load() -> Credentials? { credentials.withLock { $0 } }
    public func save(_ credentials: Credentials) { self.credentials.withLock { $0 = credentials } }
    public func remove() { credentials.withLock { $0 = nil } }
}
