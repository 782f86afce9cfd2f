import BroadsheetHTTP

extension RequestPart {
    /// A header field without which the request is rejected.
    public static func requiredHeader(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value, _ format: TextCodec<Value>
    ) -> RequestPart {
        guard let field = HTTPFieldName(name) else {
            preconditionFailure("programmer error: \(name) is not a valid header field name")
        }
        return RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .header, schema: format.schema, isRequired: true,
                    limitCount: 1)),
            print: { $1.fields.append(field, format.print(get($0))) },
            read: { reader in
                guard let value = reader.headerValue(name, format) else { return nil }
                if value == nil {
                    reader.reject(.malformed, Problem.Detail("is missing", at: .header(name)))
                }
                return value
            })
    }
}
