import BroadsheetPlatform

/// The limits that both engines have.
public struct StoreLimits: Sendable, Hashable {
    /// Number of reading connections.
    public var readers = 3
    /// Maximum number of reads waiting for a connection; further ones are `.busy`.
    public var readQueueDepth = 1_024
    /// Maximum memory in bytes for responses, from when they are read until they are sent.
    public var responseBytes = WorkerPool.defaultLimitBytes
    /// Maximum number of writes waiting for a commit; further ones are `.busy`.
    public var writeQueueDepth = 1_024
    /// Maximum number of writes per commit.
    public var writesPerCommit = 256
    /// Time after which a commit does not accept further writes.
    public var commitGatheringMilliseconds = 20
    /// Time that a commit may take until writes which wait for it, and further ones, are
    /// `.delayed`.
    public var commitPatienceMilliseconds = 5_000
    /// Maximum number of index rows examined for a page; it is cut short after that.
    public var examinedRowsPerPage = 10_000
    /// Maximum number of index rows examined for a count; the count is a lower bound after that.
    public var examinedRowsPerCount = 30_000
    /// Maximum size of a page in bytes; it may contain one larger article.
    public var bytesPerPage = 4 << 20
    /// Maximum number of stored idempotent writes per principal; further ones are rejected.
    public var idempotencyRecordsPerPrincipal = 100_000
    /// Maximum number of stored rejections of idempotent writes per principal; the oldest are
    /// replaced.
    public var rejectionsPerPrincipal = 1_000
    /// Maximum number of keys that are neither revoked nor expired.
    public var liveKeys = 1_000
    /// Maximum number of users.
    public var users = 1_000_000
    /// Maximum number of sessions per user; beyond it, the least recently used ones end.
    public var sessionsPerUser = 100
    /// Maximum number of bookmarks per user.
    public var bookmarksPerUser = 10_000
    /// Maximum number of unused invitations.
    public var unusedInvitations = 1_000
    /// Maximum number of used invitations that are kept; the oldest are removed.
    public var usedInvitations = 1_000
    /// Maximum number of used tokens of providers that would still be accepted.
    public var usedTokens = 100_000

    public init() {}
}
