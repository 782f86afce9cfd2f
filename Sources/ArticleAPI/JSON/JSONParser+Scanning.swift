/// Decodes typed values directly from valid text, without intermediate values. For anything else
/// the result is `nil`, and the caller reads the whole text again by way of `JSONValue`, which can
/// report the fault and its place.
extension JSONParser {
    /// The value of a whole text.
    static func scan<Value>(
        _ bytes: [UInt8], limitValues: Int = Self.limitValues, _ scan: (inout JSONParser) -> Value?
    ) -> Value? {
        var parser = JSONParser(bytes, limitValues: limitValues)
        parser.skipWhitespace()
        guard let value = scan(&parser) else { return nil }
        parser.skipWhitespace()
        return parser.position == bytes.count ? value : nil
    }

    /// Skips this byte; false if the next byte is another one.
    @inline(__always)
    mutating func takes(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips these bytes; false if the next bytes are others.
    @inline(__always)
    mutating func takes(_ expected: [UInt8]) -> Bool {
        guard stands(expected) else { return false }
        position += expected.count
        return true
    }

    /// Returns true if these are the next bytes.
    @inline(__always)
    func stands(_ expected: [UInt8]) -> Bool {
        let count = expected.count
        guard count <= bytes.count - position else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            expected.withUnsafeBufferPointer { expected in
                // Invariant: the first `index` bytes are the same.
                for index in 0..<count where bytes[position + index] != expected[index] {
                    return false
                }
                return true
            }
        }
    }

    /// Counts a value; false if the text has too many.
    @inline(__always)
    mutating func takesValue() -> Bool {
        guard valuesLeft > 0 else { return false }
        valuesLeft -= 1
        return true
    }

    mutating func takesNull() -> Bool {
        guard takes(Self.null) else { return false }
        return takesValue()
    }

    private static let null = Array("null".utf8)
    private static let isTrue = Array("true".utf8)
    private static let isFalse = Array("false".utf8)

    mutating func scanBoolean() -> Bool? {
        guard takesValue() else { return nil }
        if takes(Self.isTrue) { return true }
        return takes(Self.isFalse) ? false : nil
    }

    /// A string, and whether it is known to be ASCII.
    mutating func scanText() -> (text: String, isASCII: Bool)? {
        let quote = UInt8(ascii: "\"")
        guard takesValue(), position < bytes.count, bytes[position] == quote else { return nil }
        let run = endOfRun(from: position + 1)
        guard run.isASCII, run.end < bytes.count, bytes[run.end] == quote else {
            return (try? string()).map { ($0, false) }
        }
        let text = bytes.withUnsafeBufferPointer { bytes in
            String(
                decoding: UnsafeBufferPointer(rebasing: bytes[position + 1..<run.end]),
                as: UTF8.self)
        }
        position = run.end + 1
        return (text, true)
    }

    /// A string in Unicode NFC, which ASCII is already.
    mutating func scanNormalizedText() -> String? {
        guard let (text, isASCII) = scanText() else { return nil }
        return isASCII ? text : text.inNFC
    }

