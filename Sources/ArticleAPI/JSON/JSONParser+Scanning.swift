/// Decodes typed values directly from valid text, without intermediate values. For anything else
/// the result is `nil`, and the caller reads the whole text again by way of `JSONValue`, which can
/// report what is wrong and where.
extension JSONParser {
    /// The value of a whole text.
    static func scan<Value>(
        _ bytes: [UInt8], _ scan: (inout JSONParser) -> Value?
    ) -> Value? {
        var parser = JSONParser(bytes)
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

    /// Whether these are the next bytes.
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
        guard takesValue(), depth < Self.depthLimit, takes(UInt8(ascii: "[")) else { return nil }
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
