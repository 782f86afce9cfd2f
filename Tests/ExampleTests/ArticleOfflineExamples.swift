import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

private struct FetchDraftsRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/v1/drafts", access: .writeArticles)
    typealias Item = Page<Article>
    static let parameters = Parameters(Self.init)
}

extension FetchDraftsRequest: CacheableRequest {
    func updates(in page: Page<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
        page.items.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: time)) }
    }
}

/// The examples of what is remembered.
@Suite struct ArticleOfflineExamples {
    private let article = ServedExampleBackend.article
    private let id = ServedExampleBackend.article.id
    private let now = ServedExampleBackend.time

    @Test func `a store of models`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("articles.store")
        let store = try ModelStore(.file(path, of: "ada"))
        try await store.merge([.facts(ModelFacts(article, knowing: .inArticles, seenAt: now))])
        let baking = ArticleQuery(tags: ["baking"])
        let newest = try await store.loadArticles(matching: baking, limit: 20)
        #expect(newest.map(\.article) == [article])
    }

    @Test func `what a response says`() async throws {
        let store = try ModelStore(.memory)
        let time = now
        let deleted = Article.ID(at: now)
        let facts = ModelFacts(article, knowing: .inArticles, seenAt: time)
        let removal = ModelUpdate.removed(Article.self, deleted, .gone(revision: 4))
        try await store.merge([.facts(facts), removal])
        #expect(try await store.loadArticle(id)?.article == article)
    }

    @Test func `an article as it is known`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([.facts(ModelFacts(article, knowing: .inArticles, seenAt: now))])
        let shown = Lock<CachedArticle?>(nil)
        let isShown = Signal()
        let observer = Task { [id] in
            await Self.follow(store, id) { cached in
                shown.withLock { $0 = cached }
                isShown.give()
            }
        }
        await isShown.wait()
        observer.cancel()
        await observer.value
        let cached = try #require(shown.withLock { $0 })
        #expect(cached.article == article && cached.known.contains("body"))
    }

    private static func follow(
        _ store: ModelStore, _ id: Article.ID, _ show: (CachedArticle) -> Void
    ) async {
        for await cached in store.article(id) {
            if let cached { show(cached) }
        }
    }

    @Test func `a list as it changes`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([.facts(ModelFacts(article, knowing: .inArticles, seenAt: now))])
        var titles: [String] = []
        for await list in store.articles(matching: ArticleQuery(tags: ["baking"])) {
            titles = list.map(\.article.title)
            if !titles.isEmpty { break }
        }
        #expect(titles == ["Bread"])
    }

    @Test func `requests whose responses are remembered`() async throws {
        let backend = BackendService.stub { [article] routes in
            routes.on(FetchArticleRequest.self) { _ in article }
            routes.on(FetchDraftsRequest.self) { _ in Page(items: []) }
        }
        let store = try ModelStore(.memory)
        let remembering = BackendService(backend, memory: store)
        let article = try await remembering.send(FetchArticleRequest(key: .id(id)))
        let offline = RequestOptions(freshness: .cached)
        let same = try await remembering.send(FetchArticleRequest(key: .id(id)), options: offline)
        #expect(same == article)
        var titles: [String] = []
        for try await reply in remembering.replies(to: FetchArticleRequest(key: .id(id))) {
            titles.append(reply.item.title)
        }
        #expect(titles == ["Bread", "Bread"])
        #expect(try await remembering.send(FetchDraftsRequest()).items.isEmpty)
    }

    @Test func `what an account has on the device`() async throws {
        let backend = BackendService.stub { [article] routes in
            routes.on(FetchArticlesRequest.self) { _ in Page(items: [article]) }
        }
        let library = try OfflineLibrary(.memory(of: "ada"), on: backend)
        let running = Task { try await library.run() }
        let page = try await library.backend.send(FetchArticlesRequest(limit: 20))
        #expect(page.items.map(\.title) == ["Bread"])
        running.cancel()
        _ = await running.result
    }

    @Test func `what was searched for last`() async throws {
        let store = try ModelStore(.memory)
        try await store.changeRecentSearches { $0.add("swift 구조체") }
        let proposals = try await store.loadRecentSearches().queries
        #expect(proposals == ["swift 구조체"])
    }

    @Test func `a query of articles`() {
        let articles = [article]
        let query = ArticleQuery(tags: ["baking"], language: "en")
        let sort = ArticleSort.updatedLast
        let shown = articles.filter(query.matches).sorted(by: sort.areInIncreasingOrder)
        #expect(shown == [article])
    }
}
