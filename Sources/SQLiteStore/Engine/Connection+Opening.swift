import ArticleStore

extension Connection {
    /// How long a statement waits for another program's lock.
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
        countFrames()
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
        try execute(script: "PRAGMA max_page_count = \(max(bytes / pageBytes, 1))")
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
