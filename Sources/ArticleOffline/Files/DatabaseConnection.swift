import ArticleAPI
import BroadsheetSQLite
import CBroadsheetSQLite

/// An open file of a store, with its compiled statements.
typealias DatabaseConnection = SQLiteDatabase<OfflineError>

extension SQLiteDatabase where Failure == OfflineError {
    /// - Parameters:
    ///   - path: a file, which is made if it is missing; `nil` for a database in memory.
    ///   - limitBytes: the maximum size of the file; `nil` for no limit.
    convenience init(_ path: String?, limitBytes: Int?) throws(OfflineError) {
        try self.init(path ?? ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // Memory maps are disabled, as disk errors would raise signals. A damaged file must not
        // make functions of a schema run. The log is written into the file every 16 MB: that waits
        // for the disk, and took half of the time of a mirror with SQLite's 4 MB.
        try execute(
            script: """
                PRAGMA busy_timeout = \(StoreFile.busyMilliseconds);
                PRAGMA mmap_size = 0;
                PRAGMA cell_size_check = ON;
                PRAGMA trusted_schema = OFF;
                PRAGMA temp_store = MEMORY;
                PRAGMA synchronous = NORMAL;
                PRAGMA journal_size_limit = 4194304;
                PRAGMA wal_autocheckpoint = 4000;
                """)
        guard let limitBytes else { return }
        try execute(script: "PRAGMA max_page_count = \(max(limitBytes / StoreFile.pageBytes, 1))")
    }

    /// Enables write-ahead logging, which is recorded in the file.
    func useLog() throws(OfflineError) { try execute(script: "PRAGMA journal_mode = WAL") }
}

extension SQLiteStatement where Failure == OfflineError {
    func bind(_ index: Int32, _ value: Timestamp?) throws(OfflineError) {
        try bind(index, value?.milliseconds)
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>) throws(OfflineError) {
        let words = (id.high.bigEndian, id.low.bigEndian)
        try check(withUnsafeBytes(of: words) { handle.bind(index, bytes: $0) })
    }

    func bind(_ index: Int32, id: some StorableID) throws(OfflineError) {
        try bind(index, id.storedBytes)
    }

    func id<ID: StorableID>(_ column: Int32) throws(OfflineError) -> ID {
        guard let id = ID(storedBytes: bytes(column)) else { throw .damaged("an id is unreadable") }
        return id
    }

    func identifier<Subject>(_ column: Int32) throws(OfflineError) -> Identifier<Subject> {
        let bytes = handle.bytes(column)
        guard bytes.count == 16,
            let id = Identifier<Subject>(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        else { throw .damaged("an id is not a UUIDv7") }
        return id
    }
}

extension OfflineError: SQLiteFailure {
    package init(code: Int32, message: String) {
        self =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            // The statements are those of a sound file: tables that are missing and rows that
            // contradict each other are also damage.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
                SQLITE_TOOBIG:
                .damaged(message)
            default: .disk("\(message) (\(code))")
            }
    }
}
