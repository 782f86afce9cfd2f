public import ArticleStore

/// Stores articles in a PostgreSQL database, which is served by one process.
///
/// Writes go through one queue and share commits; reads run concurrently on their own connections
/// and never wait for writes.
public final class PostgresStore: Sendable {
    /// Where the database is.
    public let address: PostgresAddress
    /// The path next to which other files of this server can be created.
    public let path: String
    public let core: StoreCore

    /// The schema version that this program migrates databases to.
    public static var schemaVersion: Int { PostgresSchema.bundled.version }

    /// Connects to the database, migrates its schema and becomes its only owner.
    ///
    /// - Parameters:
    ///   - path: the path next to which other files can be created.
    ///   - mode: how to treat a database without a schema.
    public static func open(
        _ address: PostgresAddress, path: String, mode: StoreMode,
        configuration: PostgresConfiguration = PostgresConfiguration()
    ) throws(StoreOpeningError) -> PostgresStore {
        try PostgresStore(
            address, path: path, mode: mode, schema: .bundled, configuration: configuration)
    }

    init(
        _ address: PostgresAddress, path: String, mode: StoreMode, schema: PostgresSchema,
        configuration: PostgresConfiguration
    ) throws(StoreOpeningError) {
        self.address = address
        self.path = path
        let openWriter = { @Sendable () throws(StoreError) in
            let session = try PostgresSession(address, settings: configuration.writerSettings)
            guard try session.own() else {
                throw .unavailable("another broadsheet serves the database, or is not gone yet")
            }
            return session
        }
        let openReader = { @Sendable () throws(StoreError) in
            Connection(
                .postgres(try PostgresSession(address, settings: configuration.readerSettings)))
        }
        let openExport = { @Sendable () throws(StoreError) in
            Connection(
                .postgres(try PostgresSession(address, settings: configuration.exportSettings)))
        }
        do throws(StoreError) {
            let session = try PostgresSession(address, settings: configuration.writerSettings)
            try session.check()
            let version = try PostgresSchema.version(of: session)
            guard version <= schema.version else {
                throw .rejected(
                    StoreOpeningError.newer(
                        path: address.text, version: version, known: schema.version))
            }
            guard version > 0 || mode == .create else {
                throw .rejected(StoreOpeningError.unfinished(path: address.text))
            }
            // First of all: an older program may be serving it.
            guard try session.own() else {
                throw .rejected(StoreOpeningError.owned(path: address.text))
            }
            try schema.migrate(session)
            try Connection(.postgres(session)).takeEpoch()
            let clock = CommitSequence()
            core = StoreCore(
                readers: try ReaderPool(configuration.limits, clock, open: openReader),
                exports: ExportReaders(configuration.limits, open: openExport),
                accountExports: ExportReaders(configuration.limits, open: openExport),
                writer: CommitQueue(
                    PostgresCommits(session, clock, open: openWriter), configuration.limits, clock))
        } catch {
            if case .rejected(let error as StoreOpeningError) = error { throw error }
            throw .failed(path: address.text, reason: error.reason)
        }
    }

    /// Finishes queued writes and closes all connections. Later calls throw `.unavailable`.
    public func close() async {
        await core.close()
    }
}

extension PostgresStore: SQLStore {
    public var statistics: StoreStatistics { core.statistics() }

    public var fileBytes: (database: Int, log: Int)? { nil }
}
