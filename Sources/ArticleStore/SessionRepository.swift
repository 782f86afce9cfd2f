public import ArticleAPI

/// Stores the sessions of users: digests of their tokens, never the tokens themselves.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let session = SessionRecord(
///     id: "0123456789abcdef", user: user.id, tokens: tokens, device: "Ada's phone",
///     address: "203.0.113.7", createdAt: time)
/// _ = try await store.createSession(session, expecting: user.accessEpoch)
/// let next = try await store.rotateSession(
///     session.id, from: tokens.refreshDigest, to: newTokens, at: time)
/// if case .reused = next { try await store.endSession(session.id) }
/// ```
public protocol SessionRepository: Sendable {
    /// Adds a session. If the user has 100 already, the least recently used one ends.
    ///
    /// `accessEpoch` is that of the user whose password was verified. Throws `.preconditionFailed`
    /// with the current one if it has been raised since then, `.notFound` if the user does not
    /// exist or is disabled, `.idTaken` if the public id is in use.
    ///
    /// - Returns: the ids of the sessions that have ended.
    func createSession(
        _ session: SessionRecord, expecting accessEpoch: Int
    ) async throws(StoreError) -> [String]

    func session(_ id: String) async throws(StoreError) -> SessionRecord

    /// The sessions of a user, most recently used first.
    func sessions(of user: UserRecord.ID) async throws(StoreError) -> [SessionRecord]

    /// The sessions of all users in the order of their ids. `limit` is 1 to 1,000.
    func allSessions(
        after id: String?, limit: Int
    ) async throws(StoreError) -> Slice<SessionRecord, String>

    /// Gives a session new tokens if `digest` is that of its current refresh token.
    ///
    /// The one before the current one gets the current tokens again, if `tokens` are these and are
    /// not in use: then the response to the rotation was lost. They have a new expiry if the
    /// access token has expired.
    ///
    /// Throws `.notFound` if it does not exist, or has expired by `time`.
    func rotateSession(
        _ id: String, from digest: [UInt8], to tokens: TokenRecord, at time: Timestamp
    ) async throws(StoreError) -> SessionRotation

    /// Records that the access token that was issued with this refresh token is in use, if it is
    /// the current one, a rotation has issued it, and that is not recorded yet.
    func recordTokenUse(
        ofSession id: String, _ refreshDigest: [UInt8], at time: Timestamp
    ) async throws(StoreError)

    /// Throws `.notFound` if it does not exist.
    func endSession(_ id: String) async throws(StoreError)

    /// Ends the sessions of a user, all or all but one.
    func endSessions(of user: UserRecord.ID, except kept: String?) async throws(StoreError)

    /// Ends the sessions of all users.
    func endAllSessions() async throws(StoreError)

    /// Records uses of sessions in one step. It ignores uses before the last one that is recorded,
    /// and those of sessions that have ended.
    func touchSessions(_ uses: [SessionUse]) async throws(StoreError)

    /// Removes up to 1,000 sessions that expired before `time`, and returns their number: 0 when
    /// none is left.
    func removeExpiredSessions(before time: Timestamp) async throws(StoreError) -> Int
}

/// A session as it is stored. See ``SessionRepository``.
public struct SessionRecord: Sendable, Hashable {
    /// The public part of its tokens, by which it is looked up: 16 characters.
    public var id: String
    public var user: UserRecord.ID
    public var tokens: TokenRecord
    /// SHA-256 of the refresh token before the current one, 32 bytes; `nil` if there was none.
    public var previousRefreshDigest: [UInt8]?
    /// The time at which the access token that replaced another was first used; `nil` until then,
    /// and before the first rotation.
    public var tokensUsedAt: Timestamp?
    /// 0 to 100 characters.
    public var device: String
    /// The client's address at the last use.
    public var address: String
    public var createdAt: Timestamp
    public var usedAt: Timestamp

    /// A new session.
    public init(
        id: String, user: UserRecord.ID, tokens: TokenRecord, device: String, address: String,
        createdAt: Timestamp
    ) {
        self.id = id
        self.user = user
        self.tokens = tokens
        previousRefreshDigest = nil
        tokensUsedAt = nil
        self.device = device
        self.address = address
        self.createdAt = createdAt
        usedAt = createdAt
    }
}

/// The tokens of a session as they are stored: their digests, and when they expire. See
/// ``SessionRepository``.
public struct TokenRecord: Sendable, Hashable {
    /// SHA-256 of the access token, 32 bytes.
    public var accessDigest: [UInt8]
    /// SHA-256 of the refresh token, 32 bytes.
    public var refreshDigest: [UInt8]
    public var accessExpiresAt: Timestamp
    /// The time at which the refresh token expires, and the session with it.
    public var expiresAt: Timestamp

    public init(
        accessDigest: [UInt8], refreshDigest: [UInt8], accessExpiresAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.accessDigest = accessDigest
        self.refreshDigest = refreshDigest
        self.accessExpiresAt = accessExpiresAt
        self.expiresAt = expiresAt
    }
}

/// The result of rotating a refresh token. See ``SessionRepository``.
public enum SessionRotation: Sendable, Hashable {
    /// The session has the new tokens.
    case rotated(SessionRecord)
    /// It was the one before the current one, whose tokens are others or in use; nothing was
    /// changed.
    case isPrevious(SessionRecord)
    /// It was neither; nothing was changed.
    case reused
}

/// A use of a session. See ``SessionRepository``.
public struct SessionUse: Sendable, Hashable {
    /// The id of the session.
    public var session: String
    public var time: Timestamp
    public var address: String

    public init(of session: String, at time: Timestamp, from address: String) {
        self.session = session
        self.time = time
        self.address = address
    }
}
