import ArticleAPI
import BroadsheetHTTP

/// Writes requests as operations (OpenAPI 3.1 §4.8.10), and collects the schemas and examples that
/// they refer to.
struct OperationWriter {
    private let requests: [any BackendAPIRequest.Type]
    private let examples: WireExamples
    private(set) var schemas: SchemaTable
    private(set) var problems = ProblemResponses()

    init(_ requests: [any BackendAPIRequest.Type], _ examples: WireExamples) {
        self.requests = requests
        self.examples = examples
        schemas = SchemaTable(
            requests: requests.compactMap { Self.bodySchema(of: $0) },
            responses: requests.flatMap { Self.responseSchemas(of: $0) })
    }

    mutating func operation<Request: BackendAPIRequest>(_ type: Request.Type) -> JSONValue {
        let endpoint = Request.endpoint
        let example = examples.request("\(Request.self)")
        let parameters = Request.parameters.list.map { parameter in
            write(parameter, example?.value(of: parameter, in: endpoint.template))
        }
        let body = Request.parameters.body.map { write($0, example?.body) }
        return .members(
            ("operationId", .string(endpoint.name)), ("summary", .string(endpoint.summary)),
            ("tags", .strings([Self.tag(of: endpoint)])),
            ("security", Self.security(endpoint.access)),
            ("parameters", parameters.isEmpty ? nil : .array(parameters)),
            ("requestBody", body), ("responses", responses(to: type)))
    }

    /// The resource that a request is about: `articles` of `/v1/articles/{id}`.
    static func tag(of endpoint: Endpoint) -> String {
        let literals = endpoint.template.segments.compactMap { segment in
            if case .literal(let text) = segment, text != "v1" { text } else { nil }
        }
        return literals.first?.split(separator: ".").first.map(String.init) ?? endpoint.name
    }

    /// Requests of everyone take credentials, but need none. The names are those of permissions.
    private static func security(_ access: Endpoint.Access) -> JSONValue {
        if access == .everyone {
            return .array([.members(), .members(("bearer", .array([])))])
        }
        return .array([.members(("bearer", .strings([access.rawValue])))])
    }

    // MARK: Parameters and bodies

    private mutating func write(
        _ parameter: ParameterDescription, _ example: JSONValue?
    ) -> JSONValue {
        let place =
            switch parameter.place {
            case .path: "path"
            case .query: "query"
            case .header: "header"
            }
        var schema = schemas.write(parameter.schema, .request)
        var isExploded: Bool?
        if parameter.limitCount > 1 {
            isExploded = true
            schema = .members(
                ("type", .string("array")), ("items", schema),
                ("maxItems", .integer(parameter.limitCount)))
        } else if case .text(let text) = parameter.schema.unnamed,
            case .fieldNames(let names) = text.form
        {
            isExploded = false
            let name = JSONValue.members(("type", .string("string")), ("enum", .strings(names)))
            schema = .members(
                ("type", .string("array")), ("items", name), ("minItems", .integer(1)))
        }
        return .members(
            ("name", .string(parameter.name)), ("in", .string(place)),
            ("required", parameter.isRequired ? .boolean(true) : nil),
            ("style", isExploded == nil ? nil : .string("form")),
            ("explode", isExploded.map(JSONValue.boolean)), ("schema", schema),
            ("example", example))
    }

    private mutating func write(_ body: BodyDescription, _ example: JSONValue?) -> JSONValue {
        let schema = body.schema.map { schemas.write($0, .request) }
        let content = body.mediaTypes.map { mediaType in
            (mediaType, JSONValue.members(("schema", schema), ("example", example)))
        }
        return .members(
            ("required", body.isRequired ? .boolean(true) : nil), ("content", .members(content)))
    }

    // MARK: Responses

    private mutating func responses<Request: BackendAPIRequest>(
        to type: Request.Type
    ) -> JSONValue {
        let outcomes = Outcomes(of: type)
        let located = located(by: type)
        let isCacheable = Request.endpoint.method.isSafe && hasValidator(type)
        var responses: [(Int, JSONValue)] = outcomes.successes.map { status in
            (Int(status.code), success(of: type, status, located))
        }
        if isCacheable { responses.append((304, notModified)) }
        for (status, kinds) in outcomes.problems {
            responses.append((status, problems.reference(status: status, kinds, &schemas)))
        }
        return .members(
            responses.sorted { $0.0 < $1.0 }.map { ("\($0.0)", $0.1) })
    }

