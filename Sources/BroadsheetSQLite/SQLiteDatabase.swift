import CBroadsheetSQLite

/// An error that says what a result code of SQLite means to a program.
package protocol SQLiteFailure: Error {
    /// - Parameter code: an extended result code (https://www.sqlite.org/rescode.html).
    init(code: Int32, message: String)
}

/// An open SQLite database (`sqlite3_open_v2`); closed when it is released.
///
/// It is used by one thread at a time and is not `Sendable`.
package final class SQLiteDatabase<Failure: SQLiteFailure> {
    /// `nil` after it was closed.
    package private(set) var pointer: OpaquePointer?
    /// Compiled statements that are not in use, by their SQL. Bounded by the number of texts.
    private var idle: [String: SQLiteHandle] = [:]

    /// - Parameters:
    ///   - name: a path, a URI if the flags allow it, or `:memory:`.
    ///   - flags: `SQLITE_OPEN_READWRITE` and the like.
    package init(_ name: String, flags: Int32) throws(Failure) {
        let code = sqlite3_open_v2(
            name, &pointer, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, pointer != nil else { throw failure(code) }
    }

    deinit { close() }

    /// Closes the file, which must happen before it is renamed.
    package func close() {
        for statement in idle.values { finalize(statement) }
        idle = [:]
        sqlite3_close_v2(pointer)
        pointer = nil
    }

    package var isOpen: Bool { pointer != nil }

    /// True if a transaction is open: some failures end one on their own
    /// (`sqlite3_get_autocommit`).
    package var isInTransaction: Bool { isOpen && sqlite3_get_autocommit(pointer) == 0 }

    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// Rows changed by the last INSERT, UPDATE or DELETE (`sqlite3_changes`).
    package var changedRows: Int { isOpen ? Int(sqlite3_changes(pointer)) : 0 }

    /// Rows changed since the file was opened (`sqlite3_total_changes64`).
    package var totalChangedRows: Int64 { sqlite3_total_changes64(pointer) }

    package func failure(_ code: Int32) -> Failure {
        let text = isOpen ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)
        return Failure(code: code, message: text.map { String(cString: $0) } ?? "")
    }

    /// Runs statements that are not kept: the schema, pragmas (`sqlite3_exec`).
    package func execute(script: String) throws(Failure) {
        let code = isOpen ? sqlite3_exec(pointer, script, nil, nil, nil) : SQLITE_MISUSE
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement without parameters or rows.
    package func execute(_ sql: String) throws(Failure) { try statement(sql).run() }

    /// A newly compiled statement (`sqlite3_prepare_v3`), to be finalized by `finalize`.
    package func prepare(_ sql: UnsafePointer<CChar>) throws(Failure) -> SQLiteHandle {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code =
            isOpen ? sqlite3_prepare_v3(pointer, sql, -1, flags, &statement, nil) : SQLITE_MISUSE
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return SQLiteHandle(statement)
    }

    package func finalize(_ statement: SQLiteHandle) { sqlite3_finalize(statement.pointer) }

    /// A statement ready to bind, kept or newly compiled.
    package func statement(_ sql: String) throws(Failure) -> SQLiteStatement<Failure> {
        if let kept = idle.removeValue(forKey: sql) { return SQLiteStatement(kept, sql, self) }
        return SQLiteStatement(try prepare(sql), sql, self)
    }

    /// Takes a reset statement back.
    func keep(_ statement: SQLiteHandle, _ sql: String) {
        if let other = idle.updateValue(statement, forKey: sql) { finalize(other) }
    }

    /// The first column of each row, a text.
    package func texts(_ sql: String) throws(Failure) -> [String] {
        let row = try statement(sql)
        var texts: [String] = []
        while try row.step() { texts.append(row.text(0)) }
        return texts
    }

    /// The first column of the first row, a number.
    package func number(_ sql: String) throws(Failure) -> Int64? {
        let row = try statement(sql)
        return try row.step() ? row.integer(0) : nil
    }
}
