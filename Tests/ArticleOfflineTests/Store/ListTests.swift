import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Lists of the store equal filtering and sorting all of its articles.
@Suite struct ListTests {
    private static let statuses: [Article.Status] = [.draft, .scheduled, .published, .archived]
    private static let languages = ["en", "ko", "de-AT"]
    private static let sources = ["Post", "Wire"]
    private static let tags = ["Baking", "Bak", "Straße", "빵"]

    private static func article(_ number: Int, _ random: inout SplitMix64) -> Article {
        var article = Samples.article(number)
        // Few different times, so that ids decide.
        func time() -> Timestamp { Samples.time(Int.random(in: 0...5, using: &random)) }
        article.createdAt = time()
        article.updatedAt = time()
        article.publishedAt = Bool.random(using: &random) ? time() : nil
        article.status = statuses.randomElement(using: &random) ?? .draft
        article.language = languages.randomElement(using: &random) ?? "en"
        if Bool.random(using: &random) {
            article.source = sources.randomElement(using: &random).map { Article.Source(name: $0) }
        }
        article.tags = tags.filter { _ in Bool.random(using: &random) }.map {
            ArticleTag(named: $0)
        }
        article.authors = (1...3).filter { _ in Bool.random(using: &random) }.map {
            Author.Reference(id: Samples.id($0), name: "Author \($0)", revision: 1)
        }
        return article
    }

    private static func query(_ random: inout SplitMix64) -> ArticleQuery {
        func maybe<Value>(_ values: [Value]) -> Value? {
            Int.random(in: 0...3, using: &random) == 0 ? values.randomElement(using: &random) : nil
        }
        let times = (0...5).map { Samples.time($0) }
        let wanted = (tags + ["STRASSE", "none"]).filter { _ in
            Int.random(in: 0...5, using: &random) == 0
        }
        return ArticleQuery(
            tags: wanted, author: maybe((1...4).map { Samples.id($0) }),
            language: maybe(languages + ["de-at"]), status: maybe(statuses),
            source: maybe(sources), publishedAfter: maybe(times), publishedBefore: maybe(times))
    }

    @Test(arguments: UInt64(1)...6)
    func `a list is what filtering and sorting gives`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let store = try ModelStore(.memory)
        var articles: [Article] = []
        for number in 1...60 {
            articles.append(Self.article(number, &random))
            // Some change afterwards, and some are deleted.
            try await store.merge([listed(articles[number - 1])])
            let changed = Int.random(in: 0..<articles.count, using: &random)
            var next = Self.article(changed + 1, &random)
            next.revision = articles[changed].revision + 1
            articles[changed] = next
            try await store.merge([listed(next)])
        }
        for number in [3, 33] {
            try await store.merge([.removed(Article.self, Samples.id(number), .gone(revision: 999))]
            )
            articles.removeAll { $0.id == Samples.id(number) }
        }
        for _ in 0..<150 {
            let query = Self.query(&random)
            let order = ArticleSort.allCases.randomElement(using: &random) ?? .newestFirst
            let limit = Int.random(in: 0...70, using: &random)
            let expected = articles.filter(query.matches).sorted(by: order.areInIncreasingOrder)
            let found = try await store.loadArticles(matching: query, order: order, limit: limit)
            #expect(found.map(\.article) == Array(expected.prefix(limit)))
        }
    }

    private func listed(_ article: Article) -> ModelUpdate {
        .facts(ModelFacts(article, knowing: .inLists, seenAt: Samples.time(0)))
    }

    @Test func `queries are those of requests`() {
        let request = FetchArticlesRequest(
            tags: ["Straße"], author: Samples.id(1), language: "DE-at", status: .draft,
            source: "Post", publishedAfter: Samples.time(1), publishedBefore: Samples.time(2))
        let query = ArticleQuery(request)
        #expect(query.tags == ["strasse"] && query.language == "de-AT")
        let changes = FetchChangesRequest(
            tags: ["STRASSE"], author: Samples.id(1), language: "de-at", status: .draft,
            source: "Post", publishedAfter: Samples.time(1), publishedBefore: Samples.time(2))
        #expect(ArticleQuery(changes) == query && !query.matchesEverything)
        #expect(ArticleQuery(FetchArticlesRequest(limit: 3)).matchesEverything)
    }
}
