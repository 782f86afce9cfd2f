public import ArticleAPI

/// Stores the records of API keys.
///
/// A revoked key remains revoked, and its record is kept. Safe to use from any thread.
///
/// ```swift
/// let key = KeyRecord(
///     id: "k7", digest: digest, name: "Newsroom", role: "editor", createdAt: time)
/// try await store.createKey(key)
/// let revoked = try await store.revokeKey("k7", at: time)
/// ```
public protocol KeyStore: Sendable {
    /// All keys including revoked ones, oldest first.
    func keys() async throws(StoreError) -> [KeyRecord]
    /// Adds a key. Throws `.tooMany` if there are 1,000 valid keys, `.idTaken` if the public id is
    /// in use.
    func createKey(_ key: KeyRecord) async throws(StoreError)
    /// Revokes a key. Throws `.notFound` if it does not exist; revoking it twice keeps the first
    /// time.
    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord
}

/// Also stores the secrets of the services.
///
/// A secret is made once, and then remains the same. Safe to use from any thread.
///
/// ```swift
/// let secret = try await store.secret(named: "cursors")
/// ```
public protocol KeyRepository: KeyStore {
    /// 32 random bytes stored under a name, created on first use: secrets for cursors and
    /// idempotency keys.
    func secret(named name: String) async throws(StoreError) -> [UInt8]
}

/// An API key as it is stored: never the key itself. See ``KeyStore``.
public struct KeyRecord: Sendable, Hashable {
    /// The public part, by which it is looked up.
    public var id: String
    /// SHA-256 of the whole key, 32 bytes.
    public var digest: [UInt8]
    /// 1 to 100 characters.
    public var name: String
    /// `admin`, `editor`, `author` or `reader`.
    public var role: String
    public var createdAt: Timestamp
    public var expiresAt: Timestamp?
    public var revokedAt: Timestamp?
    /// The user that it acts for, up to its role; `nil` if it acts for none.
    public var owner: UserRecord.ID?

    public init(
        id: String, digest: [UInt8], name: String, role: String, createdAt: Timestamp,
        expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil, owner: UserRecord.ID? = nil
    ) {
        self.id = id
        self.digest = digest
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.owner = owner
    }
}
