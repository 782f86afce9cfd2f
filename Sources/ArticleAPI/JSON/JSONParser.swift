import BroadsheetHTTP

/// Parses JSON text (RFC 8259) strictly: without duplicate names, invalid UTF-8, lone surrogates or
/// content after the value. The depth and the number of values are limited.
///
/// ```swift
/// let value = try JSONParser.parse(Array(#"{"title":"Bread"}"#.utf8))
/// ```
package struct JSONParser: Sendable {
    /// The maximum nesting of arrays and objects.
    package static let limitDepth = 64
    /// The maximum number of values, which bounds the memory that a hostile text can use.
    package static let limitValues = 200_000

    let bytes: [UInt8]
    var position = 0
    private let limitValues: Int
    var valuesLeft: Int
    var depth = 0

    init(_ bytes: [UInt8], limitValues: Int = Self.limitValues) {
        self.bytes = bytes
        self.limitValues = limitValues
        valuesLeft = limitValues
    }

    /// The value of a whole text.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try parse(bytes, limitValues: limitValues)
    }

    /// The value of a whole text with another limit for the number of values.
    package static func parse(
        _ bytes: [UInt8], limitValues: Int
    ) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes, limitValues: limitValues)
        let value = try parser.value()
        guard parser.position == bytes.count else { throw parser.error(.trailingBytes) }
        return value
    }

    /// The next value, with the whitespace around it.
    mutating func value() throws(JSONSyntaxError) -> JSONValue {
        guard valuesLeft > 0 else { throw error(.tooManyValues(limit: limitValues)) }
        valuesLeft -= 1
        let value: JSONValue
        switch try peek() {
        case UInt8(ascii: "{"): value = .object(try members())
        case UInt8(ascii: "["): value = .array(try items())
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"): value = try literal("true", .boolean(true))
        case UInt8(ascii: "f"): value = try literal("false", .boolean(false))
        case UInt8(ascii: "n"): value = try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            value = .number(try number())
        case let byte: throw error(.unexpectedByte(byte))
        }
        skipWhitespace()
        return value
    }

    private mutating func members() throws(JSONSyntaxError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var names = NameSet()
        try open()
        if try peek() == UInt8(ascii: "}") {
            position += 1
            depth -= 1
            return members
        }
        // Invariant: `position` is at a member's name or at the whitespace before it.
        while true {
            guard try peek() == UInt8(ascii: "\"") else {
                throw error(.unexpectedByte(bytes[position]))
            }
            let start = position
            let name = try string()
            guard names.insert(name, after: members) else {
                position = start
                throw error(.duplicateName(name))
            }
            try expect(UInt8(ascii: ":"))
            do throws(JSONSyntaxError) {
                members.append(JSONValue.Member(name: name, value: try value()))
            } catch { throw error.inside(.name(name.excerpt)) }
            if try isLast(before: UInt8(ascii: "}")) {
                depth -= 1
                return members
            }
        }
    }

    private mutating func items() throws(JSONSyntaxError) -> [JSONValue] {
        var items: [JSONValue] = []
        try open()
        if try peek() == UInt8(ascii: "]") {
            position += 1
            depth -= 1
            return items
        }
        // Invariant: `position` is at an item or at the whitespace before it.
        while true {
            do throws(JSONSyntaxError) {
                items.append(try value())
            } catch { throw error.inside(.index(items.count)) }
            if try isLast(before: UInt8(ascii: "]")) {
                depth -= 1
                return items
            }
        }
    }

    /// Skips the opening bracket of an array or object.
    private mutating func open() throws(JSONSyntaxError) {
        guard depth < Self.limitDepth else {
            throw error(.tooDeep(limit: Self.limitDepth))
        }
        depth += 1
        position += 1
    }

    /// Skips a comma (false) or the closing bracket (true).
    private mutating func isLast(before close: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = try peek()
        guard byte == close || byte == UInt8(ascii: ",") else {
            throw error(.unexpectedByte(byte))
        }
        position += 1
        return byte == close
    }

    private mutating func expect(_ expected: UInt8) throws(JSONSyntaxError) {
        let byte = try peek()
        guard byte == expected else { throw error(.unexpectedByte(byte)) }
        position += 1
    }

    private mutating func literal(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard position + index < bytes.count else { throw error(.endOfText) }
            guard bytes[position + index] == word.utf8Start[index] else { throw error(.badLiteral) }
        }
        position += word.utf8CodeUnitCount
        return value
    }

    /// The next byte that is not whitespace, without skipping it.
    private mutating func peek() throws(JSONSyntaxError) -> UInt8 {
        skipWhitespace()
        guard position < bytes.count else { throw error(.endOfText) }
        return bytes[position]
    }

    /// Skips whitespace; usually there is none.
    @inline(__always)
    mutating func skipWhitespace() {
        guard position < bytes.count, bytes[position] <= 0x20 else { return }
        skipWhitespaceHere()
    }

    private mutating func skipWhitespaceHere() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
        var line = 1
        var lineStart = 0
        for index in 0..<min(position, bytes.count) where bytes[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        return JSONSyntaxError(
            reason: reason, offset: position, line: line, column: position - lineStart + 1,
            path: JSONPath([]))
    }
}

/// The names of one object: compared linearly while they are few, by hash when they are many.
private struct NameSet {
    private var names: Set<String> = []

