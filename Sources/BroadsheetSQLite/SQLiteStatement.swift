import CBroadsheetSQLite

/// One use of a compiled statement. It cannot be copied; leaving scope resets it, clears its
/// parameters, and returns it to its database.
package struct SQLiteStatement<Failure: SQLiteFailure>: ~Copyable {
    package let handle: SQLiteHandle
    private let sql: String
    private let database: SQLiteDatabase<Failure>

    init(_ handle: SQLiteHandle, _ sql: String, _ database: SQLiteDatabase<Failure>) {
        self.handle = handle
        self.sql = sql
        self.database = database
    }

    deinit {
        handle.reset()
        database.keep(handle, sql)
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
