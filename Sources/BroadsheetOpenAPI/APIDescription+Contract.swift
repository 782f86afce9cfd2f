public import ArticleAPI
public import ArticleAdminAPI
import BroadsheetHTTP

extension APIDescription {
    /// Describes requests as an OpenAPI 3.1 document.
    ///
    /// It is made of the same declarations that server and SDK use. Equal arguments give the same
    /// document, with paths and schemas in a fixed order.
    ///
    /// - Parameters:
    ///   - requests: the requests of the API, in the order in which they are described.
    ///   - version: the version of the program that serves them.
    ///   - examples: requests and responses to be shown.
    public init(
        of requests: [any BackendAPIRequest.Type], version: String, examples: WireExamples
    ) {
        var writer = OperationWriter(requests, examples)
        var paths: [(path: String, operations: [(String, JSONValue)])] = []
        var tags: [String] = []
        for type in requests {
            let endpoint = type.endpoint
            let operation = (endpoint.method.rawValue.lowercased(), writer.operation(type))
            let path = endpoint.template.description
            if let index = paths.firstIndex(where: { $0.path == path }) {
                paths[index].operations.append(operation)
            } else {
                paths.append((path, [operation]))
            }
            let tag = OperationWriter.tag(of: endpoint)
            if !tags.contains(tag) { tags.append(tag) }
        }
        let document = JSONValue.members(
            ("openapi", .string("3.1.0")), ("info", Self.info(version)),
            ("servers", .array([.members(("url", .string("/")))])),
            ("tags", .array(tags.map { .members(("name", .string($0))) })),
            ("paths", .members(paths.map { ($0.path, .members($0.operations)) })),
            (
                "components",
                .members(
                    ("schemas", writer.schemas.components),
                    ("responses", writer.problems.components),
                    ("headers", ResponseField.components),
                    ("securitySchemes", .members(("bearer", Self.bearer))))
            ))
        self.init(document: document)
    }

    private static func info(_ version: String) -> JSONValue {
        let words = """
            The API of Broadsheet, an article backend for mobile apps. `HEAD` works wherever `GET` \
            does, and `OPTIONS` lists the methods of a path. Clients ignore attributes that they \
            do not know; the server rejects them. Administration (`/v1/admin/`) and health checks \
            (`/livez`, `/readyz`) belong to the operation of one server and are not part of this.
            """
        return .members(
            ("title", .string("Broadsheet")), ("version", .string(version)),
            ("description", .string(words)),
            (
                "license",
                .members(
                    ("name", .string("Apache License 2.0")), ("identifier", .string("Apache-2.0")))
            ))
    }

    private static var bearer: JSONValue {
        .members(
            ("type", .string("http")), ("scheme", .string("bearer")),
            (
                "description",
                .string(
                    "An API key (`bsk_…`) or the access token of a session (`bsa_…`). The names in "
                        + "`security` are permissions, which come with roles.")
            ))
    }
}
