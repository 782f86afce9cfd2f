import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The knowledge of a store after searches, and its results in place of the backend's.
@Suite struct CachedSearchTests {
    private let store: ModelStore
    private let service: BackendService
    private let isOffline = Lock(false)
    private let offline = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))

    init() throws {
        store = try ModelStore(.memory)
        let isOffline = isOffline
        var environment = ClientEnvironment.system
        environment.sleep = { _ in try Task.checkCancellation() }
        let backend = BackendService.stub(environment: environment) { routes in
            routes.on(SearchArticlesRequest.self) { request in
                if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
                var article = Samples.article(1, title: "Rye bread")
                article.body = request.fields?.contains("body") == true ? "Flour." : nil
                let title = [SearchPiece(text: "Rye bread", isMatch: true)]
                return SearchPage(
                    items: [SearchHit(article: article, title: title, excerpt: [])], next: "c1",
                    correctedTo: "rye")
            }
        }
        service = BackendService(backend, memory: store)
    }

    @Test func `what a search found is remembered, without bodies`() async throws {
        let page = try await service.send(SearchArticlesRequest(query: "ryee"))
        #expect(page.next == "c1" && page.correctedTo == "rye")
        let known = try #require(try await store.loadArticle(Samples.id(1)))
        #expect(known.article.title == "Rye bread" && !known.known.contains("body"))
        #expect(try await store.titles() == ["Rye bread"])
    }

    @Test func `selected attributes are remembered and found`() async throws {
        let request = SearchArticlesRequest(query: "rye")
        try await service.send(request)
        let part = PartialRequest(request, fields: ["title", "body", "revision"])
        let found = try await service.send(part)
        #expect(found.items.map(\.article.body) == ["Flour."])
        let known = try #require(try await store.loadArticle(Samples.id(1)))
        #expect(known.article.body == "Flour." && known.known.contains("body"))
        isOffline.withLock { $0 = true }
        let again = try await service.send(part, options: offline)
        #expect(again.items.map(\.article) == found.items.map(\.article))
        #expect(again.items.map(\.article.slug) == [nil])
    }

    @Test func `without a network, what the store has is found`() async throws {
        var draft = Samples.article(2, title: "Plan for rye")
        (draft.status, draft.publishedAt) = (.draft, nil)
        try await store.merge([
            .facts(ModelFacts(draft, knowing: .inArticles, seenAt: Samples.time(0)))
        ])
        let request = SearchArticlesRequest(query: "rye", limit: 5)
        let page = try await service.send(request)
        isOffline.withLock { $0 = true }
        let reply = try await service.reply(to: request, options: offline)
        #expect(reply.source == .cached)
        // Searches only find what is published.
        #expect(reply.item.items.map(\.article) == page.items.map(\.article))
        #expect(reply.item.items[0].title.filter(\.isMatch).map(\.text) == ["Rye"])
        #expect(reply.item.next == nil && reply.item.correctedTo == nil)
        let drafts = try await store.search("rye", matching: ArticleQuery(status: .draft))
        #expect(drafts.items.map(\.article.article) == [draft])
    }

    @Test(arguments: [
        SearchArticlesRequest(query: "oats"), SearchArticlesRequest(query: "rye", cursor: "c1"),
        SearchArticlesRequest(query: "rye", fields: FieldSelection(["body"])),
    ])
    func `what the store does not know fails without a network`(
        request: SearchArticlesRequest
    ) async throws {
        try await service.send(SearchArticlesRequest(query: "rye"))
        isOffline.withLock { $0 = true }
        await #expect(throws: BackendError.offline("no network")) {
            try await service.send(request, options: offline)
        }
    }
}
