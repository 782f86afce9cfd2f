public import HTTP

/// Makes HTTP of a typed request: the inverse of `BackendAPIRequest.init(parsing:)`.
public enum RequestPrinter {
    /// The whole request; `Host` and credentials are the client's to add.
    public static func print<Request: BackendAPIRequest>(_ request: Request) -> HTTPRequest {
        print(request, for: ResponseMapper())
    }

    /// The whole request, for one who has its answer's mapper already.
    package static func print<Request: BackendAPIRequest>(
        _ request: Request, for mapper: ResponseMapper<Request.Item>
    ) -> HTTPRequest {
        let draft = draft(of: request)
        var fields = HTTPFields()
        if let mediaType = mapper.mediaType {
            fields.append(.accept, "\(mediaType), \(Problem.mediaType)")
        }
        for (name, value) in draft.fields {
            if let name = HTTPFieldName(name) { fields.append(name, value) }
        }
        if let body = draft.body { fields.append(.contentType, body.mediaType) }
        guard let target = RequestTarget(target(of: draft, Request.endpoint).utf8) else {
            preconditionFailure("programmer error: an encoded path and query are no target")
        }
        return HTTPRequest(
            Request.endpoint.method, target, fields: fields, body: draft.body?.bytes ?? [])
    }

    /// Path and query, encoded: what stands in `Location` and `Link`.
    public static func target<Request: BackendAPIRequest>(of request: Request) -> String {
        target(of: draft(of: request), Request.endpoint)
    }

    private static func draft<Request: BackendAPIRequest>(of request: Request) -> RequestDraft {
        var draft = RequestDraft()
        Request.parameters.print(request, &draft)
        return draft
    }

    private static func target(of draft: RequestDraft, _ endpoint: Endpoint) -> String {
        let path = endpoint.template.path(draft.path)
        let query = QueryItems(draft.query.map { QueryItems.Item($0.name, $0.value) }).encoded
        return query.isEmpty ? path : "\(path)?\(query)"
    }
}
