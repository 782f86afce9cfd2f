import ArticleStore
import Sockets

/// The limits of a SQLite store.
public struct SQLiteConfiguration: Sendable, Hashable {
    /// Connections that read at the same time.
    public var readers = 3
    /// Reads that wait for a connection before further ones are `.busy`.
    public var readQueueDepth = 1_024
    /// Bytes of responses in the making, from when they are read until they are sent.
    public var responseBytes = WorkerPool.defaultLimitBytes
    /// Writes that wait for a commit before further ones are `.busy`.
    public var writeQueueDepth = 1_024
    /// Writes that share one commit at most.
    public var writesPerCommit = 256
    /// After this long a commit takes in no further writes.
    public var commitGatheringMilliseconds = 20
    /// Index rows that a page may examine; it then comes back short.
    public var examinedRowsPerPage = 10_000
    /// Index rows that counting a list may examine; it then knows of so many at least.
    public var examinedRowsPerCount = 30_000
    /// Bytes of text that a page may hold; a single larger article still comes.
    public var bytesPerPage = 4 << 20
    /// The write-ahead log is moved into the file from this size on.
    public var logBytes = 4 << 20
    /// From this size on writes wait for readers to let go of the log; an export is stopped.
    public var logLimitBytes = 64 << 20
    /// How long writes wait then.
    public var logPatienceMilliseconds = 2_000
    /// Page cache of each reader, and of the writer.
    public var readerCacheBytes = 2 << 20
    public var writerCacheBytes = 4 << 20
    /// The file grows no further than this; `nil`: as the disk allows.
    public var fileLimitBytes: Int?
    /// Writes with an idempotency key that are kept of each principal; further ones have to wait.
    public var keptWritesPerPrincipal = 100_000
    /// Writes with a key that were rejected; the oldest give way to new ones.
    public var keptRejectionsPerPrincipal = 1_000
    /// Keys that are neither revoked nor expired.
    public var liveKeys = 1_000

    public init() {}
}
