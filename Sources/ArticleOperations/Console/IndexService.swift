import ArticleAPI
package import ArticleServiceCore
package import BroadsheetHTTP
package import BroadsheetHTTPServer

/// Serves `GET /`: an index of links for programs, and the console for browsers.
package struct IndexService: Sendable {
    /// `nil` if the console is turned off.
    private let console: ConsoleFiles?
    private let responses: PublicResponseCache
    private let index: HTTPResponse
    private let log: @Sendable (String) -> Void

    package init(
        console: ConsoleFiles?, responses: PublicResponseCache,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.console = console
        self.responses = responses
        self.log = log
        index = Self.index(hasConsole: console != nil)
    }

    private static let pagePath = "/console"

    // MARK: Links

    private static func index(hasConsole: Bool) -> HTTPResponse {
        var links = [
            ("articles", "/v1/articles"), ("authors", "/v1/authors"), ("tags", "/v1/tags"),
            ("search", "/v1/search"), ("changes", "/v1/changes"),
            ("stream", "/v1/changes/stream"), ("description", "/openapi.json"),
        ]
        if hasConsole { links.append(("console", pagePath)) }
        var writer = JSONWriter()
        JSONValue.object([
            JSONValue.Member(name: "name", value: .string("Broadsheet")),
            JSONValue.Member(
                name: "links",
                value: .object(
                    links.map { JSONValue.Member(name: $0.0, value: .string($0.1)) })),
        ]).write(to: &writer)
        return HTTPResponse(
            .ok,
            fields: [
                .cacheControl: "public, no-cache", .vary: "Accept",
                .etag: Validator.tag(version: nil, of: writer.bytes).description,
                .contentType: "application/json",
            ], body: .bytes(writer.bytes))
    }

    /// Browsers prefer HTML to everything; clients that accept JSON as much get JSON. The index
    /// does not go through the cache, which knows one response for each path.
    package func root(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        if console != nil, Self.prefersPage(message.fields) {
            return await page(message, context)
        }
        guard let etag = index.fields[.etag].flatMap({ EntityTag($0) }) else { return index }
        switch ConditionalRequest.outcome(
            message.fields, etag: etag, lastModified: nil, isMeant: etag.stronglyMatches)
        {
        case .proceed: return index
        case .notModified:
            var fields = index.fields
            fields.remove(.contentType)
            return HTTPResponse(.notModified, fields: fields)
        case .preconditionFailed(let name):
            return ServiceError.representationDiffers(name).response(
                to: context.requestID, log: log)
        }
    }

    private static func prefersPage(_ fields: HTTPFields) -> Bool {
        guard let html = MediaType("text/html"), let json = MediaType("application/json") else {
            return false
        }
        let accept = Accept(fields.combined(.accept))
        return accept.quality(of: html) > accept.quality(of: json)
    }

    // MARK: Files

    package func page(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        await respond(message, context, console?.page, at: Self.pagePath)
    }

    package func file(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        let (hash, name) = (context.parameters["hash"] ?? "", context.parameters["name"] ?? "")
        return await respond(
            message, context, console?.file(name, hash: hash),
            at: "\(Self.pagePath)/\(hash)/\(name)")
    }

    /// - Parameter path: Under which the response is cached, whatever query the request has.
    private func respond(
        _ message: HTTPRequest, _ context: RequestContext, _ response: HTTPResponse?,
        at path: String
    ) async -> HTTPResponse {
        guard let response, let target = RequestTarget(path: path) else {
            return ServiceError.notFound.response(to: context.requestID, log: log)
        }
        guard !ConditionalRequest.hasPreconditions(message.fields) else { return response }
        var message = message
        message.target = target
        return await responses.respond(message, context, log: log) {
            () throws(ServiceError) in (response, Dependencies.none)
        }
    }
}
