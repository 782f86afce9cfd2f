import ArticleAPI

/// The responses with problems, each described once among the components.
struct ProblemResponses {
    private var responses: [String: JSONValue] = [:]

    /// `#/components/responses`, sorted by name.
    var components: JSONValue { .members(responses.sorted { $0.key < $1.key }.map { $0 }) }

    /// A reference to the response of a status that stands for these problems.
    mutating func reference(
        status: Int, _ kinds: [Problem.Kind], _ schemas: inout SchemaTable
    ) -> JSONValue {
        let name = kinds.map(\.rawValue).joined(separator: ".")
        if responses[name] == nil {
            let words = kinds.map { "\($0.title) (`\($0.type)`)" }.joined(separator: "; ")
            // Beside a reference, and not in `allOf`, as generators of clients then take the
            // problem's type for all of them.
            let problem = schemas.write(Problem.shape.schema, .response).adding(
                (
                    "properties",
                    .members(
                        ("type", .members(("enum", .strings(kinds.map(\.type))))),
                        ("status", .members(("const", .integer(status)))))
                ))
            let examples = kinds.map { kind in
                (kind.rawValue, JSONValue.members(("value", Self.example(kind))))
            }
            let content = JSONValue.members(
                ("schema", problem),
                ("examples", .members(examples)))
            responses[name] = .members(
                ("description", .string(words)),
                ("headers", ResponseField.references(to: ResponseField.ofProblem(status))),
                ("content", .members((Problem.mediaType, content))))
        }
        return .reference(to: name, in: "responses")
    }

    private static func example(_ kind: Problem.Kind) -> JSONValue {
        let bytes = Problem(kind, instance: "req-1").json()
        guard let value = try? JSONParser.parse(bytes) else {
            preconditionFailure("programmer error: a problem is not written as JSON")
        }
        return value
    }
}
