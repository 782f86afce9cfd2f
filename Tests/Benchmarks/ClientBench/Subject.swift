import ArticleAPI
import ArticleClient
import BroadsheetHTTP

/// The requests: an article of a backend, and its newest twenty.
struct Subject: Sendable {
    let base: BaseURL
    let article: FetchArticleRequest
    let list = FetchArticlesRequest()

    init(_ base: BaseURL) async throws {
        self.base = base
        let service = BackendService(configuration: BackendConfiguration(baseURL: base))
        let page = try await service.send(FetchArticlesRequest(limit: 1))
        guard let first = page.items.first else { throw EmptyBackend() }
        article = FetchArticleRequest(key: .id(first.id))
    }

    /// A transport that replays the backend's responses.
    func recorded(_ transport: some Transport) async throws -> InProcessTransport {
        let whole = try await response(article, by: transport)
        let page = try await response(list, by: transport)
        let target = RequestPrinter.print(article).target
        return InProcessTransport { request, _ in request.target == target ? whole : page }
    }

    private func response<Request: BackendAPIRequest>(
        _ request: Request, by transport: some Transport
    ) async throws -> HTTPResponse {
        try await transport.exchange(wire(request), with: base.origin, options: .init())
    }

    /// The request as the SDK sends it.
    func wire<Request: BackendAPIRequest>(_ request: Request) -> HTTPRequest {
        var wire = RequestPrinter.print(request)
        wire.fields.append(contentsOf: BackendConfiguration(baseURL: base).headers)
        return wire
    }
}

struct EmptyBackend: Error {}
