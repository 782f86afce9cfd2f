import ArticleAPI
import ArticleStore
import BroadsheetSQLite
import CBroadsheetSQLite

/// One use of a compiled statement. It cannot be copied; leaving scope resets it (`sqlite3_reset`),
/// clears its bindings, and returns it to its connection.
struct Statement: ~Copyable {
    /// Handles without reference counting: the connection owns those that are not in use, this
    /// value those that are.
    private enum Handle {
        case sqlite(SQLiteHandle)
        case postgres(Unmanaged<PostgresStatement>)
    }

    private let handle: Handle
    private let key: UnsafePointer<UInt8>
    private let connection: Connection

    init(
        _ engine: Connection.Engine, _ handle: OpaquePointer, key: UnsafePointer<UInt8>,
        connection: Connection
    ) {
        switch engine {
        case .sqlite: self.handle = .sqlite(SQLiteHandle(handle))
        case .postgres: self.handle = .postgres(.fromOpaque(UnsafeRawPointer(handle)))
        }
        self.key = key
        self.connection = connection
    }

    deinit {
        switch handle {
        case .sqlite(let handle):
            handle.reset()
            connection.recycle(handle.pointer, key: key)
        case .postgres(let statement):
            statement.takeUnretainedValue().reset()
            connection.recycle(OpaquePointer(statement.toOpaque()), key: key)
        }
    }

    // MARK: Running

    /// Advances to the next row; `false` at the end (`sqlite3_step`).
    func step() throws(StoreError) -> Bool {
        switch handle {
        case .sqlite(let handle):
            let code = handle.step()
            if code == SQLITE_ROW { return true }
            guard code == SQLITE_DONE else { throw failure(code) }
            return false
        case .postgres(let statement): return try statement.takeUnretainedValue().step()
        }
    }

    /// Runs to the end, ignoring rows. On PostgreSQL, a failure may be thrown by a later statement,
    /// or by `Connection.settle`.
    consuming func run() throws(StoreError) {
        if case .postgres(let statement) = handle {
            try statement.takeUnretainedValue().run()
        } else {
            while try step() {}
        }
    }

    /// Runs an INSERT and returns the number of its row (`sqlite3_last_insert_rowid`).
    consuming func insert() throws(StoreError) -> Int64 {
        guard let number = try insertedRow() else { throw .corrupt("nothing was inserted") }
        return number
    }

    /// Runs an INSERT that does nothing if its key exists; returns the number of the inserted row,
    /// or any number if the table has none.
    consuming func insertUnlessTaken() throws(StoreError) -> Int64? { try insertedRow() }

    private func insertedRow() throws(StoreError) -> Int64? {
        switch connection.engine {
        case .sqlite(let file):
            while try step() {}
            return file.database.changedRows > 0 ? file.database.lastInsertedRow : nil
        case .postgres(let session):
            if try step() { return integer(0) }
            return session.changedRows > 0 ? 0 : nil
        }
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        switch handle {
        case .sqlite(let handle): try check(handle.bind(index, value))
        case .postgres(let statement): statement.takeUnretainedValue().bind(index, value)
        }
    }

