import ArticleAPI
import ArticleStore
import CSQLite

/// One use of a compiled statement. It cannot be copied; leaving scope resets it (`sqlite3_reset`),
/// clears its bindings, and returns it to its connection.
struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let key: UnsafePointer<UInt8>
    private let connection: Connection

    init(_ handle: OpaquePointer, key: UnsafePointer<UInt8>, connection: Connection) {
        self.handle = handle
        self.key = key
        self.connection = connection
    }

    deinit {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        connection.recycle(handle, key: key)
    }

    // MARK: Running

    /// Advances to the next row; `false` at the end (`sqlite3_step`).
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw connection.failure(code) }
        return false
    }

    /// Runs to the end, ignoring rows.
    consuming func run() throws(StoreError) {
        while try step() {}
    }

    /// Runs an INSERT and returns the number of its row (`sqlite3_last_insert_rowid`).
    consuming func insert() throws(StoreError) -> Int64 {
        while try step() {}
        return connection.lastInsertedRow
    }

    /// Runs an INSERT that does nothing if its key exists; returns the number of the inserted row
    /// (`sqlite3_changes`).
    consuming func insertUnlessTaken() throws(StoreError) -> Int64? {
        while try step() {}
        return connection.changedRows > 0 ? connection.lastInsertedRow : nil
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: Int) throws(StoreError) {
        try bind(index, Int64(value))
    }

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        if let value { try bind(index, value) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ value: Double?) throws(StoreError) {
        if let value {
            try check(sqlite3_bind_double(handle, index, value))
        } else {
            try check(sqlite3_bind_null(handle, index))
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
        let code = value.withUTF8 { bytes in
            // An empty string may have no address, which SQLite would treat as NULL.
            bytes.isEmpty
                ? csqlite_bind_text(handle, index, "", 0)
                : csqlite_bind_text(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
        try check(code)
    }

    func bind(_ index: Int32, _ value: String?) throws(StoreError) {
        if let value { try bind(index, value) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(StoreError) {
        let code = bytes.withUnsafeBufferPointer { buffer in
            buffer.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : csqlite_bind_blob(handle, index, buffer.baseAddress, UInt64(buffer.count))
        }
        try check(code)
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>) throws(StoreError) {
        let words = (id.high.bigEndian, id.low.bigEndian)
        let code = withUnsafeBytes(of: words) {
            csqlite_bind_blob(handle, index, $0.baseAddress, 16)
        }
        try check(code)
    }

    func bind<Subject>(_ index: Int32, _ id: Identifier<Subject>?) throws(StoreError) {
        if let id { try bind(index, id) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    // MARK: Columns, counted from 0

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalReal(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTime(_ column: Int32) -> Timestamp? { isNull(column) ? nil : time(column) }

    func text(_ column: Int32) -> String {
        // The pointer must be obtained before the length: it determines the encoding.
        guard let pointer = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: pointer, count: count), as: UTF8.self)
    }

    /// Integers from text like `[1,2,3]`.
    func numbers(_ column: Int32) -> [Int64] {
        guard let pointer = sqlite3_column_text(handle, column) else { return [] }
        let text = UnsafeBufferPointer(
            start: pointer, count: Int(sqlite3_column_bytes(handle, column)))
        var numbers: [Int64] = []
        var current: Int64?
        // Invariant: `current` is the number formed by the digits directly before this byte, if
        // there are any.
        for byte in text {
            if byte >= 48 && byte <= 57 {
                current = (current ?? 0) &* 10 &+ Int64(byte - 48)
            } else if let number = current {
                numbers.append(number)
                current = nil
            }
        }
        return numbers
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let pointer = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: pointer, count: count))
    }

    func identifier<Subject>(_ column: Int32) throws(StoreError) -> Identifier<Subject> {
        guard let pointer = sqlite3_column_blob(handle, column),
            sqlite3_column_bytes(handle, column) == 16,
            let id = Identifier<Subject>(
                high: UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        else { throw .corrupt("an id is not a UUIDv7") }
        return id
    }

    func optionalIdentifier<Subject>(
        _ column: Int32
    ) throws(StoreError) -> Identifier<Subject>? {
        isNull(column) ? nil : try identifier(column)
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw connection.failure(code) }
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

    /// Finalizes all of them (`sqlite3_finalize`).
    mutating func finalizeAll() {
        for entry in entries {
            for index in 0..<entry.count { sqlite3_finalize(entry.handles[index]) }
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
