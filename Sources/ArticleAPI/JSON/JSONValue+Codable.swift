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