    /// A value made from a string's bytes, if they contain no escapes.
    mutating func scanPlain<Value>(_ make: (borrowing Span<UInt8>) -> Value?) -> Value? {
        guard takesValue(), takes(UInt8(ascii: "\"")) else { return nil }
        let start = position
        position = endOfRun(from: start).end
        let end = position
        guard takes(UInt8(ascii: "\"")) else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            make(Span(_unsafeElements: UnsafeBufferPointer(rebasing: bytes[start..<end])))
        }
    }

    /// An integer of at most 18 digits.
    mutating func scanInteger() -> Int? {
        guard takesValue() else { return nil }
        let isNegative = takes(UInt8(ascii: "-"))
        let start = position
        var value: Int64 = 0
        while position < bytes.count, bytes[position] &- 48 < 10, position - start < 18 {
            value = value * 10 + Int64(bytes[position] - 48)
            position += 1
        }
        guard position > start, bytes[start] != 48 || position == start + 1 else { return nil }
        // A fraction, an exponent or another digit fails where `,` or `}` is expected.
        return Int(exactly: isNegative ? -value : value)
    }

    /// The items of an array.
    mutating func scanItems<Item>(_ scan: (inout JSONParser) -> Item?) -> [Item]? {
        guard takesValue(), depth < Self.limitDepth, takes(UInt8(ascii: "[")) else { return nil }
        depth += 1
        defer { depth -= 1 }
        skipWhitespace()
        var items: [Item] = []
        if takes(UInt8(ascii: "]")) { return items }
        items.reserveCapacity(4)
        // Invariant: `position` is at an item.
        while true {
            guard let item = scan(&self) else { return nil }
            items.append(consume item)
            skipWhitespace()
            if takes(UInt8(ascii: "]")) { return items }
            guard takes(UInt8(ascii: ",")) else { return nil }
            skipWhitespace()
        }
    }
}

/// Reads the members of one object directly from the text, in the order of a codec's fields.
///
/// It fails for members in another order or with duplicate names; these are read by way of
/// `JSONValue`.
struct MemberScanner {
    private let names: MemberNames
    /// The field to be read next.
    private var next = 0
    private var unknown: [String] = []
    private var isClosed = false
    /// True if reading failed, so that none of the values read may be used.
    private(set) var hasFailed = false

    /// The limit on unknown names in one object; with more of them, it is read as a `JSONValue`.
    private static let limitUnknown = 32

    init(_ names: MemberNames) { self.names = names }

    /// Enters the object.
    mutating func open(_ parser: inout JSONParser) -> Bool {
        guard parser.takesValue(), parser.depth < JSONParser.limitDepth,
            parser.takes(UInt8(ascii: "{"))
        else { return false }
        parser.depth += 1
        parser.skipWhitespace()
        isClosed = parser.takes(UInt8(ascii: "}"))
        return true
    }

    /// Leaves the object, skipping unknown members; false if reading failed.
    mutating func close(_ parser: inout JSONParser) -> Bool {
        while !isClosed, !hasFailed { skipUnknown(&parser) }
        parser.depth -= 1
        return !hasFailed
    }

    /// Returns true if the value of the next field is at this position.
    @inline(__always)
    mutating func reaches(_ parser: inout JSONParser) -> Bool {
        let field = next
        next += 1
        return isAt(field, &parser) || reachesLater(field, &parser)
    }

    /// Reads the value at this position.
    @inline(__always)
    mutating func value<Value>(
        _ parser: inout JSONParser, _ scan: (inout JSONParser) -> Value?
    ) throws(ReportedInvalidPart) -> Value {
        guard let value = scan(&parser) else { throw ReportedInvalidPart() }
        leave(&parser)
        return value
    }

    /// The value of the next field, which must be present.
    @inline(__always)
    mutating func required<Value>(
        _ parser: inout JSONParser, _ scan: (inout JSONParser) -> Value?
    ) throws(ReportedInvalidPart) -> Value {
        guard reaches(&parser) else { throw ReportedInvalidPart() }
        return try value(&parser, scan)
    }

    /// The value of the next field; `nil` if it is absent or `null`.
    @inline(__always)
    mutating func optional<Value>(
        _ parser: inout JSONParser, _ scan: (inout JSONParser) -> Value?
    ) throws(ReportedInvalidPart) -> Value? {
        guard reaches(&parser), !hasNull(&parser) else { return nil }
        return try value(&parser, scan)
    }

    /// Skips `null` at this position; false if the value is not `null`.
    mutating func hasNull(_ parser: inout JSONParser) -> Bool {
        guard parser.takesNull() else { return false }
        leave(&parser)
        return true
    }

