import ArticleAPI
public import ArticleStore
import Glibc
public import Platform

/// Stores articles in one SQLite file, which is owned by one process.
///
/// Writes go through one queue and share commits; reads run concurrently on their own connections
/// and never wait for writes.
public final class SQLiteStore: Sendable {
    /// How to treat a missing file.
    public enum Mode: Sendable {
        /// Creates it.
        case create
        /// Throws `.missing`.
        case existing
    }

    /// Counters since the store was opened, and current queue lengths.
    public struct Statistics: Sendable, Hashable {
        /// Number of commits, each with one flush of the log.
        public var commits: Int
        /// Number of writes in these commits.
        public var writes: Int
        /// Number of attempted steps in these commits, including failures and dry runs.
        public var steps: Int
        /// Histogram of the steps per commit with the upper bounds `sharingBounds`, and one bucket
        /// above these.
        public var commitsBySharing: [Int]
        /// Number of checkpoints of the log.
        public var checkpoints: Int
        /// Number of reads waiting for a connection, and of writes waiting for a commit.
        public var waitingReads: Int
        public var waitingWrites: Int

        public static let sharingBounds = [1, 2, 4, 8, 16, 32, 64, 128]
    }

    /// The path with symbolic links resolved.
    public let path: String
    let configuration: SQLiteConfiguration
    let readers: ReaderPool
    let exports: ExportReaders
    /// Exports of accounts, which do not wait for those of the operator, nor delay them.
    let accountExports: ExportReaders
    let writer: CommitQueue
    /// Holds the file's lock until the store is closed.
    private let file: Lock<DatabaseFile?>

    public var statistics: Statistics {
        let counts = writer.counts
        return Statistics(
            commits: counts.commits, writes: counts.writes,
            steps: counts.steps, commitsBySharing: counts.commitsBySharing,
            checkpoints: counts.checkpoints,
            waitingReads: readers.waiting, waitingWrites: writer.waiting)
    }

    /// The sizes of the file and its log (`stat(2)`).
    public var fileBytes: (database: Int, log: Int)? {
        var database = stat()
        var log = stat()
        guard stat(path, &database) == 0 else { return nil }
        let isThere = stat(path + "-wal", &log) == 0
        return (Int(database.st_size), isThere ? Int(log.st_size) : 0)
    }

    /// The schema version that this program migrates files to.
    public static var schemaVersion: Int { DatabaseSchema.bundled.version }

    /// Opens the file as its only owner, and migrates its schema.
    ///
    /// - Parameter migrating: called periodically during a migration.
    public static func open(
        path: String, mode: Mode, configuration: SQLiteConfiguration = SQLiteConfiguration(),
        migrating: @escaping @Sendable () -> Void = {}
    ) throws(StoreOpeningError) -> SQLiteStore {
        try SQLiteStore(
            path: path, mode: mode, schema: .bundled, configuration: configuration,
            migrating: migrating)
    }

    init(
        path given: String, mode: Mode, schema: DatabaseSchema, configuration: SQLiteConfiguration,
        migrating: @escaping @Sendable () -> Void = {}
    ) throws(StoreOpeningError) {
        let file = try DatabaseFile(path: given, mayCreate: mode == .create)
        try file.checkWritable()
        try file.verify(schema, mode: mode)
        path = file.path
        self.configuration = configuration
        do throws(StoreError) {
            let connection = try Connection(path: path, access: .write)
            try connection.configure(cacheBytes: configuration.writerCacheBytes)
            try connection.configureWriter(configuration)
            connection.reportProgress(to: migrating)
            try schema.migrate(connection)
            connection.reportProgress(to: nil)
            try connection.useLog()
            // A backup has no epoch.
            try connection.execute(SQL.takeEpoch)
            let exports = ExportReaders(path: path, configuration)
            let accountExports = ExportReaders(path: path, configuration)
            let clock = CommitSequence()
            readers = try ReaderPool(path: path, configuration, clock)
            writer = CommitQueue(connection, configuration, clock) {
                exports.stop()
                accountExports.stop()
            }
            self.exports = exports
            self.accountExports = accountExports
        } catch {
            throw .failed(path: file.path, reason: error.reason)
        }
        self.file = Lock(file)
    }

    /// Finishes queued writes, flushes and releases the file. Later calls throw `.unavailable`.
    public func close() async {
        // The writer closes last: only it may checkpoint the log.
        await exports.close()
        await accountExports.close()
        await readers.close()
        await writer.close()
        file.withLock { $0 = nil }
    }
}

extension SQLiteStore: ArticleStore, StoreMaintenance {
    public var workers: WorkerPool { readers.workers }
}

extension DatabaseFile {
    /// Inspects the file without modifying it, and rejects files that are not Broadsheet databases
    /// or too new.
    func verify(
        _ schema: DatabaseSchema, mode: SQLiteStore.Mode?
    ) throws(StoreOpeningError) {
        switch try inspect() {
        case .foreign: throw .foreign(path: path)
        case .empty:
            guard mode == .create else { throw .unfinished(path: path) }
            return
        case .database(let application, let version):
            guard application == DatabaseSchema.applicationID else { throw .foreign(path: path) }
            try reject(version, newerThan: schema)
        }
        // There may be a newer copy of the first page in the log, which a reader sees without a
        // checkpoint.
        let version: Int
        let reader = try reader()
        do throws(StoreError) {
            version = try DatabaseSchema.version(on: reader)
        } catch {
            // An interrupted first start leaves a journal, which only a writer may roll back.
            if hasJournal { return }
            throw StoreOpeningError(error, at: path)
        }
        try reject(version, newerThan: schema)
    }

    private func reject(
        _ version: Int, newerThan schema: DatabaseSchema
    ) throws(StoreOpeningError) {
        if version > schema.version {
            throw .newer(path: path, version: version, known: schema.version)
        }
    }
}

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
    public var readerCacheBytes = 4 << 20
    public var writerCacheBytes = 4 << 20
    /// Maximum size of the file; `nil` for no limit.
    public var fileLimitBytes: Int?
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
