import ArticleAPI

#if os(Linux)
    import CBroadsheetSQLite
#else
    import SQLite3
#endif

/// One use of a compiled statement. It cannot be copied; leaving scope resets it (`sqlite3_reset`),
/// clears its parameters, and returns it to its connection.
struct DatabaseStatement: ~Copyable {
    private let handle: OpaquePointer
    private let sql: String
    private let connection: DatabaseConnection

    init(_ handle: OpaquePointer, _ sql: String, _ connection: DatabaseConnection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        connection.keep(handle, sql)
    }

    // MARK: Running

    /// Advances to the next row; `false` at the end (`sqlite3_step`).
    func step() throws(ModelStoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return false
    }

    /// Runs to the end, ignoring rows.
    consuming func run() throws(ModelStoreError) {
        while try step() {}
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ value: Int64) throws(ModelStoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: Int) throws(ModelStoreError) {
        try bind(index, Int64(value))
    }

    func bind(_ index: Int32, _ value: Int64?) throws(ModelStoreError) {
        if let value { try bind(index, value) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ value: Timestamp?) throws(ModelStoreError) {
        try bind(index, value?.milliseconds)
    }

    func bind(_ index: Int32, _ value: String?) throws(ModelStoreError) {
        guard var value else { return try check(sqlite3_bind_null(handle, index)) }
        let code = value.withUTF8 { text in
            // An empty text may have no address, which SQLite would treat as NULL.
            text.isEmpty
                ? sqlite3_bind_text(handle, index, "", 0, Self.copied)
                : text.withMemoryRebound(to: CChar.self) { text in
                    sqlite3_bind_text64(
                        handle, index, text.baseAddress, UInt64(text.count), Self.copied,
                        UInt8(SQLITE_UTF8))
                }
        }
        try check(code)
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(ModelStoreError) {
        let code = bytes.withUnsafeBytes { bytes in
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob64(
                    handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
        }
        try check(code)
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>) throws(ModelStoreError) {
        let code = withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
            sqlite3_bind_blob64(
                handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
        }
        try check(code)
    }

    /// SQLITE_TRANSIENT: SQLite makes its own copy of the bytes.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Columns, counted from 0

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// An integer that is within the range of an `Int` unless the file is damaged.
    func number(_ column: Int32) -> Int { Int(clamping: integer(column)) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String {
        // The pointer must be obtained before the length: it determines the encoding.
        guard let pointer = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: pointer, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let pointer = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: pointer, count: count))
    }

    func identifier<Subject>(_ column: Int32) throws(ModelStoreError) -> Identifier<Subject> {
        guard let pointer = sqlite3_column_blob(handle, column),
            sqlite3_column_bytes(handle, column) == 16,
            let id = Identifier<Subject>(
                high: UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        else { throw .damaged("an id is not a UUIDv7") }
        return id
    }

    private func check(_ code: Int32) throws(ModelStoreError) {
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }
}
