extension JSONRepresentable {
    /// Decodes the value leniently, like a response: a newer version may have encoded it.
    @_semantics("optimize.sil.specialize.generic.never")
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

    @_semantics("optimize.sil.specialize.generic.never")
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
    package func decode(from decoder: any Decoder) throws -> Value {
        let text = try String(from: decoder)
        guard let value = parse(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(text.excerpt) is not \(expectation)"))
        }
        return value
    }

    package func encode(_ value: Value, to encoder: any Encoder) throws {
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
