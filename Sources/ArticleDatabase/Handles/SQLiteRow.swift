import ArticleStore
import BroadsheetSQLite
import CBroadsheetSQLite

/// A statement that reads or writes whole rows of any table, in `RowFormat`. It cannot be copied;
/// leaving scope resets it.
struct SQLiteRowStatement: ~Copyable {
    private let statement: SQLiteStatement<StoreError>
    private let parameters: [RowFormat.Kind]
    private let columns: [RowFormat.Kind]

    /// - Parameters:
    ///   - parameters: the kinds of its parameters, which are `?1` and so on.
    ///   - columns: the kinds of its columns.
    init(
        _ text: String, parameters: [RowFormat.Kind] = [], columns: [RowFormat.Kind] = [],
        on database: SQLiteDatabase<StoreError>
    ) throws(StoreError) {
        statement = try database.statement(text)
        self.parameters = parameters
        self.columns = columns
    }

    /// Advances to the next row; `false` at the end.
    func step() throws(StoreError) -> Bool { try statement.step() }

    /// Makes it ready for the next use.
    func reset() { statement.handle.reset() }

    /// Replaces the content of `row` with the current row.
    func read(into row: inout [UInt8]) {
        RowFormat.begin(&row, fields: columns.count)
        for (index, kind) in columns.enumerated() { append(Int32(index), kind, to: &row) }
    }

    private func append(_ column: Int32, _ kind: RowFormat.Kind, to row: inout [UInt8]) {
        let handle = statement.handle
        let type = handle.type(column)
        guard type != SQLITE_NULL else { return RowFormat.appendNull(to: &row) }
        switch kind {
        case .integer: RowFormat.append(handle.integer(column), to: &row)
        case .real: RowFormat.append(handle.real(column), to: &row)
        case .bytes: RowFormat.append(bytes: handle.bytes(column), to: &row)
        case .text, .mixed:
            let bytes = handle.bytes(column)
            guard type == SQLITE_TEXT, let encoded = PostgresText.encoded(bytes) else {
                return RowFormat.append(bytes: bytes, to: &row)
            }
            encoded.withUnsafeBytes { RowFormat.append(bytes: $0, to: &row) }
        }
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
            try statement.check(bind(Int32(index + 1), kind, fields[index], in: fields))
        }
    }

    private func bind(
        _ index: Int32, _ kind: RowFormat.Kind, _ field: UnsafeRawBufferPointer?,
        in fields: [UnsafeRawBufferPointer?]
    ) -> Int32 {
        let handle = statement.handle
        guard let field else { return handle.bindNull(index) }
        switch kind {
        case .integer: return handle.bind(index, RowFormat.integer(field))
        case .real:
            let bits = UInt64(bitPattern: RowFormat.integer(field))
            return handle.bind(index, Double(bitPattern: bits))
        case .bytes: return handle.bind(index, bytes: field)
        case .text: return bind(index, text: field)
        case .mixed(let other, let value):
            return RowFormat.integer(fields[other]) == value
                ? handle.bind(index, bytes: field) : bind(index, text: field)
        }
    }

    private func bind(_ index: Int32, text: UnsafeRawBufferPointer) -> Int32 {
        guard let decoded = PostgresText.decodedBytes(text) else {
            return statement.handle.bind(index, text: text)
        }
        return decoded.withUnsafeBytes { statement.handle.bind(index, text: $0) }
    }
}