    func bind(_ index: Int32, _ value: Int) throws(StoreError) {
        try bind(index, Int64(value))
    }

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        if let value { return try bind(index, value) }
        switch handle {
        case .sqlite(let handle): try check(handle.bindNull(index))
        case .postgres(let statement): statement.takeUnretainedValue().bind(index, Int64?.none)
        }
    }

    func bind(_ index: Int32, _ value: Double?) throws(StoreError) {
        switch handle {
        case .sqlite(let handle):
            try check(value.map { handle.bind(index, $0) } ?? handle.bindNull(index))
        case .postgres(let statement): statement.takeUnretainedValue().bind(index, value)
        }
    }

    func bind(_ index: Int32, _ value: Timestamp) throws(StoreError) {
        try bind(index, value.milliseconds)
    }

    func bind(_ index: Int32, _ value: Timestamp?) throws(StoreError) {
        try bind(index, value?.milliseconds)
    }

    func bind(_ index: Int32, _ value: String) throws(StoreError) {
        var value = value
        switch handle {
        case .sqlite(let handle):
            try check(value.withUTF8 { handle.bind(index, text: UnsafeRawBufferPointer($0)) })
        case .postgres(let statement):
            value.withUTF8 { bytes in
                statement.takeUnretainedValue().bind(index, text: UnsafeRawBufferPointer(bytes))
            }
        }
    }

    func bind(_ index: Int32, _ value: String?) throws(StoreError) {
        if let value { return try bind(index, value) }
        switch handle {
        case .sqlite(let handle): try check(handle.bindNull(index))
        case .postgres(let statement): statement.takeUnretainedValue().bind(index, text: nil)
        }
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(StoreError) {
        switch handle {
        case .sqlite(let handle):
            try check(bytes.withUnsafeBytes { handle.bind(index, bytes: $0) })
        case .postgres(let statement):
            bytes.withUnsafeBytes { statement.takeUnretainedValue().bind(index, bytes: $0) }
        }
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>) throws(StoreError) {
        let words = (id.high.bigEndian, id.low.bigEndian)
        switch handle {
        case .sqlite(let handle):
            try check(withUnsafeBytes(of: words) { handle.bind(index, bytes: $0) })
        case .postgres(let statement):
            withUnsafeBytes(of: words) { statement.takeUnretainedValue().bind(index, bytes: $0) }
        }
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>?) throws(StoreError) {
        if let id { return try bind(index, id) }
        switch handle {
        case .sqlite(let handle): try check(handle.bindNull(index))
        case .postgres(let statement): statement.takeUnretainedValue().bind(index, bytes: nil)
        }
    }

    /// Binds the numbers of rows that are read together, which is only done on PostgreSQL.
    func bind(_ index: Int32, numbers: [Int64]) throws(StoreError) {
        guard case .postgres(let statement) = handle else {
            throw .unavailable("programmer error: SQLite has no arrays")
        }
        statement.takeUnretainedValue().bind(index, numbers: numbers)
    }

    /// Binds the identifiers of rows that are read together, which is only done on PostgreSQL.
    func bind<Subject>(_ index: Int32, ids: [Identifier<Subject>]) throws(StoreError) {
        guard case .postgres(let statement) = handle else {
            throw .unavailable("programmer error: SQLite has no arrays")
        }
        statement.takeUnretainedValue().bind(index, ids: ids)
    }

    /// Binds a text that shares its column with bytes, which only SQLite's columns can do: in
    /// PostgreSQL, it is bytes.
    func bind(_ index: Int32, mixed text: String) throws(StoreError) {
        guard case .postgres(let statement) = handle else { return try bind(index, text) }
        var text = text
        text.withUTF8 { bytes in
            statement.takeUnretainedValue().bind(
                index, text: UnsafeRawBufferPointer(bytes), as: .bytes)
        }
    }

    /// Sets the number of rows that will probably be read, before the first one is: PostgreSQL
    /// sends them together.
    func expect(_ rows: Int) {
        guard case .postgres(let statement) = handle else { return }
        statement.takeUnretainedValue().expect(rows)
    }

    /// The rows that follow the current one, as far as PostgreSQL has sent them already.
    func upcoming(_ limit: Int) -> [PostgresRow] {
        guard case .postgres(let statement) = handle else { return [] }
        return statement.takeUnretainedValue().upcoming(limit)
    }

    // MARK: Columns, counted from 0

    func isNull(_ column: Int32) -> Bool {
        switch handle {
        case .sqlite(let handle): handle.isNull(column)
        case .postgres(let statement): statement.takeUnretainedValue().isNull(column)
        }
    }

    /// A number or a truth value; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
        switch handle {
        case .sqlite(let handle): handle.integer(column)
        case .postgres(let statement): statement.takeUnretainedValue().integer(column)
        }
    }

    func optionalReal(_ column: Int32) -> Double? {
        if isNull(column) { return nil }
        return switch handle {
        case .sqlite(let handle): handle.real(column)
        case .postgres(let statement): statement.takeUnretainedValue().real(column)
        }
    }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTime(_ column: Int32) -> Timestamp? { isNull(column) ? nil : time(column) }

    /// The stored bytes of a text, valid until the next step.
    private func utf8(_ column: Int32) -> UnsafeRawBufferPointer {
        switch handle {
        case .sqlite(let handle): handle.text(column)
        case .postgres(let statement): statement.takeUnretainedValue().bytes(column)
        }
    }

    /// The bytes of a blob, valid until the next step.
    private func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        switch handle {
        case .sqlite(let handle): handle.bytes(column)
        case .postgres(let statement): statement.takeUnretainedValue().bytes(column)
        }
    }

    func text(_ column: Int32) -> String {
        if case .postgres(let statement) = handle {
            return statement.takeUnretainedValue().text(column)
        }
        return String(decoding: utf8(column), as: UTF8.self)
    }

    /// Integers from text like `[1,2,3]`.
    func numbers(_ column: Int32) -> [Int64] {
        let text = utf8(column)
        guard text.count > 2 else { return [] }
        var numbers: [Int64] = []
        // Each number takes at least two bytes: a digit, and what follows it.
        numbers.reserveCapacity(text.count / 2)
        var current: Int64 = -1
        // Invariant: `current` is the number formed by the digits directly before this byte;
        // negative if there are none.
        for byte in text {
            if byte >= 48 && byte <= 57 {
                current = max(current, 0) &* 10 &+ Int64(byte - 48)
            } else if current >= 0 {
                numbers.append(current)
                current = -1
            }
        }
        return numbers
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] { Array(blob(column)) }

    func identifier<Subject>(_ column: Int32) throws(StoreError) -> Identifier<Subject> {
        let bytes = blob(column)
        guard bytes.count == 16,
            let id = Identifier<Subject>(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        else { throw .corrupt("an id is not a UUIDv7") }
        return id
    }

    func optionalIdentifier<Subject>(
        _ column: Int32
    ) throws(StoreError) -> Identifier<Subject>? {
        isNull(column) ? nil : try identifier(column)
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The failure of a call of SQLite.
    private func failure(_ code: Int32) -> StoreError {
        switch connection.engine {
        case .sqlite(let file): file.database.failure(code)
        case .postgres: .unavailable("SQLite \(code)")
        }
    }
}

/// The unused compiled statements of a connection, looked up by the address of their SQL: one
/// multiplication and usually one comparison, whereas the hashing of a dictionary would cost as
/// much as the simplest statement.
struct StatementCache {
    /// The statements with the same SQL. There may be several, as a statement can run while an
    /// outer one with the same SQL is being read.
    private struct Entry {
        var text: UnsafePointer<UInt8>?
        var count = 0
        var handles = InlineArray<4, OpaquePointer?>(repeating: nil)
    }

    /// A hash table with open addressing; its size is a power of two and at most half of it is
    /// used.
    private var entries = [Entry](repeating: Entry(), count: 256)
    private var used = 0

    /// Removes and returns an unused statement, if there is one.
    mutating func take(_ text: UnsafePointer<UInt8>) -> OpaquePointer? {
        let slot = probe(for: text)
        let count = entries[slot].count
        guard count > 0 else { return nil }
        entries[slot].count = count - 1
        return entries[slot].handles[count - 1]
    }

    /// Adds a reset statement; `false` if there are enough of its kind.
    mutating func keep(_ statement: OpaquePointer, _ text: UnsafePointer<UInt8>) -> Bool {
        var slot = probe(for: text)
        if entries[slot].text == nil {
            if used * 2 >= entries.count { grow() }
            slot = probe(for: text)
            entries[slot].text = text
            used += 1
        }
        let count = entries[slot].count
        guard count < 4 else { return false }
        entries[slot].handles[count] = statement
        entries[slot].count = count + 1
        return true
    }

    /// Passes on all of them, and forgets them.
    mutating func removeAll(_ finalize: (OpaquePointer) -> Void) {
        for entry in entries {
            for index in 0..<entry.count { entry.handles[index].map(finalize) }
        }
        entries = []
    }

    /// The text's slot, or the free slot where it belongs.
    private func probe(for text: UnsafePointer<UInt8>) -> Int {
        let mask = entries.count - 1
        let mixed = UInt(bitPattern: text) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(mixed >> 40) & mask
        // Invariant: there is no free slot between the text's first slot and `slot`.
        while let other = entries[slot].text, other != text { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: old.count * 2)
        for entry in old {
            guard let text = entry.text else { continue }
            entries[probe(for: text)] = entry
        }
    }
}
