/// A parsed JSON value (RFC 8259). Names keep their order, and numbers their text.
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
    var kind: String {
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
    public func write(to writer: inout JSONWriter) {
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
public struct JSONNumber: Sendable, Hashable {
    /// The number's text, at most 100 bytes of RFC 8259's grammar.
    public let text: String

    init(text: String) { self.text = text }

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

extension JSONRepresentable {
    /// Decodes the value leniently, like a response: a newer version may have encoded it.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        var reader = JSONReader(.lenient)
        let result = Self.format.read(value, &reader)
        guard let result, reader.faults.isEmpty else {
            let reason = reader.faults.first.map { "\($0.path): \($0.message)" }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: reason ?? "no value"))
        }
        self = result
    }

    public func encode(to encoder: any Encoder) throws {
        let value: JSONValue
        do {
            value = try JSONParser.parse(json())
        } catch {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: error.message))
        }
        try value.encode(to: encoder)
    }
}

extension TextCodec {
    fileprivate func decode(from decoder: any Decoder) throws -> Value {
        let text = try String(from: decoder)
        guard let value = parse(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(text.excerpt) is not \(expectation)"))
        }
        return value
    }

    fileprivate func encode(_ value: Value, to encoder: any Encoder) throws {
        try print(value).encode(to: encoder)
    }
}

extension Identifier: Codable {
    /// Decodes the 36-character form.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.identifier().decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.identifier().encode(self, to: encoder)
    }
}

extension Timestamp: Codable {
    /// Decodes RFC 3339.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.timestamp.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.timestamp.encode(self, to: encoder)
    }
}

extension Article.Status: Codable {
    /// Decodes the wire name of the status.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.status.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.status.encode(self, to: encoder)
    }
}

extension Revision.Action: Codable {
    /// Decodes the wire name of the action.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.action.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.action.encode(self, to: encoder)
    }
}

extension Revision.Actor.Kind: Codable {
    /// Decodes the wire name of the kind.
    public init(from decoder: any Decoder) throws {
        self = try TextCodec.actorKind.decode(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try TextCodec.actorKind.encode(self, to: encoder)
    }
}
