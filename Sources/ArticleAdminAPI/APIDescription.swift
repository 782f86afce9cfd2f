public import ArticleAPI

/// The description of an API's requests and responses: an OpenAPI 3.1 document.
///
/// ```swift
/// let description = try await backend.send(FetchDescriptionRequest())
/// if case .object(let members) = description.document { names = members.map(\.name) }
/// ```
public struct APIDescription: Sendable, Hashable {
    /// A JSON object with `openapi`, `info`, `paths` and `components`.
    public var document: JSONValue

    public init(document: JSONValue) { self.document = document }
}

extension APIDescription: JSONRepresentable {
    public static let format = JSONCodec<APIDescription>(
        schema: .named(
            "APIDescription",
            .object(
                [("openapi", JSONCodec.text(.line(1...20)).schema)].map { name, schema in
                    JSONSchema.Property(name: name, schema: schema, presence: .required)
                }
                    + ["info", "paths", "components"].map { name in
                        JSONSchema.Property(name: name, schema: .object([]), presence: .required)
                    })),
        read: { value, reader in
            guard case .object(let members) = value else {
                reader.report(.invalid(expected: "an object", found: value.kind))
                return nil
            }
            guard members.contains(where: { $0.name == "openapi" }) else {
                reader.reading(.name("openapi")) { $0.report(.missing) }
                return nil
            }
            return APIDescription(document: value)
        },
        write: { description, _, writer in description.document.write(to: &writer) })
}
