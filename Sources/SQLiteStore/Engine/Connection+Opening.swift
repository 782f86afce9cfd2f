import ArticleStore

extension Connection {
    /// How long a statement waits for another program's lock.
    static let busyMilliseconds = 1_000

    /// A connection that cannot write.
    convenience init(
        readerOf path: String, _ configuration: SQLiteConfiguration
    ) throws(StoreError) {
        try self.init(path: path, access: .read)
        try configureReader(configuration)
    }

    /// What holds for readers.
    func configureReader(_ configuration: SQLiteConfiguration) throws(StoreError) {
        try configure(cacheBytes: configuration.readerCacheBytes)
        try execute(script: "PRAGMA query_only = ON")
    }

    /// What holds for every connection. Memory maps are left out: a failing disk would be a signal.
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
        // That pragma took the place of the hook.
        countFrames()
    }

    /// What holds for the writer: a commit is flushed before it returns.
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

    /// Turns write-ahead logging on, which the file remembers.
    func useLog() throws(StoreError) {
        let row = try statement("PRAGMA journal_mode = WAL")
        guard try row.step(), row.text(0) == "wal" else {
            throw .unavailable("write-ahead logging is not possible here")
        }
    }
}
