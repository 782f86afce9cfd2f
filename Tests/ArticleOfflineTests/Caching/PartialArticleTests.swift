import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Lists by sparse fields: kept as what they are, shown, and replaced by more without flicker.
@Suite struct PartialArticleTests {
    private let isOffline = Lock(false)
    private let folder: StoreFolder
    private let feed = PartialRequest(
        FetchArticlesRequest(limit: 3), fields: ["title", "authors", "revision"])
    private let offline = RequestOptions(freshness: .cached)

    init() throws { folder = try StoreFolder() }

    private static func article(_ number: Int) -> Article {
        var article = Samples.article(number, body: "Body \(number)")
        article.authors = [Author.Reference(id: Samples.id(9), name: "Ada", revision: 1)]
        return article
    }

    private func service(_ store: ModelStore) -> BackendService {
        let stub = BackendService.stub { [isOffline] routes in
            @Sendable func check() throws {
                if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
            }
            routes.on(PartialRequest<FetchArticlesRequest>.self) { request in
                try check()
                // Not in an order that the attributes would give.
                let page = Page(items: [2, 3, 1].map { Self.article($0) }, next: "more")
                return try Page<PartialArticle>(mapping: page.json(request.whole.fields))
            }
            routes.on(FetchArticleRequest.self) { request in
                try check()
                for number in 1...3 where request.key == .id(Samples.id(number)) {
                    return Self.article(number)
                }
                throw Problem(.notFound)
            }
        }
        return BackendService(stub, memory: store)
    }

    @Test func `a feed is there after a relaunch, in its order`() async throws {
        let titles = ["Article 2.1", "Article 3.1", "Article 1.1"]
        let page = try await service(try folder.open()).send(feed)
        #expect(page.items.map(\.title) == titles)
        isOffline.withLock { $0 = true }
        let store = try folder.open()
        let again = try await service(store).send(feed, options: offline)
        #expect(again == page)
        #expect(try await store.loadPartialArticles(of: feed).map(\.article.title) == titles)
        // None of them is whole, so that other lists do not show them.
        #expect(try await store.titles() == [])
        let one = PartialRequest(
            FetchArticleRequest(key: .id(Samples.id(3))), fields: ["title", "revision"])
        #expect(try await service(store).send(one, options: offline).title == "Article 3.1")
        let more = PartialRequest(FetchArticlesRequest(limit: 3), fields: ["title", "summary"])
        await #expect(throws: BackendError.notCached) {
            try await service(store).send(more, options: offline)
        }
    }

    @Test func `the list keeps its order while articles become whole`() async throws {
        let store = try folder.open()
        let service = service(store)
        var updates = store.partialArticles(of: feed).makeAsyncIterator()
        #expect(await updates.next() == [])
        try await service.send(feed)
        let shown = try #require(await updates.next())
        #expect(shown.map(\.known).allSatisfy { !$0.contains("slug") })
        for (count, number) in [3, 1, 2].enumerated() {
            try await service.send(FetchArticleRequest(key: .id(Samples.id(number))))
            let next = try #require(await updates.next())
            #expect(next.map(\.id) == shown.map(\.id))
            #expect(next.filter { $0.whole != nil }.count == count + 1)
            #expect(next.first { $0.id == Samples.id(number) }?.article.body == "Body \(number)")
        }
        // Nothing that was known has become another.
        let last = try await store.loadPartialArticles(of: feed)
        #expect(last.map(\.article.title) == shown.map(\.article.title))
        // The same response again changes nothing.
        let page = try await service.send(feed, options: offline)
        #expect(page.items.allSatisfy { $0.body == nil && $0.slug == nil })
    }

    @Test func `an observer of one article sees its parts, new names, edits and its end`()
        async throws
    {
        let store = try folder.open()
        let service = service(store)
        var updates = store.partialArticle(Samples.id(1)).makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        try await service.send(feed)
        let part = try #require(await updates.next() ?? nil)
        #expect(part.article.title == "Article 1.1" && part.whole == nil)
        let ada = Samples.author(9, revision: 2, name: "Ada Lovelace")
        try await store.merge([
            .facts(ModelFacts(ada, knowing: .all, seenAt: Samples.time(5)))
        ])
        #expect(await updates.next()??.article.authors?.map(\.name) == ["Ada Lovelace"])
        let write = try Writes.update(1, of: Self.article(1), title: "Mine")
        try await store.commit(StoreChanges(writes: [write]))
        #expect(await updates.next()??.article.title == "Mine")
        try await store.commit(
            StoreChanges(
                updates: [.removed(Article.self, Samples.id(1), .gone(revision: 9))],
                finishedWrites: [1]))
        #expect(await updates.next() == .some(.none))
        #expect(try await store.loadPartialArticles(of: feed).map(\.id).count == 2)
    }
}
