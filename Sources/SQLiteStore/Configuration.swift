import ArticleStore
import Platform

/// The limits of a SQLite store.
public struct SQLiteConfiguration: Sendable, Hashable {
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
    /// Maximum number of index rows examined for a page; it is cut short after that.
    public var examinedRowsPerPage = 10_000
    /// Maximum number of index rows examined for a count; the count is a lower bound after that.
    public var examinedRowsPerCount = 30_000
    /// Maximum size of a page in bytes; it may contain one larger article.
    public var bytesPerPage = 4 << 20
    /// Log size in bytes from which the write-ahead log is checkpointed.
    public var logBytes = 4 << 20
    /// Log size in bytes from which writes wait for readers to release the log, and exports are
    /// aborted.
    public var logLimitBytes = 64 << 20
    /// How long writes wait in that case.
    public var logPatienceMilliseconds = 2_000
    /// Page cache size of each reader and of the writer.
    public var readerCacheBytes = 2 << 20
    public var writerCacheBytes = 4 << 20
    /// Maximum size of the file; `nil` for no limit.
    public var fileLimitBytes: Int?
    /// Maximum number of stored idempotent writes per principal; further ones are rejected.
    public var keptWritesPerPrincipal = 100_000
    /// Maximum number of stored rejections of idempotent writes per principal; the oldest are
    /// replaced.
    public var keptRejectionsPerPrincipal = 1_000
    /// Maximum number of keys that are neither revoked nor expired.
    public var liveKeys = 1_000

    public init() {}
}
