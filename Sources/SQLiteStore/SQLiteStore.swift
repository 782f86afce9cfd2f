import ArticleAPI
public import ArticleStore
import Glibc
import Sockets

/// Articles in one SQLite file, which one process owns.
///
/// Writes go through one queue and share commits; reads run beside them on connections of their own
/// and never wait for them.
public final class SQLiteStore: Sendable {
    /// How the file is to be found.
    public enum Mode: Sendable {
        /// Made if it is not there.
        case create
        /// `.missing` if it is not there.
        case existing
    }

    /// What the store did since it was opened, and what waits for it now.
    public struct Statistics: Sendable, Hashable {
        /// Commits, each with one flush of the log.
        public var commits: Int
        /// Writes that these made durable.
        public var writes: Int
        /// What was tried in these commits, failures and rehearsals too.
        public var steps: Int
        /// How many commits had at most so many steps (`sharingBounds`), and how many more.
        public var commitsBySharing: [Int]
        /// Times that the log was moved into the file.
        public var checkpoints: Int
        /// Reads that wait for a connection, and writes that wait for a commit.
        public var waitingReads: Int
        public var waitingWrites: Int

        public static let sharingBounds = [1, 2, 4, 8, 16, 32, 64, 128]
    }

    /// The file, with symbolic links resolved.
    public let path: String
    let configuration: SQLiteConfiguration
    let readers: ReaderPool
    let exports: ExportReaders
    let writer: CommitQueue
    /// Holds the file's lock, until the store is closed.
    private let file: Lock<DatabaseFile?>

    public var statistics: Statistics {
        let counts = writer.counts
        return Statistics(
            commits: counts.commits, writes: counts.writes,
            steps: counts.steps, commitsBySharing: counts.commitsBySharing,
            checkpoints: counts.checkpoints,
            waitingReads: readers.waiting, waitingWrites: writer.waiting)
    }

    /// How large the file is, and the log beside it (`stat(2)`).
    public var fileBytes: (database: Int, log: Int)? {
        var database = stat()
        var log = stat()
        guard stat(path, &database) == 0 else { return nil }
        let isThere = stat(path + "-wal", &log) == 0
        return (Int(database.st_size), isThere ? Int(log.st_size) : 0)
    }

    /// The version of the schema that this program brings files to.
    public static var schemaVersion: Int { DatabaseSchema.bundled.version }

    /// Opens the file as its only owner, and brings its schema up to date.
    ///
    /// - Parameter migrating: is called every now and then while that takes its time.
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
            // A backup has none.
            try connection.execute(SQL.takeEpoch)
            let exports = ExportReaders(path: path, configuration)
            let clock = CommitSequence()
            readers = try ReaderPool(path: path, configuration, clock)
            writer = CommitQueue(connection, configuration, clock) { exports.stop() }
            self.exports = exports
        } catch {
            throw .failed(path: file.path, reason: error.reason)
        }
        self.file = Lock(file)
    }

    /// Finishes queued writes, flushes and lets the file go. Later calls are `.unavailable`.
    public func close() async {
        // The writer closes last: only it may move the log into the file.
        await exports.close()
        await readers.close()
        await writer.close()
        file.withLock { $0 = nil }
    }
}

extension DatabaseFile {
    /// Looks at the file without touching it, and refuses what is not ours or too new.
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
            try refuse(version, newerThan: schema)
        }
        // The first page may have a newer copy in the log: a reader sees it and moves nothing.
        let version: Int
        let reader = try reader()
        do throws(StoreError) {
            version = try DatabaseSchema.version(on: reader)
        } catch {
            // A first start that was killed leaves a journal, which only a writer may roll back.
            if hasJournal { return }
            throw StoreOpeningError(error, at: path)
        }
        try refuse(version, newerThan: schema)
    }

    private func refuse(
        _ version: Int, newerThan schema: DatabaseSchema
    ) throws(StoreOpeningError) {
        if version > schema.version {
            throw .newer(path: path, version: version, known: schema.version)
        }
    }
}
