import ArticleAPI
import ArticleClient
import BroadsheetHTTP

/// A backend in memory, which parses requests and applies edits by the contract's own functions.
///
/// It has neither roles nor limits: whoever is signed in may do what editors may. A request that it
/// does not know fails with the problem `not-implemented`.
final class InMemoryBackend: Transport {
    let environment: ClientEnvironment
    private let state: Locked<InMemoryState>

    /// The requests that it knows, besides the stream of changes.
    private static let requests: [any InMemoryRequest.Type] = [
        FetchArticlesRequest.self, FetchArticleRequest.self, CreateArticleRequest.self,
        UpdateArticleRequest.self, DeleteArticleRequest.self, SearchArticlesRequest.self,
        FetchTagsRequest.self, FetchAuthorsRequest.self, FetchAuthorRequest.self,
        FetchChangesRequest.self, FetchCommentsRequest.self, CreateCommentRequest.self,
        DeleteCommentRequest.self, FetchBookmarksRequest.self, PutBookmarkRequest.self,
        DeleteBookmarkRequest.self, SignUpRequest.self, SignInRequest.self,
        RefreshSessionRequest.self, SignOutRequest.self, FetchMeRequest.self,
    ]

    init(_ content: BackendService.InMemoryContent, _ environment: ClientEnvironment) {
        self.environment = environment
        state = Locked(InMemoryState(content, environment))
    }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        let transport = InProcessTransport(environment: environment) { request, _ in
            self.respond(to: request)
        }
        return try await transport.exchange(request, with: origin, options: options)
    }

    /// Begins a session of a user.
    func begin(for user: User) -> UserSession {
        state.withLock { $0.begin(for: $0.add(user, password: nil)) }
    }

    /// The response to a request. One that is rejected changes nothing.
    private func respond(to message: HTTPRequest) -> HTTPResponse {
        do throws(Problem) {
            if let response = try stream(message) { return response }
            for type in Self.requests where type.endpoint.method == message.method {
                if let response = try respond(to: message, as: type) { return response }
            }
            throw Problem(
                .notImplemented,
                detail: "The backend in memory has no \(message.method) \(message.target).")
        } catch {
            return StubRoutes.response(error)
        }
    }

    /// The response to a request of this type; `nil` if it has another path.
    private func respond<Request: InMemoryRequest>(
        to message: HTTPRequest, as _: Request.Type
    ) throws(Problem) -> HTTPResponse? {
        let endpoint = Request.endpoint
        guard let source = RequestSource(message, for: endpoint) else { return nil }
        return try state.withLock { (state) throws(Problem) in
            try state.authenticate(message.fields)
            if endpoint.access != .everyone { _ = try state.signedIn() }
            let request: Request = try .parsed(from: source)
            let key = (request as? any IdempotentWriteRequest)?.idempotencyKey
            let write = key.map { state.write(message, key: $0) }
            if let write, let response = try state.response(to: write) { return response }
            var next = state
            let reply = try request.reply(in: &next)
            let response = reply.response(to: message, endpoint, isPublic: state.session == nil)
            if let write { next.responses[write.scope] = (write.content, response) }
            state = next
            return response
        }
    }

    /// The stream of changes; `nil` if the request is another one.
    private func stream(_ message: HTTPRequest) throws(Problem) -> HTTPResponse? {
        guard message.method == .get,
            let source = RequestSource(message, for: StreamChangesRequest.endpoint)
        else { return nil }
        let request: StreamChangesRequest = try .parsed(from: source)
        var changes = request.changes
        changes.since = request.lastEventID ?? changes.since
        let (commits, number) = try state.withLock { [changes] (state) throws(Problem) in
            try state.authenticate(message.fields)
            // A token that cannot be used is a problem, and not a stream.
            _ = try state.changes(changes)
            return state.follow()
        }
        let position = Locked((changes: changes, isCurrent: false))
        let body = HTTPBodyStream { [state] in
            var commits = commits.makeAsyncIterator()
            repeat {
                let events = try state.withLock { (state) throws(Problem) in
                    try state.authenticate(message.fields)
                    return try position.withLock { (position) throws(Problem) in
                        try state.events(&position.changes, &position.isCurrent)
                    }
                }
                if !events.isEmpty { return events }
            } while await commits.next() != nil
            state.withLock { $0.followers[number] = nil }
            return nil
        }
        let fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        return HTTPResponse(.ok, fields: fields, body: .stream(body))
    }
}

/// A request that a backend in memory knows.
protocol InMemoryRequest: BackendAPIRequest {
    /// Carries out the request for the sender of `state.session`.
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Item>
}

extension BackendAPIRequest {
    fileprivate static func parsed(from source: RequestSource) throws(Problem) -> Self {
        do throws(RequestValidationError) { return try Self(parsing: source) } catch {
            throw error.problem()
        }
    }
}

/// The result of a request, before it is encoded.
struct InMemoryReply<Item: ResponseItem> {
    let item: Item
    /// The selected attributes; `nil` for all that the item has.
    var fields: FieldSelection?
    /// The version of an item that has revisions.
    var version: String?
    /// The path of what was created.
    var location: String?

    /// The response; 304 if the sender's copy is current.
    fileprivate func response(
        to message: HTTPRequest, _ endpoint: Endpoint, isPublic: Bool
    ) -> HTTPResponse {
        let isKept = endpoint.method.isSafe && endpoint.access == .everyone
        let caching = isKept ? "\(isPublic ? "public" : "private"), no-cache" : "no-store"
        var fields: HTTPFields = [.cacheControl: caching]
        let encoding = Item.encoding
        guard let mediaType = encoding.mediaType else {
            return HTTPResponse(endpoint.success, fields: fields)
        }
        let bytes = encoding.write(item, self.fields)
        let etag = EntityTag(value: (version ?? "") + StableHash(bytes).text)
        if let etag, !endpoint.carriesSecrets { fields.set(.etag, to: etag.description) }
        if endpoint.method.isSafe,
            Freshness.isNotModified(message.fields, etag: etag, lastModified: nil)
        {
            return HTTPResponse(.notModified, fields: fields)
        }
        if let location { fields.set(.location, to: location) }
        fields.set(.contentType, to: mediaType)
        return HTTPResponse(endpoint.success, fields: fields, body: .bytes(bytes))
    }
}
