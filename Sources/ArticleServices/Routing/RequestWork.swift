package import ArticleAPI
import ArticleResources
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform

/// Processes requests of one type, from the bytes of the request to those of the response: reads
/// and large requests on the store's threads, everything else on the event loop.
package struct RequestWork<Request: BackendAPIRequest>: Sendable {
    typealias Handle =
        @Sendable (Request, Principal, RequestContext) async throws(ServiceError) -> Reply<
            Request.Item
        >

    /// Requests that read, write or hash more bytes than this leave the event loop.
    private static var largeBytes: Int { 64 << 10 }

    private let encoding: ResponseEncoding<Request.Item>
    private let scheduler: RequestScheduler
    private let system: SystemEnvironment
    private let handle: Handle

    init(
        encoding: ResponseEncoding<Request.Item>, scheduler: RequestScheduler,
        system: SystemEnvironment, _ handle: @escaping Handle
    ) {
        self.encoding = encoding
        self.scheduler = scheduler
        self.system = system
        self.handle = handle
    }

    /// The typed request.
    static func parse(
        _ message: HTTPRequest, _ context: RequestContext
    ) throws(ServiceError) -> Request {
        var path: [String: String] = [:]
        for name in Request.endpoint.template.parameters { path[name] = context.parameters[name] }
        do throws(RequestValidationError) {
            return try Request(parsing: RequestSource(message, path: path))
        } catch { throw .rejected(error) }
    }

    /// The complete public response and its dependencies.
    func publicResponse(
        to request: Request, _ context: RequestContext, for caller: Principal
    ) async throws(ServiceError) -> (HTTPResponse, Dependencies?) {
        try await scheduler.take(cost(of: request), for: caller, context) {
            (slot) throws(ServiceError) in
            let began = system.now
            let reply = try await handle(request, .anonymous, context)
            let whole = Representation(reply, encoding, to: request, .anonymous, at: began)
            let dependencies = reply.dependencies?.lasting(until: whole.settlesAt)
            let response = try whole.response(to: nil)
            slot.accountForOutput(response)
            return (response, dependencies)
        }
    }

    /// The response to this caller.
    func response(
        to message: HTTPRequest, _ context: RequestContext, _ caller: Principal
    ) async throws(ServiceError) -> HTTPResponse {
        guard message.body.count <= Self.largeBytes else {
            return try await scheduler.take(.largeWrite, for: caller, context) {
                (slot) throws(ServiceError) in
                let whole = try await represented(Self.parse(message, context), caller, context)
                return try Self.written(whole, message, slot)
            }
        }
        let request = try Self.parse(message, context)
        if Request.endpoint.method.isSafe {
            return try await scheduler.take(cost(of: request), for: caller, context) {
                (slot) throws(ServiceError) in
                try Self.written(await represented(request, caller, context), message, slot)
            }
        }
        let whole = try await represented(request, caller, context)
        guard whole.estimatedBytes > Self.largeBytes else {
            return try whole.response(to: message)
        }
        return try await scheduler.take(.largeWrite, for: caller, context) {
            (slot) throws(ServiceError) in
            try Self.written(whole, message, slot)
        }
    }

    private static func written(
        _ whole: Representation<Request>, _ message: HTTPRequest, _ slot: WorkSlot
    ) throws(ServiceError) -> HTTPResponse {
        let response = try whole.response(to: message)
        slot.accountForOutput(response)
        return response
    }

    private func represented(
        _ request: Request, _ caller: Principal, _ context: RequestContext
    ) async throws(ServiceError) -> Representation<Request> {
        let began = system.now
        return Representation(
            try await handle(request, caller, context), encoding, to: request, caller, at: began)
    }

    private func cost(of request: Request) -> RequestCost {
        (request as? any CostlyRequest)?.cost ?? RequestCost()
    }
}

/// The representation of an item: its bytes, its validators and its caching fields.
struct Representation<Request: BackendAPIRequest> {
    private let reply: Reply<Request.Item>
    private let encoding: ResponseEncoding<Request.Item>
    private let request: Request
    private let caller: Principal
    /// The time at which the request arrived: the reply includes writes acknowledged before.
    private let time: Timestamp

    init(
        _ reply: Reply<Request.Item>, _ encoding: ResponseEncoding<Request.Item>,
        to request: Request,
        _ caller: Principal, at time: Timestamp
    ) {
        self.time = time
        self.reply = reply
        self.encoding = encoding
        self.request = request
        self.caller = caller
    }