    private var notModified: JSONValue {
        let fields: [ResponseField] = [.cacheControl, .vary, .etag, .lastModified]
        return .members(
            ("description", .string("The copy that `If-None-Match` names is current.")),
            (
                "headers",
                ResponseField.references(to: ResponseField.ofEveryResponse + fields)
            ))
    }

    private mutating func success<Request: BackendAPIRequest>(
        of type: Request.Type, _ status: HTTPStatus, _ located: PathTemplate?
    ) -> JSONValue {
        var fields = ResponseField.ofEveryResponse + [.cacheControl]
        if Request.endpoint.method.isSafe, hasValidator(type) {
            fields += [.vary, .lastModified]
        }
        if hasValidator(type) { fields.append(.etag) }
        let isCreated = status == .created && located != nil
        if isCreated { fields.append(.location) }
        if Request.parameters.list.contains(where: { $0.name == "cursor" }) { fields.append(.link) }
        return .members(
            ("description", .string(Request.endpoint.summary + ".")),
            ("headers", ResponseField.references(to: fields)), ("content", content(of: type)),
            ("links", isCreated ? links(to: located) : nil))
    }

    /// Returns true if the response has an entity tag: those that are streamed have none, and
    /// neither do those that could disclose a hash of a secret.
    private func hasValidator<Request: BackendAPIRequest>(_: Request.Type) -> Bool {
        guard Request.Item.encoding.mediaType != nil else { return false }
        return !Request.endpoint.carriesSecrets && !Request.endpoint.isStreamed
    }

    private mutating func content<Request: BackendAPIRequest>(
        of type: Request.Type
    ) -> JSONValue? {
        let encoding = Request.Item.encoding
        guard let mediaType = encoding.mediaType else { return nil }
        guard case .json = encoding.kind else {
            // Bytes in a format of JSON are an object for those who read them by the description.
            let form = mediaType.hasSuffix("+json") ? "object" : "string"
            return .members((mediaType, .members(("schema", .members(("type", .string(form)))))))
        }
        let sources = Self.responseSchemas(of: type)
        let choices = sources.map { schemas.write($0, .response) }
        let values = sources.compactMap(\.name).flatMap { name in
            examples.values(of: name).map { value in
                ("\(name)-\(value.name)", JSONValue.members(("value", value.value)))
            }
        }
        let schema = choices.count == 1 ? choices[0] : .members(("anyOf", .array(choices)))
        let media = JSONValue.members(
            ("schema", schema), ("examples", values.isEmpty ? nil : .members(values)))
        return .members((mediaType, media))
    }

    private static func bodySchema<Request: BackendAPIRequest>(
        of _: Request.Type
    ) -> JSONSchema? { Request.parameters.body?.schema }

    /// The schema of the response and, if attributes can be selected, that of a selection.
    private static func responseSchemas<Request: BackendAPIRequest>(
        of _: Request.Type
    ) -> [JSONSchema] {
        var schemas: [JSONSchema] = []
        if case .json(let schema) = Request.Item.encoding.kind { schemas.append(schema) }
        if let sparse = Request.self as? any SparseRequest.Type,
            let partial = partialSchema(of: sparse)
        {
            schemas.append(partial)
        }
        return schemas
    }

    private static func partialSchema<Request: SparseRequest>(
        of _: Request.Type
    ) -> JSONSchema? {
        if case .json(let schema) = Request.Partial.encoding.kind { schema } else { nil }
    }

    // MARK: Created resources

    /// The path at which the created item is found, if a request fetches such an item by its id.
    private func located<Request: BackendAPIRequest>(by type: Request.Type) -> PathTemplate? {
        guard Outcomes(of: type).successes.contains(.created) else { return nil }
        func template<Other: BackendAPIRequest>(_: Other.Type) -> PathTemplate? {
            let template = Other.endpoint.template
            guard Other.Item.self == Request.Item.self, Other.endpoint.method == .get,
                template.parameters.count == 1, case .parameter? = template.segments.last
            else { return nil }
            return template
        }
        return requests.lazy.compactMap { template($0) }.first
    }

    /// Links from a created item to the requests for it (OpenAPI 3.1 §4.8.20).
    private func links(to template: PathTemplate?) -> JSONValue? {
        guard let template, let parameter = template.parameters.last else { return nil }
        let links = requests.filter { $0.endpoint.template == template }.map { type in
            let value = JSONValue.members((parameter, .string("$response.body#/id")))
            let link = JSONValue.members(
                ("operationId", .string(type.endpoint.name)), ("parameters", value))
            return (type.endpoint.name, link)
        }
        return .members(links)
    }
}
