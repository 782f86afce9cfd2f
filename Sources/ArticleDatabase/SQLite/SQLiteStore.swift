import ArticleAPI
public import ArticleStore
public import BroadsheetPlatform
import Glibc

/// Stores articles in one SQLite file, which is owned by one process.
///
/// Writes go through one queue and share commits; reads run concurrently on their own connections
/// and never wait for writes.
public final class SQLiteStore: Sendable {
    public typealias Mode = StoreMode

    /// The path with symbolic links resolved.
    public let path: String
    let configuration: SQLiteConfiguration
    public let core: StoreCore
    public let notices = StoreNotices()
    let commits: SQLiteCommits
    /// Holds the file's lock until the store is closed.
    private let file: Lock<DatabaseFile?>

    public var statistics: StoreStatistics { core.statistics(checkpoints: commits.checkpoints) }

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
    /// - Parameters:
    ///   - system: the clocks, the sleep and the random numbers of the store.
    ///   - migrating: called periodically during a migration.
    public static func open(
        path: String, mode: Mode, configuration: SQLiteConfiguration = SQLiteConfiguration(),
        system: SystemEnvironment, migrating: @escaping @Sendable () -> Void = {}
    ) throws(StoreOpeningError) -> SQLiteStore {
        try SQLiteStore(
            path: path, mode: mode, schema: .bundled, configuration: configuration,
            system: system, migrating: migrating)
    }

    init(
        path given: String, mode: Mode, schema: DatabaseSchema, configuration: SQLiteConfiguration,
        system: SystemEnvironment, migrating: @escaping @Sendable () -> Void = {}
    ) throws(StoreOpeningError) {
        let file = try DatabaseFile(path: given, mayCreate: mode == .create)
        try file.checkWritable()
        try file.verify(schema, mode: mode)
        path = file.path
        self.configuration = configuration
        do throws(StoreError) {
            let path = path
            // SQLite creates its log and other files here.
            let connection = try file.withRightsOfOwner { () throws(StoreError) in
                let connection = try Connection(path: path, access: .write)
                try connection.configure(cacheBytes: configuration.writerCacheBytes)
                try connection.configureWriter(configuration)
                connection.reportProgress(to: migrating)
                try schema.migrate(connection)
                connection.reportProgress(to: nil)
                try connection.useLog()
                // A backup has no epoch.
                try connection.takeEpoch(system.newEpoch())
                return connection
            }
            let reader = { @Sendable () throws(StoreError) in
                try Connection(readerOf: path, configuration)
            }
            let exports = ExportReaders(configuration.limits, open: reader)
            let accountExports = ExportReaders(configuration.limits, open: reader)
            let clock = CommitSequence()
            let readers = try ReaderPool(configuration.limits, clock, open: reader)
            try Self.compare(connection, with: file, notices, system)
            commits = SQLiteCommits(connection, configuration, clock, file) {
                exports.stop()
                accountExports.stop()
            }
            core = StoreCore(
                readers: readers, exports: exports, accountExports: accountExports,
                writer: CommitQueue(
                    commits, configuration.limits, clock, ChangeAnnouncer(clock), system),
                joinedReads: nil, leadership: nil, system: system)
        } catch {
            throw StoreOpeningError(error, at: file.path)
        }
        self.file = Lock(file)
    }

    /// Begins another history if the file was set back, and notes its last change.
    private static func compare(
        _ connection: Connection, with file: DatabaseFile, _ notices: StoreNotices,
        _ system: SystemEnvironment
    ) throws(StoreError) {
        let state = Snapshot(connection, StoreLimits(), names: connection.names)
        if let noted = file.notedChange, try noted.isLost(from: state) {
            try connection.renewEpoch(to: system.newEpoch())
            connection.effects.clear()
            notices.add(
                "the database was rolled back: it has \(try state.changeSequence()) changes, and "
                    + "had "
                    + "\(noted.sequence) before; all clients are told to sync from scratch")
        }
        file.note(try RecordedChange(lastOf: state))
    }

    /// Finishes queued writes, flushes and releases the file. Later calls throw `.unavailable`.
    public func close() async {
        await core.close()
        file.withLock { $0 = nil }
    }

    public func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing {
        let closing = await core.close(readSeconds: readSeconds, writeSeconds: writeSeconds)
        switch closing {
        case .closed: file.withLock { $0 = nil }
        case .readsAreLeft: file.withLock { $0.take()?.releaseUnclosed() }
        case .writeIsLeft: break
        }
        return closing
    }
}

extension SQLiteStore: SQLStore {}

extension DatabaseFile {
    /// Inspects the file without modifying it, and rejects files that are not Broadsheet databases,
    /// too new, or of a version that cannot be migrated.
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
            try reject(version, unknownTo: schema)
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
        try reject(version, unknownTo: schema)
    }

    private func reject(
        _ version: Int, unknownTo schema: DatabaseSchema
    ) throws(StoreOpeningError) {
        let fault = StoreOpeningError(version: version, at: path, supported: schema.versions)
        if let fault { throw fault }
    }
}

/// The limits of a SQLite store. Those that both engines have can also be set here.
@dynamicMemberLookup
public struct SQLiteConfiguration: Sendable, Hashable {
    public var limits = StoreLimits()
    /// Log size in bytes from which the write-ahead log is checkpointed.
    public var logBytes = 4 << 20
    /// Log size in bytes from which writes wait for readers to release the log, and exports are
    /// aborted.
    public var logLimitBytes = 64 << 20
    /// The maximum wait of writes in that case.
    public var logPatienceMilliseconds = 2_000
    /// Page cache size of each reader and of the writer.
    public var readerCacheBytes = 4 << 20
    public var writerCacheBytes = 4 << 20
    /// Maximum size of the file; `nil` for no limit.
    public var fileLimitBytes: Int?

    public init() {}

    public subscript<Value>(dynamicMember member: WritableKeyPath<StoreLimits, Value>) -> Value {
        get { limits[keyPath: member] }
        set { limits[keyPath: member] = newValue }
    }
}