    /// Inserts a name; false if one of the members already has it.
    ///
    /// Canonically equivalent names (Unicode) are equal.
    mutating func insert(_ name: String, after members: [JSONValue.Member]) -> Bool {
        guard members.count >= 16 else {
            return !members.contains { $0.name == name }
        }
        if members.count == 16 { names = Set(members.map(\.name)) }
        return names.insert(name).inserted
    }
}

extension JSONParser {
    /// A string from its opening to its closing quotation mark (RFC 8259 §7), stream-safe.
    mutating func string() throws(JSONSyntaxError) -> String {
        let start = position + 1
        let run = endOfRun(from: start)
        position = run.end
        guard position < bytes.count else { throw error(.endOfText) }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            let text = try text(start..<position, isASCII: run.isASCII)
            position += 1
            return text
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        default: throw error(.controlCharacter)
        }
    }

    /// The rest of a string whose first escape is at `position`.
    private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var content: [UInt8] = []
        content.reserveCapacity(2 * (position - start) + 64)
        content += bytes[start..<position]
        var isASCII = content.allSatisfy { $0 < 0x80 }
        // Invariant: `content` is the unescaped bytes[start..<position].
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard let text = String(validUTF8: content) else {
                    throw error(.invalidUTF8)
                }
                position += 1
                return isASCII ? text : text.streamSafe
            case UInt8(ascii: "\\"):
                let scalar = try escape()
                if scalar.isASCII {
                    content.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    isASCII = false
                    content.append(contentsOf: UTF8.encode(scalar) ?? .init())
                }
            case 0..<0x20: throw error(.controlCharacter)
            default:
                let run = endOfRun(from: position)
                content.append(contentsOf: bytes[position..<run.end])
                isASCII = isASCII && run.isASCII
                position = run.end
            }
        }
        throw error(.endOfText)
    }

    /// The index of the next byte that is not plain content of a string, and whether all bytes
    /// before it are ASCII.
    func endOfRun(from start: Int) -> (end: Int, isASCII: Bool) {
        bytes.withUnsafeBytes { bytes in
            var end = start
            var bits: UInt64 = 0
            // Invariant: bytes[start..<end] are plain content; `bits` is their bitwise OR.
            while end + 8 <= bytes.count {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
                let plainBits = Self.endsOfRun(in: word).trailingZeroBitCount & ~7
                if plainBits < 64 {
                    bits |= word & (1 &<< UInt64(plainBits) - 1)
                    return (end + plainBits / 8, bits & Self.highestBits == 0)
                }
                bits |= word
                end += 8
            }
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
                bytes[end] != UInt8(ascii: "\\")
            {
                bits |= UInt64(bytes[end])
                end += 1
            }
            return (end, bits & Self.highestBits == 0)
        }
    }

    private static let highestBits: UInt64 = 0x8080_8080_8080_8080

    /// The highest bit of the lowest of eight bytes that is a quotation mark, a backslash or below
    /// 0x20, and perhaps of bytes above it. A byte that becomes 0 (or is below 0x20) borrows from
    /// its own highest bit, which others do not unless one below them has borrowed from them.
    @inline(__always)
    private static func endsOfRun(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
            | (slashes &- ones) & ~slashes
        return found & highestBits
    }

    /// One escape, or two that are a surrogate pair.
    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard position + 1 < bytes.count else { throw error(.endOfText) }
        let scalar: Unicode.Scalar
        switch bytes[position + 1] {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error(.badEscape)
        }
        position += 2
        return scalar
    }

    private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try codeUnit(at: position)
        if let scalar = Unicode.Scalar(first) {
            position += 6
            return scalar
        }
        guard (0xD800..<0xDC00).contains(first), position + 7 < bytes.count,
            bytes[position + 6] == UInt8(ascii: "\\"), bytes[position + 7] == UInt8(ascii: "u")
        else { throw error(.loneSurrogate) }
        let second = try codeUnit(at: position + 6)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw error(.loneSurrogate) }
        position += 12
        return scalar
    }

    /// The four hexadecimal digits of the `\u` at `start`.
    private func codeUnit(at start: Int) throws(JSONSyntaxError) -> UInt16 {
        guard start + 6 <= bytes.count else { throw error(.endOfText) }
        var unit: UInt16 = 0
        for index in start + 2..<start + 6 {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(bytes[index] - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(bytes[index] - 87)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(bytes[index] - 55)
            default: throw error(.badEscape)
            }
        }
        return unit
    }

    /// A number in RFC 8259's grammar: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if byteHere == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if byteHere == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if byteHere == UInt8(ascii: "e") || byteHere == UInt8(ascii: "E") {
            position += 1
            if byteHere == UInt8(ascii: "+") || byteHere == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        if let byte = byteHere, (48...57).contains(byte) { throw error(.badNumber) }
        guard position - start <= 100 else { throw error(.badNumber) }
        return JSONNumber(text: try text(start..<position, isASCII: true))
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = byteHere, (48...57).contains(byte) { position += 1 }
        guard position > start else { throw error(.badNumber) }
    }

    private var byteHere: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips the validation of ASCII, which would be expensive for short strings.
    private func text(_ range: Range<Int>, isASCII: Bool) throws(JSONSyntaxError) -> String {
        let text = bytes.withUnsafeBufferPointer { bytes in
            let bytes = UnsafeBufferPointer(rebasing: bytes[range])
            return isASCII
                ? String(decoding: bytes, as: UTF8.self) : String(validUTF8: bytes)
        }
        guard let text else { throw error(.invalidUTF8) }
        // This includes names, which are compared and hashed.
        return isASCII ? text : text.streamSafe
    }
}
