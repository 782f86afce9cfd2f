/// The fields of a message (RFC 9110 §5), in order, in the form of the wire.
///
/// All of them stand in one buffer (`name: value\r\n…`) with a small table of places, so that a
/// received head costs one copy and an answer's head is written by one. A field with CR, LF or
/// another control octet cannot be put in: such a value is rejected, and the fields remember it
/// (`hasRejectedValue`), so that no message goes out that silently lacks one of its fields.
public struct HTTPFields: Sendable {
    /// The fields as they go on the wire, each with its end of line.
    public private(set) var wireBytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether a value was to be put in that cannot stand in a field: the message is not what its
    /// author meant, and must not be sent.
    public private(set) var hasRejectedValue = false

    /// Places in `wireBytes`.
    struct Entry: Sendable {
        var nameStart: UInt32
        var nameLength: UInt32
        var valueStart: UInt32
        var valueLength: UInt32
    }

    public init() {}

    public var count: Int { entries.count }
    public var isEmpty: Bool { entries.isEmpty }

    // MARK: Reading

    /// The first value of the name; setting one replaces all of them. A value that cannot stand in
    /// a field is rejected, as by `set`.
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

    /// The values of the name as one list (RFC 9110 §5.3); `nil` if there is none.
    public func combined(_ name: HTTPFieldName) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Lends the octets of the name's first value and makes no text of them; `nil` without one.
    public func withBytes<Result, Failure>(
        of name: HTTPFieldName,
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let entry = entries.first(where: { matches($0, name) }) else { return nil }
        let value = valueBytes(of: entry)
        return try body(value.span)
    }

    /// Lends the octets of the name's value where it stands exactly once; `nil` otherwise.
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

    /// Where the name's first value stands in `wireBytes`; `nil` without one.
    public func valuePlace(of name: HTTPFieldName) -> Range<Int>? {
        guard let entry = entries.first(where: { matches($0, name) }) else { return nil }
        return Int(entry.valueStart)..<Int(entry.valueStart + entry.valueLength)
    }

    /// Lends the octets of all values of the name, one after the other.
    func withEachValue(of name: HTTPFieldName, _ body: (borrowing Span<UInt8>) -> Void) {
        for entry in entries where matches(entry, name) {
            let value = valueBytes(of: entry)
            body(value.span)
        }
    }

    public func contains(_ name: HTTPFieldName) -> Bool {
        entries.contains { matches($0, name) }
    }

    /// Whether the list in the name's values has this token, in any case (RFC 9110 §5.6.1).
    public func list(_ name: HTTPFieldName, has token: String) -> Bool {
        entries.contains { entry in
            guard matches(entry, name) else { return false }
            return valueBytes(of: entry).split(separator: UInt8(ascii: ",")).contains {
                Token.equal(Token.trim($0), token.utf8)
            }
        }
    }

    /// Whether `Connection`, `Content-Length`, `Date` or `Transfer-Encoding` may be among the
    /// names: told by lengths and first letters, as it is asked of every answer.
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

    // MARK: Writing

    /// Adds a field behind the others, without white space at the ends of its value.
    /// - Returns: false, and nothing added, if the value has a control octet (RFC 9110 §5.5); who
    ///   does not look at it, leaves it to who sends the message (`hasRejectedValue`).
    @discardableResult
    public mutating func append(_ name: HTTPFieldName, _ value: String) -> Bool {
        guard accepts(value) else { return false }
        let start = wireBytes.count
        wireBytes += name.bytes
        wireBytes.append(UInt8(ascii: ":"))
        wireBytes.append(UInt8(ascii: " "))
        let valueStart = wireBytes.count
        wireBytes += value.trimmed.utf8
        note(start, name.bytes.count, valueStart, wireBytes.count - valueStart)
        return true
    }

    /// Replaces all fields of the name by one.
    /// - Returns: false, and no field changed, if the value has a control octet; as with `append`.
    @discardableResult
    public mutating func set(_ name: HTTPFieldName, to value: String) -> Bool {
        guard accepts(value) else { return false }
        if contains(name) { remove(name) }
        return append(name, value)
    }

    private mutating func accepts(_ value: String) -> Bool {
        if value.isFieldContent { return true }
        hasRejectedValue = true
        return false
    }

    /// Adds other fields behind these, in their order.
    public mutating func append(contentsOf other: HTTPFields) {
        if other.hasRejectedValue { hasRejectedValue = true }
        let shift = wireBytes.count
        wireBytes += other.wireBytes
        for entry in other.entries {
            let name = Int(entry.nameStart) + shift
            let value = Int(entry.valueStart) + shift
            noteLine(
                name: name..<(name + Int(entry.nameLength)),
                value: value..<(value + Int(entry.valueLength)))
        }
    }

    /// Takes all fields of the name away.
    public mutating func remove(_ name: HTTPFieldName) {
        guard contains(name) else { return }
        let old = self
        removeAll()
        hasRejectedValue = old.hasRejectedValue
        for entry in old.entries where !old.matches(entry, name) {
            let start = wireBytes.count
            let from = Int(entry.nameStart)
            let end = Int(entry.valueStart + entry.valueLength)
            wireBytes += old.wireBytes[from..<end]
            let shift = start - from
            note(
                start, Int(entry.nameLength), Int(entry.valueStart) + shift,
                Int(entry.valueLength))
        }
    }

    /// Takes everything away and keeps the room.
    public mutating func removeAll() {
        wireBytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        hasRejectedValue = false
    }

    /// The fields in lines that the parser has checked, which it then tells one by one
    /// (`noteLine`): one copy for all.
    init(lines: borrowing Span<UInt8>, count: Int) {
        lines.withUnsafeBufferPointer { wireBytes.append(contentsOf: $0) }
        entries.reserveCapacity(count)
    }

    /// Tells where the next line has its name and value.
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
        guard Int(entry.nameLength) == name.bytes.count else { return false }
        let start = Int(entry.nameStart)
        // Invariant: the first `index` octets are the same but for case.
        for index in 0..<name.bytes.count
        where Token.lowercase(wireBytes[start + index]) != Token.lowercase(name.bytes[index]) {
            return false
        }
        return true
    }

    private func nameBytes(of entry: Entry) -> ArraySlice<UInt8> {
        wireBytes[Int(entry.nameStart)..<Int(entry.nameStart + entry.nameLength)]
    }

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
    /// The same names, as written, and values in the same order; white space around them is
    /// nothing.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.count == right.count
            && zip(left.entries, right.entries).allSatisfy {
                left.nameBytes(of: $0) == right.nameBytes(of: $1)
                    && left.valueBytes(of: $0) == right.valueBytes(of: $1)
            }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Fields that the program writes down; a value with a control octet is rejected, as by
    /// `append`.
    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension String {
    /// Whether every octet may stand in a field's value.
    fileprivate var isFieldContent: Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(Token.isFieldContent) }
            ?? utf8.allSatisfy(Token.isFieldContent)
    }

    /// Without optional white space at both ends (RFC 9110 §5.6.3).
    var trimmed: String {
        guard let first = utf8.first, let last = utf8.last,
            Token.isSpace(first) || Token.isSpace(last)
        else { return self }
        return String(decoding: Token.trim(Array(utf8)[...]), as: UTF8.self)
    }
}
