import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport

/// A backend in memory: pages of a feed, and streams that a test writes.
final class FeedBackend: Sendable {
    typealias Hook = @Sendable (String) async throws -> Void

    private struct State {
        var feed: ChangeFeed
        var requests: [String] = []
        var hook: Hook = { _ in }
        var stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    }

    private let state = Lock(State(feed: ChangeFeed(pageSize: 1)))

    /// The feed, whose pages have one change each.
    var feed: ChangeFeed { state.withLock { $0.feed } }

    /// The history becomes another one, without any articles.
    func beginAnew() {
        let feed = ChangeFeed(pageSize: 1)
        feed.reset()
        state.withLock { $0.feed = feed }
    }

    /// The requests received: `page 1.2.`, `stream 1.3.`, `count`.
    var requests: [String] { state.withLock { $0.requests } }

    /// Is called before each response, with the request; its errors are those of the transport.
    func beforeResponses(_ hook: @escaping Hook) { state.withLock { $0.hook = hook } }

    func service(
        auth: BackendAuth = BackendAuth(), environment: ClientEnvironment
    ) -> BackendService {
        // A busy machine may take longer than the default.
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(Patience.seconds)
        return BackendService(
            configuration: configuration,
            transport: InProcessTransport(environment: environment) { request, _ in
                try await self.respond(to: request)
            },
            auth: auth, environment: environment)
    }

    /// Sends what has changed since a token to the last stream.
    ///
    /// - Returns: the token after it.
    @discardableResult
    func push(since token: String) throws(Problem) -> String {
        var since = token
        while true {
            let page = try feed.page(FetchChangesRequest(since: since))
            for change in page.changes {
                send("event: change\nid: \(page.next)\ndata: \(Self.text(change.json()))\n\n")
            }
            since = page.next
            guard page.more else { return since }
        }
    }

    /// Ends the last stream as a lost connection does.
    func cutStream() {
        state.withLock { $0.stream }?.finish(
            throwing: TransportError.failed(TransportFailure(.disconnected, "lost")))
    }

    private func send(_ text: String) {
        _ = state.withLock { $0.stream }?.yield(Array(text.utf8))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let path = Self.text(Array(request.target.path))
        let changes: FetchChangesRequest?
        switch path {
        case "/v1/changes": changes = try Self.parsed(FetchChangesRequest.self, request)
        case "/v1/changes/stream":
            changes = try Self.parsed(StreamChangesRequest.self, request).changes
        default: changes = nil
        }
        let kind = changes == nil ? "count" : path.hasSuffix("stream") ? "stream" : "page"
        let name = [kind, changes?.since].compactMap(\.self).joined(separator: " ")
        let hook = state.withLock { state in
            state.requests.append(name)
            return state.hook
        }
        try await hook(name)
        guard let changes else {
            let count = PageCount(value: feed.articles.count, isExact: true)
            return Self.json(Page<Article>(items: [], count: count).json())
        }
        do throws(Problem) {
            let page = try feed.page(changes)
            return kind == "page" ? Self.json(page.json()) : try stream(changes.since ?? "")
        } catch {
            return HTTPResponse(
                HTTPStatus(error.status) ?? .internalServerError,
                fields: [.contentType: Problem.mediaType], body: .bytes(error.json()))
        }
    }

    private static func parsed<Request: BackendAPIRequest>(
        _ type: Request.Type, _ request: HTTPRequest
    ) throws -> Request {
        guard let source = RequestSource(request, for: Request.endpoint) else {
            throw TestFailure("\(request.target)")
        }
        return try Request(parsing: source)
    }

    private static func json(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(.ok, fields: [.contentType: "application/json"], body: .bytes(bytes))
    }

    private func stream(_ since: String) throws(Problem) -> HTTPResponse {
        let (pieces, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        state.withLock { $0.stream = writer }
        let token = try push(since: since)
        send("event: ready\nid: \(token)\ndata: {}\n\n")
        let body = HTTPBodyStream {
            for try await piece in pieces { return piece }
            return nil
        }
        return HTTPResponse(.ok, fields: [.contentType: "text/event-stream"], body: .stream(body))
    }
}

/// The end of a call.
func ending<Value: Sendable>(
    _ work: () async throws -> Value
) async -> Result<Value, OfflineError> {
    do { return .success(try await work()) } catch {
        return .failure(
            error as? OfflineError
                ?? .backend(.transport(TransportFailure(.malformed, "\(error)"))))
    }
}

extension Result where Failure == OfflineError {
    var error: OfflineError? { if case .failure(let error) = self { error } else { nil } }
}

extension ArticleMirror {
    /// Waits until it is in such a state.
    func wait(until isWanted: (State) -> Bool) async {
        for await state in states where isWanted(state) { return }
    }

    /// Follows in a task of its own.
    func follow() -> Task<OfflineError?, Never> {
        Task { await ending { try await self.run() }.error }
    }
}

extension ModelStore {
    /// The slugs of all articles, in their order.
    func slugs() throws -> [String] {
        try loadArticles(limit: 1_000).map(\.article.slug).sorted()
    }
}
