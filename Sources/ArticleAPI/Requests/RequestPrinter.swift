public import HTTP

/// Makes HTTP of a typed request: the inverse of `BackendAPIRequest.init(parsing:)`.
public enum RequestPrinter {
    /// The whole request; `Host` and credentials are the client's to add. A value that cannot stand
    /// in a header field is left out: `checked` refuses it.
    public static func print<Request: BackendAPIRequest>(_ request: Request) -> HTTPRequest {
        print(request, for: ResponseMapper()).request
    }

    /// As `print`; a header field that cannot be written is an error.
    ///
    /// - Parameter mapper: of its response, for one who has it already.
    package static func checked<Request: BackendAPIRequest>(
        _ request: Request, for mapper: ResponseMapper<Request.Item> = ResponseMapper()
    ) throws(UnprintableField) -> HTTPRequest {
        let (request, leftOut) = print(request, for: mapper)
        if let leftOut { throw UnprintableField(name: leftOut) }
        return request
    }

    private static func print<Request: BackendAPIRequest>(
        _ request: Request, for mapper: ResponseMapper<Request.Item>
    ) -> (request: HTTPRequest, leftOut: String?) {
        let draft = draft(of: request)
        var fields = HTTPFields()
        var leftOut: String?
        if let mediaType = mapper.mediaType {
            fields.append(.accept, "\(mediaType), \(Problem.mediaType)")
        }
        for (text, value) in draft.fields {
            guard let name = HTTPFieldName(text), fields.append(name, value) else {
                leftOut = text
                continue
            }
        }
        if let body = draft.body { fields.append(.contentType, body.mediaType) }
        guard let target = RequestTarget(target(of: draft, Request.endpoint).utf8) else {
            preconditionFailure("programmer error: an encoded path and query are no target")
        }
        let printed = HTTPRequest(
            Request.endpoint.method, target, fields: fields, body: draft.body?.bytes ?? [])
        return (printed, leftOut)
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

/// A value that cannot stand in a header field: it has a line break in it, for example.
package struct UnprintableField: Error {
    package let name: String
}
