#if os(Linux)
    import CBroadsheetSQLite
#else
    import SQLite3
#endif

/// An open SQLite file (`sqlite3_open_v2`) with its compiled statements; closed when it is
/// released.
///
/// It is used by one thread at a time and is not `Sendable`.
final class DatabaseConnection {
    /// `nil` after it was closed.
    private var handle: OpaquePointer?
    /// Compiled statements that are not running, by their SQL. Bounded by the number of texts.
    private var idle: [String: OpaquePointer] = [:]

    /// - Parameters:
    ///   - path: a file, which is made if it is missing; `nil` for a database in memory.
    ///   - limitBytes: the maximum size of the file; `nil` for no limit.
    init(_ path: String?, limitBytes: Int?) throws(ModelStoreError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path ?? ":memory:", &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw Self.failure(code, message)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        // Memory maps are disabled, as disk errors would raise signals. A damaged file must not
        // make functions of a schema run.
        try execute(
            script: """
                PRAGMA mmap_size = 0;
                PRAGMA cell_size_check = ON;
                PRAGMA trusted_schema = OFF;
                PRAGMA temp_store = MEMORY;
                PRAGMA synchronous = NORMAL;
                PRAGMA journal_size_limit = 4194304;
                """)
        guard let limitBytes else { return }
        try execute(script: "PRAGMA max_page_count = \(max(limitBytes / StoreFile.pageBytes, 1))")
    }

    /// The maximum time for which a statement waits for the lock of another process.
    private static let busyMilliseconds: Int32 = 2_000

    /// Enables write-ahead logging, which is recorded in the file.
    func useLog() throws(ModelStoreError) { try execute(script: "PRAGMA journal_mode = WAL") }

    deinit { close() }

    /// Closes the file, which must happen before it is renamed.
    func close() {
        for statement in idle.values { sqlite3_finalize(statement) }
        idle = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    var isOpen: Bool { handle != nil }

    /// True if a transaction is open: some failures end one on their own
    /// (`sqlite3_get_autocommit`).
    var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(handle) == 0 }

    /// Rows changed by the last INSERT, UPDATE or DELETE (`sqlite3_changes`).
    var changedRows: Int { isOpen ? Int(sqlite3_changes(handle)) : 0 }

    /// Runs statements that are not kept: the schema, pragmas (`sqlite3_exec`).
    func execute(script: String) throws(ModelStoreError) {
        try checkOpen()
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement without parameters or rows.
    func execute(_ sql: String) throws(ModelStoreError) {
        try statement(sql).run()
    }

    /// A statement ready to bind, kept or newly compiled.
    func statement(_ sql: String) throws(ModelStoreError) -> DatabaseStatement {
        if let kept = idle.removeValue(forKey: sql) {
            return DatabaseStatement(kept, sql, self)
        }
        try checkOpen()
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw failure(code) }
        return DatabaseStatement(compiled, sql, self)
    }

    /// Takes a reset statement back.
    func keep(_ statement: OpaquePointer, _ sql: String) {
        if let other = idle.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
    }

    private func checkOpen() throws(ModelStoreError) {
        guard isOpen else { throw .disk("the file is closed") }
    }

    func failure(_ code: Int32) -> ModelStoreError {
        Self.failure(code, String(cString: sqlite3_errmsg(handle)))
    }

    private static func failure(_ code: Int32, _ message: String) -> ModelStoreError {
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