    /// The response; 304 if the client's copy is current (RFC 9110 §13.2.2).
    ///
    /// - Parameter message: the request with its preconditions; `nil` to return the complete
    ///   response in any case.
    /// - Throws: `.representationDiffers` if a precondition of a read is not met.
    func response(to message: HTTPRequest?) throws(ServiceError) -> HTTPResponse {
        var fields = HTTPFields()
        let isRead = Request.endpoint.method.isSafe
        fields.append(.cacheControl, isRead ? cacheControl : "no-store")
        if isRead { fields.append(.vary, "Accept-Encoding, Authorization") }
        let status = reply.location == nil ? Request.endpoint.success : .created
        guard encoding.mediaType != nil else {
            return HTTPResponse(status, fields: fields)
        }
        let bytes = encoding.write(reply.item, reply.fields, capacity: estimatedBytes)
        let version = (reply.item as? any Versioned)?.version
        // No hash of a secret leaves the server.
        let etag =
            version == nil && Request.endpoint.carriesSecrets
            ? nil : Validator.tag(version: version, of: bytes, renderer: reply.renderer)
        if let etag { fields.append(.etag, etag.description) }
        let modified = lastModified
        let isDisclosed = settlesAt == nil
        if let modified, isDisclosed { fields.append(.lastModified, HTTPDate.text(modified)) }
        appendLinks(to: &fields)
        if isRead, let message, let etag {
            let outcome = ConditionalRequest.outcome(
                message.fields, etag: etag, lastModified: modified, isLastModifiedSent: isDisclosed
            ) { Validator.isMatched(by: $0, version: version, etag) }
            switch outcome {
            case .proceed: break
            case .notModified: return HTTPResponse(.notModified, fields: fields)
            case .preconditionFailed(let name): throw .representationDiffers(name)
            }
        }
        if let mediaType = encoding.mediaType {
            fields.append(.contentType, mediaType)
        }
        return HTTPResponse(status, fields: fields, body: .bytes(bytes))
    }

    /// An estimate of the body's size in bytes, without JSON escapes.
    var estimatedBytes: Int { (reply.item as? any Measured)?.textBytes ?? 4_096 }

    /// The time of the last change in seconds since 1970, rounded up.
    private var lastModified: Int64? { reply.changedAt.map { $0.milliseconds / 1_000 + 1 } }

    /// The time at which the time of the last change can be disclosed; `nil` if it can be now.
    /// Until then, a pending change may still be committed with the same time, and clients that
    /// only compare times would miss it (RFC 9110 §8.8.2.2).
    var settlesAt: Timestamp? {
        guard let lastModified else { return nil }
        let end = Timestamp(milliseconds: (lastModified + Self.limitWaitSeconds) * 1_000)
        return end <= time ? nil : end
    }

    /// An upper bound for the latency of a commit, far above realistic ones.
    private static var limitWaitSeconds: Int64 { 60 }

    /// The value of `Cache-Control`. Shared caches may store public responses and must revalidate
    /// them each time; responses that depend on the caller are private. Accounts, and content for
    /// admins only, must not be stored.
    private var cacheControl: String {
        if !Request.endpoint.access.isCacheable { return "no-store" }
        guard caller == .anonymous else { return "private, no-cache" }
        // Hidden content is never sent to a reader from the shared cache.
        return request.isForUser ? "no-cache" : "public, no-cache"
    }

    private func appendLinks(to fields: inout HTTPFields) {
        if let location = reply.location { fields.append(.location, Self.target(of: location)) }
        var links: [WebLink?] = []
        if let page = reply.item as? any Paged, let next = page.next,
            let request = continued(at: next)
        {
            links.append(WebLink(target: Self.target(of: request), relation: "next"))
        }
        if let feed = (request as? FetchArticlesRequest)?.feed {
            links.append(
                WebLink(
                    target: Self.target(of: feed), relation: "alternate",
                    mediaType: "application/atom+xml"))
        }
        let texts = links.compactMap(\.?.description)
        if !texts.isEmpty { fields.append(.link, texts.joined(separator: ", ")) }
    }

    /// The request for the next page.
    private func continued(at cursor: String) -> (any BackendAPIRequest)? {
        if var search = request as? SearchArticlesRequest {
            search.cursor = cursor
            return search
        }
        guard var list = request as? any PagedRequest else { return nil }
        list.cursor = cursor
        return list
    }

    private static func target(of request: any BackendAPIRequest) -> String {
        RequestPrinter.target(of: request)
    }
}

/// An item that can estimate its size without being encoded.
private protocol Measured {
    var textBytes: Int { get }
}

extension Article: Measured {}
extension Page: Measured {
    var textBytes: Int {
        guard let articles = items as? [Article] else { return 4_096 }
        return 256 + Article.textBytes(of: articles)
    }
}

extension SearchPage: Measured where Content == Article {
    /// Titles come twice, and excerpts are short.
    var textBytes: Int { items.reduce(256) { $0 + $1.article.textBytes + 1_024 } }
}

extension ChangePage: Measured where Content == Article {
    var textBytes: Int {
        changes.reduce(256) { sum, change in
            if case .putArticle(let article, _) = change {
                sum + article.textBytes
            } else {
                sum + 256
            }
        }
    }
}

/// A page of a list.
private protocol Paged {
    var next: String? { get }
}

extension Page: Paged {}
extension SearchPage: Paged {}
