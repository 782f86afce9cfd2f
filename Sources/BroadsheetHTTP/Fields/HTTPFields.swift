/// The fields of a message (RFC 9110 §5), in order, in wire format.
///
/// All fields share one buffer (`name: value\r\n…`) with a small table of ranges, so that receiving
/// a head costs one copy and sending one costs one write. Values with CR, LF or other control
/// octets are rejected, and the fields remember the rejection (`rejectedName`), so that no message
/// is sent that silently lacks a field.
///
/// ```swift
/// var fields: HTTPFields = [.contentType: "text/plain", .vary: "Origin"]
/// fields.append(.vary, "Accept-Encoding")
/// fields[.contentType] = "text/html"
/// let varies = fields.list(.vary, has: "accept-encoding")
/// ```
public struct HTTPFields: Sendable {
    /// The fields as sent on the wire, each with its line ending.
    public private(set) var wireBytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The name of the first field whose value was rejected; `nil` if there was none. Such a
    /// message is incomplete and must not be sent.
    public private(set) var rejectedName: String?

    /// Ranges in `wireBytes`.
    struct Entry: Sendable {
        var nameStart: UInt32
        var nameLength: UInt32
        var valueStart: UInt32
        var valueLength: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameStart + nameLength) }

        func moved(by distance: Int) -> Entry {
            var moved = self
            moved.nameStart = UInt32(Int(nameStart) + distance)
            moved.valueStart = UInt32(Int(valueStart) + distance)
            return moved
        }
    }

    public init() {}

    public var count: Int { entries.count }
    public var isEmpty: Bool { entries.isEmpty }

    /// True if a value was rejected (`rejectedName`).
    public var hasRejectedValue: Bool { rejectedName != nil }

    // MARK: Reading

    /// The first value of the name; setting one replaces all of them. An invalid value is rejected,
    /// as by `set`.
    public subscript(name: HTTPFieldName) -> String? {
        get {
            for entry in entries where matches(entry, name) { return text(of: entry) }
            return nil
        }
        set {
            if let newValue { set(name, to: newValue) } else { remove(name) }
        }
    }

    /// All values of the name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        entries.filter { matches($0, name) }.map { text(of: $0) }
    }

    /// The values of the name joined as one list (RFC 9110 §5.3); `nil` if there are none.
    public func combined(_ name: HTTPFieldName) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Lends the octets of the name's first value without creating a string; `nil` without one.
    public func withBytes<Result, Failure>(
        of name: HTTPFieldName,
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let entry = entries.first(where: { matches($0, name) }) else { return nil }
        let value = valueBytes(of: entry)
        return try body(value.span)
    }

    /// Lends the octets of the name's value if it occurs exactly once; `nil` otherwise.
    public func withOnlyBytes<Result, Failure>(
        of name: HTTPFieldName,
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var found: Entry?
        for entry in entries where matches(entry, name) {
            guard found == nil else { return nil }
            found = entry
        }
        guard let found else { return nil }
        let value = valueBytes(of: found)
        return try body(value.span)
    }

    /// The range of the name's first value in `wireBytes`; `nil` without one.
    public func valuePlace(of name: HTTPFieldName) -> Range<Int>? {
        guard let entry = entries.first(where: { matches($0, name) }) else { return nil }
        return Int(entry.valueStart)..<Int(entry.valueStart + entry.valueLength)
    }

    /// Lends the octets of each value of the name in turn.
    func withEachValue(of name: HTTPFieldName, _ body: (borrowing Span<UInt8>) -> Void) {
        for entry in entries where matches(entry, name) {
            let value = valueBytes(of: entry)
            body(value.span)
        }
    }

    public func contains(_ name: HTTPFieldName) -> Bool {
        entries.contains { matches($0, name) }
    }

    /// Returns true if the list in the name's values contains this token, ignoring case (RFC 9110
    /// §5.6.1).
    public func list(_ name: HTTPFieldName, has token: String) -> Bool {
        var isFound = false
        withEachElement(of: name) { element in
            if !isFound, Token.equal(element, token) { isFound = true }
        }
        return isFound
    }

    /// Lends each element of the list in the name's values, without surrounding white space. A
    /// comma in quotation marks also separates elements.
    package func withEachElement(
        of name: HTTPFieldName, _ body: (borrowing Span<UInt8>) -> Void
    ) {
        withEachValue(of: name) { value in
            var start = 0
            // Invariant: the elements before `start` were lent; an element starts at `start`.
            while start < value.count {
                var end = start
                while end < value.count, value[end] != UInt8(ascii: ",") { end += 1 }
                let next = end + 1
                while start < end, Token.isSpace(value[start]) { start += 1 }
                while end > start, Token.isSpace(value[end - 1]) { end -= 1 }
                if start < end { body(value.extracting(start..<end)) }
                start = next
            }
        }
    }

    /// True if `Connection`, `Content-Length`, `Date` or `Transfer-Encoding` may be among the
    /// names. This runs for every response, so it compares only lengths and first letters.
    public var hasFramingFields: Bool {
        for entry in entries {
            let first = Token.lowercase(wireBytes[Int(entry.nameStart)])
            switch entry.nameLength {
            case 4 where first == UInt8(ascii: "d"), 10 where first == UInt8(ascii: "c"),
                14 where first == UInt8(ascii: "c"), 17 where first == UInt8(ascii: "t"):
                return true
            default: continue
            }
        }
        return false
    }

    /// Names and values, in order.
    public var all: [(name: String, value: String)] {
        entries.map { entry in
            (String(decoding: nameBytes(of: entry), as: UTF8.self), text(of: entry))
        }
    }

    /// Lends the ranges of each field's name and value in `wireBytes`, in order.
    package func forEachPlace(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void) {
        for entry in entries {
            let start = Int(entry.valueStart)
            body(entry.name, start..<(start + Int(entry.valueLength)))
        }
    }

    // MARK: Writing

    /// Appends a field after trimming white space from its value.
    /// - Returns: False, without adding anything, if the value has a control octet (RFC 9110 §5.5).
    ///   If the caller ignores this, the sender of the message rejects it (`hasRejectedValue`).
    @discardableResult
    public mutating func append(_ name: HTTPFieldName, _ value: String) -> Bool {
        guard accepts(value, of: name) else { return false }
        if entries.isEmpty { reserveForMessage() }
        let start = wireBytes.count
        wireBytes += name.bytes
        wireBytes.append(UInt8(ascii: ":"))
        wireBytes.append(UInt8(ascii: " "))
        let valueStart = wireBytes.count
        wireBytes += value.trimmed.utf8
        note(start, name.bytes.count, valueStart, wireBytes.count - valueStart)
        return true
    }

    /// Reserves what the fields of most messages take, so that they are allocated once.
    private mutating func reserveForMessage() {
        wireBytes.reserveCapacity(256)
        entries.reserveCapacity(8)
    }

    /// Replaces all fields of the name by one.
    /// - Returns: False, without changing anything, if the value has a control octet; see `append`.
    @discardableResult
    public mutating func set(_ name: HTTPFieldName, to value: String) -> Bool {
        guard accepts(value, of: name) else { return false }
        if contains(name) { remove(name) }
        return append(name, value)
    }

    private mutating func accepts(_ value: String, of name: HTTPFieldName) -> Bool {
        if value.isFieldContent { return true }
        if rejectedName == nil { rejectedName = name.rawValue }
        return false
    }

    /// Appends the other fields in their order.
    public mutating func append(contentsOf other: HTTPFields) {
        adoptRejection(of: other)
        let shift = wireBytes.count
        wireBytes += other.wireBytes
        for entry in other.entries { entries.append(entry.moved(by: shift)) }
    }

    /// Appends those of the other fields whose names are missing here.
    public mutating func appendMissing(from other: HTTPFields) {
        adoptRejection(of: other)
        let own = entries.count
        for index in other.entries.indices {
            let entry = other.entries[index]
            let isHere = entries[..<own].contains { matches($0, other.wireBytes, entry.name) }
            guard !isHere else { continue }
            let line = other.line(at: index)
            entries.append(entry.moved(by: wireBytes.count - line.lowerBound))
            wireBytes += other.wireBytes[line]
        }
    }

    /// Appends the other fields and removes existing ones with the same names.
    public mutating func replace(by other: HTTPFields) {
        for entry in other.entries { removeAll { $0.matches($1, other.wireBytes, entry.name) } }
        append(contentsOf: other)
    }

    /// Removes all fields of the name.
    public mutating func remove(_ name: HTTPFieldName) {
        removeAll { $0.matches($1, name) }
    }

    /// Removes all fields except those with these names.
    public mutating func removeAll(except names: [HTTPFieldName]) {
        removeAll { fields, entry in !names.contains { fields.matches(entry, $0) } }
    }

    private mutating func removeAll(where isUnwanted: (HTTPFields, Entry) -> Bool) {
        // Invariant: the fields from `index` on are kept.
        for index in entries.indices.reversed() where isUnwanted(self, entries[index]) {
            let line = line(at: index)
            wireBytes.removeSubrange(line)
            entries.remove(at: index)
            for later in index..<entries.count {
                entries[later] = entries[later].moved(by: -line.count)
            }
        }
    }

    /// Removes everything but keeps the capacity.
    public mutating func removeAll() {
        wireBytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        rejectedName = nil
    }

    private mutating func adoptRejection(of other: HTTPFields) {
        if rejectedName == nil { rejectedName = other.rejectedName }
    }

    /// Stores field lines that the parser has validated, with one copy for all; the parser then
    /// calls `noteLine` for each of them.
    init(lines: borrowing Span<UInt8>, count: Int) {
        lines.withUnsafeBufferPointer { wireBytes.append(contentsOf: $0) }
        entries.reserveCapacity(count)
    }

    /// Records where the next line has its name and value.
    mutating func noteLine(name: Range<Int>, value: Range<Int>) {
        entries.append(
            Entry(
                nameStart: UInt32(name.lowerBound), nameLength: UInt32(name.count),
                valueStart: UInt32(value.lowerBound), valueLength: UInt32(value.count)))
    }

    private mutating func note(_ start: Int, _ nameLength: Int, _ valueStart: Int, _ length: Int) {
        wireBytes.append(UInt8(ascii: "\r"))
        wireBytes.append(UInt8(ascii: "\n"))
        noteLine(
            name: start..<(start + nameLength), value: valueStart..<(valueStart + length))
    }

    private func matches(_ entry: Entry, _ name: HTTPFieldName) -> Bool {
        matches(entry, name.bytes, 0..<name.bytes.count)
    }

    /// Returns true if the field's name equals these octets, ignoring case.
    private func matches(_ entry: Entry, _ octets: [UInt8], _ name: Range<Int>) -> Bool {
        guard Int(entry.nameLength) == name.count else { return false }
        let start = Int(entry.nameStart)
        // Invariant: the first `index` octets are equal except for case.
        for index in 0..<name.count
        where Token.lowercase(wireBytes[start + index])
            != Token.lowercase(octets[name.lowerBound + index])
        {
            return false
        }
        return true
    }

    /// The range of the whole field with its line ending.
    private func line(at index: Int) -> Range<Int> {
        let end = index + 1 < entries.count ? Int(entries[index + 1].nameStart) : wireBytes.count
        return Int(entries[index].nameStart)..<end
    }

    private func nameBytes(of entry: Entry) -> ArraySlice<UInt8> { wireBytes[entry.name] }

    private func valueBytes(of entry: Entry) -> ArraySlice<UInt8> {
        wireBytes[Int(entry.valueStart)..<Int(entry.valueStart + entry.valueLength)]
    }

    private func text(of entry: Entry) -> String {
        let bytes = valueBytes(of: entry)
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.contains { $0 >= 0x80 } ? text.streamSafe : text
    }
}

extension HTTPFields: Equatable {
    /// Equal names in equal case, and equal values, in the same order; surrounding white space is
    /// ignored.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.count == right.count
            && zip(left.entries, right.entries).allSatisfy {
                left.nameBytes(of: $0) == right.nameBytes(of: $1)
                    && left.valueBytes(of: $0) == right.valueBytes(of: $1)
            }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Fields from a literal in the program; a value with a control octet is rejected, as by
    /// `append`.
    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension String {
    /// True if every octet is allowed in a field value.
    fileprivate var isFieldContent: Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(Token.isFieldContent) }
            ?? utf8.allSatisfy(Token.isFieldContent)
    }

    /// The text without surrounding optional white space (RFC 9110 §5.6.3).
    var trimmed: String {
        guard let first = utf8.first, let last = utf8.last,
            Token.isSpace(first) || Token.isSpace(last)
        else { return self }
        return String(decoding: Token.trim(Array(utf8)[...]), as: UTF8.self)
    }
}
