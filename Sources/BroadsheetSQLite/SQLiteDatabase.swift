public import CBroadsheetSQLite

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
    /// Compiled statements by their SQL. Bounded by the number of texts.
    private var kept: [StatementKey: CompiledStatement] = [:]

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
        kept = [:]
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
        let key = StatementKey(sql: sql)
        if let known = kept[key], !known.isInUse { return SQLiteStatement(known, self) }
        let new = CompiledStatement(try prepare(sql))
        if kept[key] == nil { kept[key] = new }
        return SQLiteStatement(new, self)
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

/// The text of a statement, found by its length: to hash all of it takes as long as a small
/// statement, and those that are equal are mostly the same literal, which is seen at once.
private struct StatementKey: Hashable {
    let sql: String

    func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

/// A compiled statement that its last user finalizes (`sqlite3_finalize`).
private final class CompiledStatement {
    let handle: SQLiteHandle
    var isInUse = false

    init(_ handle: SQLiteHandle) { self.handle = handle }

    deinit { sqlite3_finalize(handle.pointer) }
}

/// One use of a compiled statement. It cannot be copied; leaving scope resets it and clears its
/// parameters, for its next use.
package struct SQLiteStatement<Failure: SQLiteFailure>: ~Copyable {
    package let handle: SQLiteHandle
    private let statement: CompiledStatement
    private let database: SQLiteDatabase<Failure>

    fileprivate init(_ statement: CompiledStatement, _ database: SQLiteDatabase<Failure>) {
        handle = statement.handle
        statement.isInUse = true
        self.statement = statement
        self.database = database
    }

    deinit {
        handle.reset()
        statement.isInUse = false
    }

    package func check(_ code: Int32) throws(Failure) {
        guard code == SQLITE_OK else { throw database.failure(code) }
    }

    // MARK: Running

    /// Advances to the next row; `false` at the end.
    package func step() throws(Failure) -> Bool {
        let code = handle.step()
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw database.failure(code) }
        return false
    }

    /// Runs to the end, ignoring rows.
    package consuming func run() throws(Failure) {
        while try step() {}
    }

    // MARK: Parameters, counted from 1

    package func bind(_ index: Int32, _ value: Int64?) throws(Failure) {
        try check(value.map { handle.bind(index, $0) } ?? handle.bindNull(index))
    }

    package func bind(_ index: Int32, _ value: Int) throws(Failure) {
        try bind(index, Int64(value))
    }

    package func bind(_ index: Int32, _ value: String?) throws(Failure) {
        guard var value else { return try check(handle.bindNull(index)) }
        try check(value.withUTF8 { handle.bind(index, text: UnsafeRawBufferPointer($0)) })
    }

    package func bind(_ index: Int32, _ bytes: [UInt8]) throws(Failure) {
        try check(bytes.withUnsafeBytes { handle.bind(index, bytes: $0) })
    }

    // MARK: Columns, counted from 0

    package func isNull(_ column: Int32) -> Bool { handle.isNull(column) }

    package func integer(_ column: Int32) -> Int64 { handle.integer(column) }

    /// An integer that is within the range of an `Int` unless the file is damaged.
    package func number(_ column: Int32) -> Int { Int(clamping: integer(column)) }

    package func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    package func text(_ column: Int32) -> String {
        String(decoding: handle.text(column), as: UTF8.self)
    }

    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    package func bytes(_ column: Int32) -> [UInt8] { Array(handle.bytes(column)) }
}

/// A compiled statement (`sqlite3_stmt`) that something else finalizes. Its functions return
/// SQLite's result codes.
@usableFromInline
package struct SQLiteHandle {
    @usableFromInline package let pointer: OpaquePointer

    @inlinable
    package init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Advances to the next row (`sqlite3_step`).
    @inlinable
    package func step() -> Int32 { sqlite3_step(pointer) }

    /// Makes it ready for its next use, without parameters (`sqlite3_reset`).
    @inlinable
    package func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    // MARK: Parameters, counted from 1

    @inlinable
    package func bind(_ index: Int32, _ value: Int64) -> Int32 {
        sqlite3_bind_int64(pointer, index, value)
    }

    @inlinable
    package func bind(_ index: Int32, _ value: Double) -> Int32 {
        sqlite3_bind_double(pointer, index, value)
    }

    @inlinable
    package func bindNull(_ index: Int32) -> Int32 { sqlite3_bind_null(pointer, index) }

    /// - Parameter text: UTF-8. An empty text may have no address, which would be NULL.
    @inlinable
    package func bind(_ index: Int32, text: UnsafeRawBufferPointer) -> Int32 {
        let bytes = text.isEmpty ? nil : text.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let bytes else { return sqlite3_bind_text(pointer, index, "", 0, Self.copied) }
        return sqlite3_bind_text64(
            pointer, index, bytes, UInt64(text.count), Self.copied, UInt8(SQLITE_UTF8))
    }

    @inlinable
    package func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) -> Int32 {
        bytes.isEmpty
            ? sqlite3_bind_zeroblob(pointer, index, 0)
            : sqlite3_bind_blob64(
                pointer, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
    }

    /// Has SQLite copy what is bound (`SQLITE_TRANSIENT`, a macro that Swift cannot see).
    @inlinable
    static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Columns, counted from 0

    @inlinable
    package func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

    @inlinable
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(pointer, column) }

    @inlinable
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    @inlinable
    package func real(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    /// The UTF-8 of a text, valid until the next step.
    @inlinable
    package func text(_ column: Int32) -> UnsafeRawBufferPointer {
        // The pointer must be obtained before the length: it determines the encoding.
        let start = sqlite3_column_text(pointer, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The bytes of a blob or a text, valid until the next step.
    @inlinable
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
