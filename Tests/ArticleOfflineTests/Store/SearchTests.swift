import ArticleAPI
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Searching what a store knows.
@Suite struct SearchTests {
    private func article(
        _ number: Int, revision: Int = 1, title: String, summary: String = "",
        body: String? = nil, tags: [String] = [], author: String? = nil,
        status: Article.Status = .published
    ) -> Article {
        var article = Samples.article(number, revision: revision, title: title, body: body)
        article.summary = summary
        article.tags = tags.map { ArticleTag(named: $0) }
        article.status = status
        if status != .published { article.publishedAt = nil }
        article.authors = author.map { [.init(id: Samples.id(1), name: $0, revision: 1)] } ?? []
        return article
    }

    private func updates(_ article: Article) -> ModelUpdate {
        let known: AttributeSet<Article> = article.body == nil ? .inLists : .inArticles
        return .facts(ModelFacts(article, knowing: known, seenAt: Samples.time(0)))
    }

    private func titles(
        _ store: ModelStore, _ query: String, matching filter: ArticleQuery = ArticleQuery(),
        limit: Int = 20
    ) async throws -> [String] {
        try await store.search(query, matching: filter, limit: limit).items
            .map(\.article.article.title)
    }

    @Test func `words are found in all that is known, and in bodies once these are`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([
            updates(article(1, title: "Rye bread", summary: "Sour and dark.")),
            updates(article(2, title: "구조체를 쓰는 법", tags: ["Swift"], author: "Mina Kim")),
            updates(article(3, title: "Weather")),
        ])
        #expect(try await titles(store, "bread rye") == ["Rye bread"])
        #expect(try await titles(store, "SÓUR") == ["Rye bread"])
        #expect(try await titles(store, "swift 구조") == ["구조체를 쓰는 법"])
        #expect(try await titles(store, "kim") == ["구조체를 쓰는 법"])
        #expect(try await titles(store, "umbrella") == [])
        #expect(try await titles(store, "  ") == [])
        #expect(try await titles(store, "bread", limit: 0) == [])
        try await store.merge([updates(article(3, title: "Weather", body: "Take an *umbrella*."))])
        let page = try await store.search("umbrella")
        let hit = try #require(page.items.first)
        #expect(page.next == nil && page.items.count == 1)
        #expect(hit.article.known.contains("body"))
        #expect(hit.title.map(\.text).joined() == "Weather")
        #expect(hit.excerpt.filter(\.isMatch).map(\.text) == ["umbrella"])
    }

    @Test func `what changes is found as it is now`() async throws {
        let store = try ModelStore(.memory)
        let first = article(1, title: "Rye bread", author: "Ada")
        try await store.merge([updates(first), updates(article(2, title: "White bread"))])
        #expect(try await titles(store, "bread") == ["White bread", "Rye bread"])
        try await store.merge([updates(article(1, revision: 2, title: "Rye cake", author: "Ada"))])
        #expect(try await titles(store, "bread") == ["White bread"])
        #expect(try await titles(store, "cake") == ["Rye cake"])
        try await store.merge([.removed(Article.self, Samples.id(2), .gone(revision: 2))])
        #expect(try await titles(store, "bread") == [])
        try await store.merge([updates(article(3, title: "New bread"))])
        #expect(try await titles(store, "bread") == ["New bread"])
        let renamed = Samples.author(1, revision: 2, name: "Grace")
        try await store.merge([
            .facts(ModelFacts(renamed, knowing: .all, seenAt: Samples.time(9)))
        ])
        #expect(try await titles(store, "ada") == [])
        #expect(try await titles(store, "grace") == ["Rye cake"])
    }

    @Test func `unsent writes are found`() async throws {
        let store = try ModelStore(.memory)
        let known = article(1, title: "Rye bread")
        try await store.merge([updates(known)])
        #expect(try await titles(store, "rye") == ["Rye bread"])
        try await store.commit(
            StoreChanges(writes: [
                try Writes.update(1, of: known, title: "Oat cake"),
                try Writes.creation(2, Samples.id(7), title: "Plum cake"),
            ]))
        #expect(try await titles(store, "rye") == [])
        #expect(try await Set(titles(store, "cake")) == ["Oat cake", "Plum cake"])
        #expect(try await titles(store, "flour") == ["Plum cake"])
        try await store.commit(StoreChanges(finishedWrites: [1, 2]))
        #expect(try await titles(store, "cake") == [])
        #expect(try await titles(store, "rye") == ["Rye bread"])
    }

    @Test func `what another process writes is found`() async throws {
        let folder = try StoreFolder()
        let (one, other) = (try folder.open(), try folder.open())
        try await one.merge([updates(article(1, title: "Rye bread"))])
        #expect(try await titles(other, "bread") == ["Rye bread"])
        try await one.merge([
            updates(article(1, revision: 2, title: "Rye cake")),
            updates(article(2, title: "Bread")),
        ])
        #expect(try await titles(other, "bread") == ["Bread"])
        #expect(try await titles(other, "cake") == ["Rye cake"])
    }

    @Test func `filters are those of lists`() async throws {
        let store = try ModelStore(.memory)
        var korean = article(3, title: "Bread of Seoul", tags: ["Baking"])
        korean.language = "ko"
        korean.source = Article.Source(name: "Wire")
        try await store.merge([
            updates(article(1, title: "Bread", tags: ["Baking"], author: "Ada")),
            updates(article(2, title: "Bread plan", status: .draft)), updates(korean),
        ])
        func found(_ filter: ArticleQuery) async throws -> [String] {
            try await titles(store, "bread", matching: filter).sorted()
        }
        #expect(try await found(ArticleQuery()).count == 3)
        #expect(try await found(ArticleQuery(tags: ["BAKING"])) == ["Bread", "Bread of Seoul"])
        #expect(try await found(ArticleQuery(status: .draft)) == ["Bread plan"])
        #expect(try await found(ArticleQuery(author: Samples.id(1))) == ["Bread"])
        #expect(try await found(ArticleQuery(language: "ko")) == ["Bread of Seoul"])
        #expect(try await found(ArticleQuery(source: "Wire")) == ["Bread of Seoul"])
        let before = ArticleQuery(publishedBefore: Samples.time(2))
        #expect(try await found(before) == ["Bread"])
        #expect(
            try await found(ArticleQuery(SearchArticlesRequest(query: "")))
                == ["Bread", "Bread of Seoul"])
    }

    @Test func `a query with an error finds the nearest words, and says so`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([updates(article(1, title: "Sourdough starter"))])
        let page = try await store.search("sourdouhg starter")
        #expect(page.items.map(\.article.article.title) == ["Sourdough starter"])
        #expect(page.correctedTo == "sourdough starter")
        #expect(try await store.search("zzz").correctedTo == nil)
    }

    @Test func `more than one step of articles is found`() async throws {
        let store = try ModelStore(.memory)
        let count = 130
        try await store.merge((1...count).map { updates(article($0, title: "Bread \($0)")) })
        #expect(try await titles(store, "bread", limit: 1_000).count == count)
        let newest = try await titles(store, "bread", limit: 3)
        #expect(newest == ["Bread 130", "Bread 129", "Bread 128"])
        // The last of the candidates has the phrase.
        #expect(try await titles(store, "\"bread 1\"") == ["Bread 1"])
    }

    @Test func `other calls come between the steps of a search`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge((1...200).map { updates(article($0, title: "Bread \($0)")) })
        let order = try await Self.searchAndRead(store)
        #expect(order == ["read", "found 200"])
    }

    /// Begins a search, and then a call, from the store's own executor; what ends first.
    private static func searchAndRead(_ store: isolated ModelStore) async throws -> [String] {
        let order = Lock<[String]>([])
        let search = Task {
            let found = try await store.search("bread", limit: 1_000).items.count
            order.withLock { $0.append("found \(found)") }
        }
        let read = Task {
            _ = try store.size()
            order.withLock { $0.append("read") }
        }
        try await read.value
        try await search.value
        return order.withLock { $0 }
    }

    @Test func `a cancelled search ends`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge((1...200).map { updates(article($0, title: "Bread \($0)")) })
        let isReleased = Signal()
        let search = Task {
            await isReleased.wait()
            return try await store.search("bread").items.count
        }
        search.cancel()
        isReleased.give()
        #expect(try await search.value == 0)
        #expect(try await titles(store, "bread", limit: 1_000).count == 200)
    }

    @Test func `of too many articles the newest are searched`() async throws {
        // Each counts as more than 1,000 bytes.
        let store = try ModelStore(.memory, limits: .init(searchedBytes: 20_000))
        try await store.merge((1...40).map { updates(article($0, title: "Bread \($0)")) })
        let found = try await titles(store, "bread", limit: 1_000)
        #expect((15...19).contains(found.count))
        #expect(found == (0..<found.count).map { "Bread \(40 - $0)" })
        try await store.merge([updates(article(41, title: "Bread 41"))])
        #expect(try await titles(store, "bread").first == "Bread 41")
    }
}
