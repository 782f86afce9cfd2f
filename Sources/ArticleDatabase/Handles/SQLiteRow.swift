import ArticleStore
import CBroadsheetSQLite

/// A statement that reads or writes whole rows of any table, in `RowFormat`. It cannot be copied;
/// leaving scope finalizes it (`sqlite3_finalize`).
struct SQLiteRowStatement: ~Copyable {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase
    private let parameters: [RowFormat.Kind]
    private let columns: [RowFormat.Kind]

    /// - Parameters:
    ///   - parameters: the kinds of its parameters, which are `?1` and so on.
    ///   - columns: the kinds of its columns.
    init(
        _ text: String, parameters: [RowFormat.Kind] = [], columns: [RowFormat.Kind] = [],
        on database: SQLiteDatabase
    ) throws(StoreError) {
        handle = try database.prepare(text: text)
        self.database = database
        self.parameters = parameters
        self.columns = columns
    }

    deinit { sqlite3_finalize(handle) }

    /// Advances to the next row; `false` at the end.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw database.failure(code) }
        return false
    }

    /// Makes it ready for the next use.
    func reset() { sqlite3_reset(handle) }

    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

    /// Replaces the content of `row` with the current row.
    func read(into row: inout [UInt8]) {
        RowFormat.begin(&row, fields: columns.count)
        for (index, kind) in columns.enumerated() { append(Int32(index), kind, to: &row) }
    }

    private func append(_ column: Int32, _ kind: RowFormat.Kind, to row: inout [UInt8]) {
        let type = sqlite3_column_type(handle, column)
        guard type != SQLITE_NULL else { return RowFormat.appendNull(to: &row) }
        switch kind {
        case .integer: RowFormat.append(sqlite3_column_int64(handle, column), to: &row)
        case .real: RowFormat.append(sqlite3_column_double(handle, column), to: &row)
        case .bytes: RowFormat.append(bytes: blob(column), to: &row)
        case .text, .mixed:
            let bytes = blob(column)
            guard type == SQLITE_TEXT, let encoded = PostgresText.encoded(bytes) else {
                return RowFormat.append(bytes: bytes, to: &row)
            }
            encoded.withUnsafeBytes { RowFormat.append(bytes: $0, to: &row) }
        }
    }

    /// The bytes of a text or a blob, valid until the next step.
    private func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let pointer = sqlite3_column_blob(handle, column)
        let count = pointer == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: pointer, count: count)
    }

    /// Runs it once, with the fields of a row as its parameters.
    func run(with row: UnsafeRawBufferPointer) throws(StoreError) {
        try bind(row)
        while try step() {}
        reset()
    }

    func bind(_ row: [UInt8]) throws(StoreError) {
        let result: Result<Void, StoreError> = row.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try bind(bytes) }
        }
        try result.get()
    }

    /// Binds the fields of a row.
    func bind(_ row: UnsafeRawBufferPointer) throws(StoreError) {
        guard let fields = RowFormat.fields(of: row), fields.count == parameters.count else {
            throw .corrupt("a row has another number of columns than its table")
        }
        for (index, kind) in parameters.enumerated() {
            let code = bind(Int32(index + 1), kind, fields[index], in: fields)
            guard code == SQLITE_OK else { throw database.failure(code) }
        }
    }

    private func bind(
        _ index: Int32, _ kind: RowFormat.Kind, _ field: UnsafeRawBufferPointer?,
        in fields: [UnsafeRawBufferPointer?]
    ) -> Int32 {
        guard let field else { return sqlite3_bind_null(handle, index) }
        switch kind {
        case .integer: return sqlite3_bind_int64(handle, index, RowFormat.integer(field))
        case .real:
            let bits = UInt64(bitPattern: RowFormat.integer(field))
            return sqlite3_bind_double(handle, index, Double(bitPattern: bits))
        case .bytes: return bind(index, bytes: field)
        case .text: return bind(index, text: field)
        case .mixed(let other, let value):
            return RowFormat.integer(fields[other]) == value
                ? bind(index, bytes: field) : bind(index, text: field)
        }
    }

    private func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) -> Int32 {
        bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : csqlite_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
    }

    private func bind(_ index: Int32, text: UnsafeRawBufferPointer) -> Int32 {
        guard let decoded = PostgresText.decodedBytes(text) else {
            // Without an address, it would be NULL.
            return text.isEmpty
                ? csqlite_bind_text(handle, index, "", 0)
                : csqlite_bind_text(handle, index, text.baseAddress, UInt64(text.count))
        }
        return csqlite_bind_text(handle, index, decoded, UInt64(decoded.count))
    }
}
