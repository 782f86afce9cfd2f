/// A parsed JSON value (RFC 8259). Names keep their order, and numbers their text.
///
/// ```swift
/// let value = try JSONParser.parse(bytes)
/// if case .object(let members) = value { names = members.map(\.name) }
/// ```
public enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A name and its value.
    public struct Member: Sendable, Hashable {
        public var name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The kind of this value, in words that follow "found" or "not".
    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Writes this value as it was parsed; numbers keep their text.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let number): writer.raw(number.text)
        case .string(let text): writer.string(text)
        case .array(let items):
            writer.array {
                for item in items {
                    $0.element()
                    item.write(to: &$0)
                }
            }
        case .object(let members):
            writer.object {
                for member in members {
                    $0.name(member.name)
                    member.value.write(to: &$0)
                }
            }
        }
    }
}

/// A JSON number as text, so that no precision is lost before its type is known.
///
/// ```swift
/// if case .number(let number) = value { count = number.integer }
/// ```
public struct JSONNumber: Sendable, Hashable {
    /// The number's text, at most 100 bytes of RFC 8259's grammar.
    public let text: String

    package init(text: String) { self.text = text }

    /// The value as an integer; `nil` if it has a fraction or exponent or exceeds 64 bits.
    public var integer: Int64? { Int64(text) }

    /// The nearest value in binary64; infinite outside its range.
    public var double: Double { Double(text) ?? .nan }
}

/// Connects models to Swift's coders: a model is encoded in its JSON form, whatever the coder's
/// format is.
extension JSONValue: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        if let scalar = try? decoder.singleValueContainer(), let value = Self.scalar(scalar) {
            self = value
        } else if let object = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try object.allKeys.map { name in
                    Member(
                        name: name.stringValue,
                        value: try object.decode(JSONValue.self, forKey: name))
                })
        } else {
            var array = try decoder.unkeyedContainer()
            var items: [JSONValue] = []
            while !array.isAtEnd { items.append(try array.decode(JSONValue.self)) }
            self = .array(items)
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) -> JSONValue? {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let isTrue = try? container.decode(Bool.self) { return .boolean(isTrue) }
        if let integer = try? container.decode(Int64.self) {
            return .number(JSONNumber(text: String(integer)))
        }
        guard let number = try? container.decode(Double.self), number.isFinite else { return nil }
        return .number(JSONNumber(text: "\(number)"))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .boolean(let isTrue): try isTrue.encode(to: encoder)
        case .number(let number):
            if let integer = number.integer {
                try integer.encode(to: encoder)
            } else {
                try number.double.encode(to: encoder)
            }
        case .string(let text): try text.encode(to: encoder)
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members {
                try container.encode(member.value, forKey: Name(stringValue: member.name))
            }
        }
    }
}
