import ArticleAPI
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The knowledge of a store after responses.
@Suite struct MergingTests {
    private let article: Article.ID = Samples.id(1)

    @Test func `a list does not take away a body`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.whole(1, body: "Knead.", seenAt: 1)])
        try await store.merge([Samples.listed(1, revision: 2, seenAt: 2)])
        let cached = try #require(try await store.loadArticle(article))
        #expect(cached.article.title == "Article 1.2")
        #expect(cached.article.body == "Knead." && cached.known.contains("body"))
        #expect(!cached.known.contains("commentCount"))
        #expect(!cached.isPinned && cached.pending == nil)
    }

    @Test func `an article is found by its slug`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.listed(1), Samples.listed(2)])
        #expect(try await store.loadArticle(slug: "article-2")?.id == Samples.id(2))
        #expect(try await store.loadArticle(slug: "article-3") == nil)
    }

    @Test func `a late response overwrites nothing`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.listed(1, revision: 3, seenAt: 3)])
        try await store.merge([Samples.whole(1, revision: 2, body: "Old", seenAt: 9)])
        let cached = try #require(try await store.loadArticle(article))
        #expect(cached.article.title == "Article 1.3" && cached.article.body == "Old")
    }

    @Test func `attributes of partial responses add up, and then the article is listed`()
        async throws
    {
        let store = try ModelStore(.memory)
        let whole = Samples.article(1)
        let names = Article.shape.properties.map(\.name)
        for name in names.filter({ $0 != "publishedAt" }).shuffled() + ["publishedAt"] {
            #expect(try await store.titles() == [])
            let fields = FieldSelection([name, "revision"])
            let part = try PartialArticle(mapping: whole.json(fields))
            try await store.merge([
                .facts(ModelFacts(part, fields, seenAt: Samples.time(1)))
            ])
        }
        #expect(try await store.loadArticle(article)?.article == whole)
        #expect(try await store.titles() == [whole.title])
        #expect(try await store.loadArticle(article)?.known == .all)
    }

    @Test func `everything is there after a restart`() async throws {
        let folder = try StoreFolder()
        try await folder.open().merge([
            Samples.whole(1, body: "Knead."), Samples.listed(2),
            .facts(
                ModelFacts(Samples.author(5, name: "Ada"), knowing: .all, seenAt: Samples.time(0))),
            .facts(ModelFacts(Samples.comment(6, on: 1), knowing: .all, seenAt: Samples.time(0))),
        ])
        let store = try folder.open()
        #expect(try await store.titles() == ["Article 2.1", "Article 1.1"])
        #expect(try await store.loadArticle(article)?.article.body == "Knead.")
        #expect(try await store.load(Author.self, Samples.id(5))?.name == "Ada")
        #expect(try await store.loadComments(on: article).map(\.comment.body) == ["Comment 6.1"])
        #expect(folder.events.isEmpty)
    }

    @Test func `what is known already costs no commit`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.merge([Samples.whole(1, seenAt: 1), Samples.listed(2, seenAt: 1)])
        let observer = try RawDatabase(folder.path)
        let before = try observer.number("PRAGMA data_version")
        for second in 2...20 {
            try await store.merge([
                Samples.listed(1, seenAt: second), Samples.listed(2, seenAt: second),
            ])
        }
        #expect(try observer.number("PRAGMA data_version") == before)
        try await store.merge([Samples.listed(1, revision: 2, seenAt: 21)])
        #expect(try observer.number("PRAGMA data_version") != before)
    }

    @Test func `times that changed nothing else are stored in the end`() async throws {
        let folder = try StoreFolder()
        func counted(_ count: Int, at second: Int) -> ModelUpdate {
            var article = Samples.article(1)
            article.commentCount = count
            return .facts(ModelFacts(article, knowing: .all, seenAt: Samples.time(second)))
        }
        try await folder.open().merge([counted(3, at: 1)])
        try await folder.open().merge([counted(3, at: 9)])
        let store = try folder.open()
        try await store.merge([counted(2, at: 5)])
        #expect(try await store.loadArticle(article)?.article.commentCount == 3)
        try await store.merge([counted(2, at: 10)])
        #expect(try await store.loadArticle(article)?.article.commentCount == 2)
    }

    @Test func `times of several responses are stored in the end`() async throws {
        let folder = try StoreFolder()
        var counted = Samples.article(1, body: "Body")
        counted.commentCount = 3
        func all(at second: Int) -> ModelUpdate {
            .facts(ModelFacts(counted, knowing: .all, seenAt: Samples.time(second)))
        }
        func listed(at second: Int) -> ModelUpdate { Samples.listed(1, seenAt: second) }
        func origins() async throws -> [Int64?] {
            let facts = try await folder.open().loadFacts(Article.self, article)
            return ["title", "commentCount"].map { name in
                facts?.origin(of: name).map {
                    ($0.seenAt.milliseconds - Samples.time(0).milliseconds) / 1_000
                }
            }
        }
        // One origin becomes two, both become later, and they are one again.
        try await folder.open().merge([all(at: 1)])
        #expect(try await origins() == [1, 1])
        try await folder.open().merge([listed(at: 2)])
        #expect(try await origins() == [2, 1])
        try await folder.open().merge([listed(at: 4)])
        #expect(try await origins() == [4, 1])
        var store: ModelStore? = try folder.open()
        for second in [5, 6] { try await store?.merge([all(at: second)]) }
        store = nil
        #expect(try await origins() == [6, 6])
        try await folder.open().merge([all(at: 7), Samples.listed(2)])
        #expect(try await origins() == [7, 7])
    }

    @Test func `a time is not stored for what another store has written meanwhile`() async throws {
        let folder = try StoreFolder()
        let one = try folder.open()
        try await one.merge([Samples.listed(1, seenAt: 1)])
        try await one.merge([Samples.listed(1, seenAt: 9)])
        try await folder.open().merge([Samples.listed(1, revision: 2, seenAt: 3)])
        try await one.merge([Samples.listed(2)])
        let facts = try await folder.open().loadFacts(Article.self, article)
        #expect(facts?.revision == 2 && facts?.seenAt == Samples.time(3))
    }

    @Test func `the size is that of all rows`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let backend = FetchArticlesRequest()
        for round in 1...3 {
            try await store.merge(
                (1...4).map { Samples.whole($0, revision: round, body: "\(round * $0)") }
                    + ModelUpdate.response(
                        to: backend, rest: Array("\(round)".utf8), seenAt: Samples.time(round)))
            try await store.merge([.removed(Article.self, Samples.id(round), .gone(revision: 9))])
            let sum = try RawDatabase(folder.path).number("SELECT sum(bytes) FROM models")
            #expect(try await store.size() == sum.map { Int($0) })
        }
        let count = try RawDatabase(folder.path).number("SELECT count(*) FROM models")
        #expect(count == 2)
    }

    @Test func `a failed merge leaves nothing`() async throws {
        let store = try ModelStore(.memory, limits: ModelStore.Limits(bytes: 3_000))
        try await store.pin(Samples.id(1))
        try await store.pin(Samples.id(2))
        try await store.merge([Samples.listed(1)])
        let large = String(repeating: "a", count: 4_000)
        await #expect(throws: OfflineError.full) {
            try await store.merge([
                Samples.listed(1, revision: 2), Samples.whole(2, body: large),
            ])
        }
        #expect(try await store.titles() == ["Article 1.1"])
        try await store.merge([Samples.listed(1, revision: 2)])
        #expect(try await store.titles() == ["Article 1.2"])
    }

    // MARK: Names

    private func articleBy(_ name: String, revision: Int?, _ number: Int = 1) -> ModelUpdate {
        var article = Samples.article(number)
        article.authors = [Author.Reference(id: Samples.id(9), name: name, revision: revision)]
        return .facts(ModelFacts(article, knowing: .inLists, seenAt: Samples.time(0)))
    }

    private func name(_ store: ModelStore, _ number: Int = 1) async throws -> String? {
        try await store.loadArticle(Samples.id(number))?.article.authors.first?.name
    }

    @Test func `by-lines have the newest name`() async throws {
        let folder = try StoreFolder()
        var store = try folder.open()
        try await store.merge([articleBy("Ada", revision: 1), articleBy("Ada", revision: 1, 2)])
        let renamed = ModelFacts(
            Samples.author(9, revision: 3, name: "Ada Lovelace"), knowing: .all,
            seenAt: Samples.time(1))
        try await store.merge([.facts(renamed)])
        #expect(try await name(store) == "Ada Lovelace")
        try await store.merge([articleBy("Ada Byron", revision: 2, 3)])
        store = try folder.open()
        for number in 1...3 { #expect(try await name(store, number) == "Ada Lovelace") }
        // A newer by-line gives its name to the others.
        try await store.merge([articleBy("A. L.", revision: 4, 4)])
        for number in 1...4 { #expect(try await name(store, number) == "A. L.") }
        try await store.merge([.removed(Author.self, Samples.id(9), .gone(revision: 5))])
        #expect(try await name(store) == "Ada")
        #expect(try await store.load(Author.self, Samples.id(9)) == nil)
    }

    // MARK: Other histories

    @Test func `a backend that was restored counts anew`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.whole(1, revision: 7, seenAt: 1)])
        let late = Samples.listed(1, revision: 9, title: "Late", seenAt: 4)
        try await store.merge([
            Samples.listed(1, revision: 3, title: "Restored", history: "zzzzzz", seenAt: 500)
        ])
        #expect(try await store.titles() == ["Restored"])
        #expect(try await store.loadArticle(article)?.known.contains("body") == false)
        try await store.merge([late])
        #expect(try await store.titles() == ["Restored"])
    }

    @Test func `the same number for another content is of another history`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.listed(1, revision: 7, seenAt: 3)])
        let early = Samples.listed(1, revision: 7, title: "Early", history: "yyyyyy", seenAt: 2)
        try await store.merge([early])
        #expect(try await store.titles() == ["Article 1.7"])
        let later = Samples.listed(1, revision: 7, title: "Later", history: "zzzzzz", seenAt: 4)
        try await store.merge([later])
        #expect(try await store.titles() == ["Later"])
    }

    @Test func `of requests that overlap, the higher revision counts`() async throws {
        let store = try ModelStore(.memory)
        // Each revision of an article has a version of its own.
        try await store.merge([Samples.listed(1, revision: 8, history: "bbbbbb", seenAt: 1)])
        try await store.merge([Samples.listed(1, revision: 7, history: "aaaaaa", seenAt: 2)])
        #expect(try await store.titles() == ["Article 1.8"])
        try await store.merge([Samples.listed(1, revision: 9, history: "cccccc", seenAt: 0)])
        #expect(try await store.titles() == ["Article 1.9"])
    }

    @Test func `a deletion in another history does not block`() async throws {
        let store = try ModelStore(.memory)
        try await store.merge([Samples.listed(1, revision: 7, seenAt: 1)])
        try await store.merge([.removed(Article.self, article, .gone(revision: 8))])
        let now = (store.time().milliseconds - Samples.time(0).milliseconds) / 1_000
        let soon = Samples.listed(1, revision: 2, history: "zzzzzz", seenAt: Int(now) + 60)
        try await store.merge([soon])
        #expect(try await store.titles() == [])
        let later = Samples.listed(1, revision: 2, history: "zzzzzz", seenAt: Int(now) + 600)
        try await store.merge([later])
        #expect(try await store.titles() == ["Article 1.2"])
    }

    // MARK: Newer and older apps

    @Test func `rows of an app with other attributes can be read`() async throws {
        let folder = try StoreFolder()
        try await folder.open().merge([Samples.whole(1, body: "Knead.")])
        let raw = try RawDatabase(folder.path)
        // The other app had no summary, and an attribute that this one does not know.
        try raw.execute("UPDATE shapes SET names = replace(names, 'summary', 'mood')")
        let store = try folder.open()
        let facts = try #require(try await store.loadFacts(Article.self, article))
        #expect(!facts.attributes.contains("summary") && facts.attributes.contains("body"))
        #expect(try await store.loadArticle(article) == nil)
        try await store.merge([Samples.listed(1)])
        #expect(try await store.loadArticle(article)?.article.body == "Knead.")
        #expect(try raw.number("SELECT count(*) FROM shapes") == 2)
    }
}