    /// Skips the separator between a member's value and the next member.
    @inline(__always)
    private mutating func leave(_ parser: inout JSONParser) {
        parser.skipWhitespace()
        if parser.takes(UInt8(ascii: ",")) {
            parser.skipWhitespace()
        } else if parser.takes(UInt8(ascii: "}")) {
            isClosed = true
        } else {
            hasFailed = true
        }
    }

    @inline(__always)
    private func isAt(_ field: Int, _ parser: inout JSONParser) -> Bool {
        guard !isClosed, names.stands(field, in: parser) else { return false }
        parser.position += names.length(of: field)
        parser.skipWhitespace()
        return true
    }

    /// Skips unknown members before the field; false if the field is absent or reading failed.
    private mutating func reachesLater(_ field: Int, _ parser: inout JSONParser) -> Bool {
        // Invariant: the parser is at a member that is not the field's.
        while !isClosed, !hasFailed {
            for other in next..<names.count where names.stands(other, in: parser) { return false }
            skipUnknown(&parser)
            if isAt(field, &parser) { return true }
        }
        return false
    }

    private mutating func skipUnknown(_ parser: inout JSONParser) {
        guard unknown.count < Self.limitUnknown, parser.stands(Self.quotationMark),
            let name = try? parser.string(), names.position(of: name) == nil,
            !unknown.contains(name)
        else {
            hasFailed = true
            return
        }
        parser.skipWhitespace()
        guard parser.takes(UInt8(ascii: ":")), (try? parser.value()) != nil else {
            hasFailed = true
            return
        }
        unknown.append(name)
        leave(&parser)
    }

    private static let quotationMark = [UInt8(ascii: "\"")]
}

/// The names of a codec's fields, in their order, and their JSON text.
///
/// This is a class so that each object that is read retains one reference instead of three.
final class MemberNames: Sendable {
    private let positions: [String: Int]
    /// `"name":` of all fields, concatenated: iterating over an array of arrays would retain each
    /// of them.
    private let written: [UInt8]
    /// The start of each name in `written`, and the end of the last one.
    private let starts: [Int]

    /// - Parameter names: each name with its JSON text, including quotation marks and colon.
    init(_ names: [(name: String, written: [UInt8])]) {
        positions = Dictionary(
            names.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { $1 })
        written = names.flatMap(\.written)
        starts = names.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.written.count) }
    }

    var count: Int { starts.count - 1 }

    func position(of name: String) -> Int? { positions[name] }

    @inline(__always)
    func length(of field: Int) -> Int { starts[field + 1] - starts[field] }

    /// Returns true if the field's name is at the parser's position.
    @inline(__always)
    func stands(_ field: Int, in parser: borrowing JSONParser) -> Bool {
        let (start, length) = (starts[field], length(of: field))
        let position = parser.position
        guard length <= parser.bytes.count - position else { return false }
        return written.withUnsafeBytes { written in
            parser.bytes.withUnsafeBytes { text in
                func isSame<Word: FixedWidthInteger & BitwiseCopyable>(
                    _ index: Int, _: Word.Type
                ) -> Bool {
                    text.loadUnaligned(fromByteOffset: position + index, as: Word.self)
                        == written.loadUnaligned(fromByteOffset: start + index, as: Word.self)
                }
                // The last word overlaps with the one before it.
                if length < 8 {
                    guard length < 4 else {
                        return isSame(0, UInt32.self) && isSame(length - 4, UInt32.self)
                    }
                    return text[position..<position + length]
                        .elementsEqual(written[start..<start + length])
                }
                var index = 0
                // Invariant: the first `index` bytes are the same.
                while index + 8 <= length {
                    guard isSame(index, UInt64.self) else { return false }
                    index += 8
                }
                return index == length || isSame(length - 8, UInt64.self)
            }
        }
    }
}

/// A part that could not be read; its fault has been reported.
struct ReportedInvalidPart: Error {}

/// The value of a part. It turns a pack of optionals into a pack of values.
func required<Value>(_ value: Value?) throws(ReportedInvalidPart) -> Value {
    guard let value else { throw ReportedInvalidPart() }
    return value
}
