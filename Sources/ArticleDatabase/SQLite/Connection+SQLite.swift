import ArticleStore

/// The parts of connections that only SQLite has: the files, their settings, the write-ahead log.
extension Connection {
    /// The owner of the handle of a connection to SQLite. Code of that engine opens no others.
    private var file: SQLiteFile {
        switch engine {
        case .sqlite(let file): return file
        case .postgres: preconditionFailure("programmer error: this is a connection to PostgreSQL")
        }
    }

    convenience init(path: String, access: SQLiteFile.Access) throws(StoreError) {
        self.init(.sqlite(try SQLiteFile(path: path, access: access)))
    }

    /// Copies the log's pages to the file; `false` if readers still need a part of it. Truncating
    /// waits for readers for up to the busy timeout, and empties the log file.
    func checkpoint(truncating: Bool) throws(StoreError) -> Bool {
        try file.checkpoint(truncating: truncating)
    }

    /// Starts copying the database to another connection's.
    func copy(to destination: Connection) throws(StoreError) -> PageCopy {
        PageCopy(try file.copy(to: destination.file), from: self, to: destination)
    }

    /// Calls the body every few milliseconds while statements run; `nil` stops this.
    func reportProgress(to body: (@Sendable () -> Void)?) { file.reportProgress(to: body) }
}

extension Connection {
    /// The maximum time for which a statement waits for another program's lock.
    static let busyMilliseconds = 1_000

    /// Opens a read-only connection.
    convenience init(
        readerOf path: String, _ configuration: SQLiteConfiguration
    ) throws(StoreError) {
        try self.init(path: path, access: .read)
        try configureReader(configuration)
    }

    /// Settings of readers.
    func configureReader(_ configuration: SQLiteConfiguration) throws(StoreError) {
        try configure(cacheBytes: configuration.readerCacheBytes)
        try execute(script: "PRAGMA query_only = ON")
    }

    /// Settings of every connection. Memory maps are disabled, as disk errors would raise signals.
    func configure(cacheBytes: Int) throws(StoreError) {
        try execute(
            script: """
                PRAGMA busy_timeout = \(Self.busyMilliseconds);
                PRAGMA mmap_size = 0;
                PRAGMA cell_size_check = ON;
                PRAGMA foreign_keys = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA cache_size = -\(cacheBytes >> 10);
                PRAGMA wal_autocheckpoint = 0;
                """)
        // The last pragma replaced the hook.
        file.countFrames()
    }

    /// Settings of the writer: a commit is flushed before it returns.
    func configureWriter(_ configuration: SQLiteConfiguration) throws(StoreError) {
        try execute(
            script: """
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = FAST;
                PRAGMA journal_size_limit = \(configuration.logBytes);
                """)
        guard let bytes = configuration.fileLimitBytes else { return }
        try execute(script: "PRAGMA max_page_count = \(max(bytes / SQLiteFile.pageBytes, 1))")
    }

    func setBusyTimeout(milliseconds: Int) throws(StoreError) {
        try execute(script: "PRAGMA busy_timeout = \(milliseconds)")
    }

    /// Enables write-ahead logging, which is recorded in the file.
    func useLog() throws(StoreError) {
        let row = try statement("PRAGMA journal_mode = WAL")
        guard try row.step(), row.text(0) == "wal" else {
            throw .unavailable("write-ahead logging is not supported here")
        }
    }
}
