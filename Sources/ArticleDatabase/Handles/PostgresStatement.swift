import ArticleAPI
import ArticleStore

/// One use after another of a query: parameters, and the rows that it returns.
///
/// Results are complete, so that statements can be executed while others are being read. Of a query
/// without a limit, the first rows are read at once; a cursor of the same transaction reads further
/// ones.
final class PostgresStatement {
    private let session: PostgresSession
    private let all: PostgresQuery
    /// The variant in use.
    private var query: PostgresQuery
    private var parameters: PostgresParameters
    private var result: PostgresResult?
    /// The current row of the result.
    private var row: Int32 = -1
    private var cursor: Cursor?
    /// True if rows may follow those of the result.
    private var hasMore = false

    private struct Cursor {
        let name: String
        let transaction: Int
    }

    private static let fetchedRows = 512

    init(_ sql: StaticString, on session: PostgresSession) {
        self.session = session
        all = session.query(sql)
        query = all
        parameters = PostgresParameters(query.parameters)
    }

    /// Makes it ready for the next use.
    func reset() {
        // A cursor ends with its transaction.
        if let cursor, cursor.transaction == session.transactions, session.isInGoodTransaction {
            _ = try? session.run("CLOSE \(cursor.name)")
        }
        cursor = nil
        result = nil
        row = -1
        hasMore = false
        query = all
        parameters.clear()
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ value: Int64?) {
        guard var value = value?.bigEndian else { return parameters.set(index, .integer, nil) }
        withUnsafeBytes(of: &value) { parameters.set(index, .integer, $0) }
    }

    func bind(_ index: Int32, _ value: Double?) {
        guard var bits = value?.bitPattern.bigEndian else {
            return parameters.set(index, .real, nil)
        }
        withUnsafeBytes(of: &bits) { parameters.set(index, .real, $0) }
    }

    /// - Parameter kind: `bytes` if the column also has other bytes than texts.
    func bind(
        _ index: Int32, text: UnsafeRawBufferPointer?, as kind: PostgresParameters.Kind = .text
    ) {
        guard let encoded = text.flatMap(PostgresText.encoded) else {
            return parameters.set(index, kind, text)
        }
        encoded.withUnsafeBytes { parameters.set(index, kind, $0) }
    }

    func bind(_ index: Int32, numbers: [Int64]) {
        bind(index, .integers, of: .integer, numbers.map(\.bigEndian))
    }

    func bind<Subject>(_ index: Int32, ids: [Identifier<Subject>]) {
        bind(
            index, .listOfBytes, of: .bytes,
            ids.map { SIMD2($0.high.bigEndian, $0.low.bigEndian) })
    }

    /// Binds an array of one dimension (`array_recv`).
    ///
    /// - Parameter elements: as they are sent.
    private func bind<Element: BitwiseCopyable>(
        _ index: Int32, _ kind: PostgresParameters.Kind, of type: PostgresParameters.Kind,
        _ elements: [Element]
    ) {
        // Dimensions, whether there are NULLs, the type; then the length and the first index.
        let header = [1, 0, Int32(bitPattern: type.rawValue), Int32(elements.count), 1]
        let size = Int32(MemoryLayout<Element>.size)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * header.count + (4 + Int(size)) * elements.count)
        for word in header { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        for element in elements {
            withUnsafeBytes(of: size.bigEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: element) { bytes.append(contentsOf: $0) }
        }
        bytes.withUnsafeBytes { parameters.set(index, kind, $0) }
    }

    func bind(_ index: Int32, bytes: UnsafeRawBufferPointer?) {
        parameters.set(index, .bytes, bytes)
    }

    // MARK: Running

    /// Sets the number of rows that will probably be read, before the first one is.
    func expect(_ rows: Int) { query = all.expecting(rows) }

    /// Runs to the end, ignoring rows. A write is only sent: `PostgresSession.settle` throws its
    /// failure.
    func run() throws(StoreError) {
        guard query.isWrite, result == nil else {
            while try step() {}
            return
        }
        try session.send(query, parameters)
    }

    /// Advances to the next row; `false` at the end.
    func step() throws(StoreError) -> Bool {
        guard let result else {
            let first = try session.execute(query, parameters)
            self.result = first
            hasMore = query.unlimited != nil && first.rows == query.firstRows
            row = 0
            return first.rows > 0
        }
        row += 1
        if row < result.rows { return true }
        guard hasMore else { return false }
        return try fetch()
    }

    /// Reads further rows.
    private func fetch() throws(StoreError) -> Bool {
        let cursor: Cursor
        if let open = self.cursor { cursor = open } else { cursor = try openCursor() }
        let next = try session.execute(
            once: "FETCH \(Self.fetchedRows) FROM \(cursor.name)", PostgresParameters([]))
        result = next
        hasMore = next.rows == Self.fetchedRows
        row = 0
        return next.rows > 0
    }

    private func openCursor() throws(StoreError) -> Cursor {
        guard let text = query.unlimited else { throw .corrupt("the query has a limit") }
        let cursor = Cursor(name: session.nextCursor(), transaction: session.transactions)
        _ = try session.execute(
            once: "DECLARE \(cursor.name) NO SCROLL CURSOR FOR \(text) "
                + "OFFSET \(query.firstRows)", parameters)
        self.cursor = cursor
        return cursor
    }

    /// The rows that follow the current one, as far as they have been read, and at most this many.
    func upcoming(_ limit: Int) -> [PostgresRow] {
        guard let result, limit > 0, row + 1 < result.rows else { return [] }
        let end = min(Int32(clamping: Int(row) + 1 + limit), result.rows)
        return (row + 1..<end).map { PostgresRow(result: result, number: $0) }
    }

    // MARK: Columns of the current row, counted from 0

    func isNull(_ column: Int32) -> Bool { result?.isNull(row, column) ?? true }

    func integer(_ column: Int32) -> Int64 { result?.integer(row, column) ?? 0 }

    func real(_ column: Int32) -> Double { result?.real(row, column) ?? 0 }

    func text(_ column: Int32) -> String { PostgresText.decoded(bytes(column)) }

    /// Valid until the statement is stepped or reset.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        result?.bytes(row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
