/// Parses JSON text (RFC 8259) strictly: without duplicate names, invalid UTF-8, lone surrogates or
/// content after the value. The depth and the number of values are limited.
public struct JSONParser: Sendable {
    /// The maximum nesting of arrays and objects.
    public static let depthLimit = 64
    /// The maximum number of values, which bounds the memory that a hostile text can use.
    public static let valueLimit = 200_000

    let bytes: [UInt8]
    var position = 0
    var valuesLeft = Self.valueLimit
    var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value of a whole text.
    public static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        guard parser.position == bytes.count else { throw parser.error(.trailingBytes) }
        return value
    }

    /// The next value, with the whitespace around it.
    mutating func value() throws(JSONSyntaxError) -> JSONValue {
        guard valuesLeft > 0 else { throw error(.tooManyValues(limit: Self.valueLimit)) }
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
        guard depth < Self.depthLimit else {
            throw error(.tooDeep(limit: Self.depthLimit))
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
