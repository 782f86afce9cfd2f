import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// A deleted article does not come back with a late response.
@Suite struct EndingTests {
    private let article: Article.ID = Samples.id(1)

    private func store(_ updates: ModelUpdate...) async throws -> ModelStore {
        let store = try ModelStore(.memory)
        for updates in updates { try await store.merge([updates]) }
        return store
    }

    @Test func `a deletion removes the article and blocks its earlier revisions`() async throws {
        let store = try await store(
            Samples.whole(1, revision: 4), .removed(Article.self, article, .gone(revision: 5)))
        #expect(try await store.loadArticle(article) == nil)
        for revision in 1...5 {
            try await store.merge([Samples.whole(1, revision: revision, seenAt: 99)])
            #expect(try await store.titles() == [])
        }
        try await store.merge([Samples.listed(1, revision: 6)])
        #expect(try await store.titles() == ["Article 1.6"])
        #expect(try await store.loadArticle(article)?.known.contains("body") == false)
    }

    @Test func `a late deletion removes only what is older`() async throws {
        let store = try await store(
            Samples.whole(1, revision: 4), Samples.listed(1, revision: 7),
            .removed(Article.self, article, .gone(revision: 5)))
        let cached = try #require(try await store.loadArticle(article))
        #expect(cached.article.revision == 7 && !cached.known.contains("body"))
        #expect(try await store.titles() == ["Article 1.7"])
    }

    @Test func `what no longer matches a filter may still be there`() async throws {
        let store = try await store(
            Samples.listed(1, revision: 4), .removed(Article.self, article, .unmatched(revision: 5))
        )
        #expect(try await store.titles() == [])
        try await store.merge([Samples.listed(1, revision: 4)])
        #expect(try await store.titles() == [])
        try await store.merge([Samples.listed(1, revision: 5)])
        #expect(try await store.titles() == ["Article 1.5"])
    }

    @Test func `a pinned article that does not match stays, but in no list`() async throws {
        let store = try await store(Samples.whole(1, revision: 4))
        try await store.pin(article)
        try await store.merge([.removed(Article.self, article, .unmatched(revision: 5))])
        #expect(try await store.titles() == [])
        #expect(try await store.loadArticle(article)?.article.body == "Body")
        try await store.merge([Samples.listed(1, revision: 5)])
        #expect(try await store.titles() == ["Article 1.5"])
        #expect(try await store.loadArticle(article)?.article.body == "Body")
        try await store.merge([.removed(Article.self, article, .gone(revision: 6))])
        #expect(try await store.loadArticle(article) == nil)
    }

    @Test func `not found holds until a later request has found it`() async throws {
        let store = try await store(
            Samples.listed(1, revision: 4, seenAt: 5),
            .removed(Article.self, article, .notFound(seenAt: Samples.time(9))))
        #expect(try await store.titles() == [])
        try await store.merge([Samples.listed(1, revision: 6, seenAt: 8)])
        #expect(try await store.titles() == [])
        try await store.merge([Samples.listed(1, revision: 4, seenAt: 10)])
        #expect(try await store.titles() == ["Article 1.4"])
        try await store.merge([.removed(Article.self, article, .notFound(seenAt: Samples.time(7)))])
        #expect(try await store.titles() == ["Article 1.4"])
    }

    @Test func `an own deletion blocks what was known and what was on its way`() async throws {
        let store = try await store(
            Samples.listed(1, revision: 4, seenAt: 5),
            .removed(Article.self, article, .deleted(from: nil, seenAt: Samples.time(9))))
        try await store.merge([Samples.listed(1, revision: 4, seenAt: 99)])
        try await store.merge([Samples.listed(1, revision: 6, seenAt: 8)])
        #expect(try await store.titles() == [])
        try await store.merge([Samples.listed(1, revision: 6, seenAt: 10)])
        #expect(try await store.titles() == ["Article 1.6"])
    }

    @Test func `deletions are remembered after a restart, up to a limit`() async throws {
        let folder = try StoreFolder()
        var limits = ModelStore.Limits()
        limits.deletions = 3
        let first = try folder.open(limits: limits)
        for number in 1...5 {
            try await first.merge([.removed(Article.self, Samples.id(number), .gone(revision: 2))])
        }
        // It counts as the newest again.
        try await first.merge([.removed(Article.self, Samples.id(3), .gone(revision: 1))])
        try await first.merge([.removed(Article.self, Samples.id(6), .gone(revision: 2))])
        let store = try folder.open()
        for number in 1...6 { try await store.merge([Samples.listed(number)]) }
        #expect(
            try await store.titles(order: .oldestFirst)
                == ["Article 1.1", "Article 2.1", "Article 4.1"])
    }

    @Test func `authors and comments end, too`() async throws {
        let store = try await store()
        let author = ModelFacts(
            Samples.author(5, name: "Ada"), knowing: .all, seenAt: Samples.time(0))
        let comment = ModelFacts(
            Samples.comment(6, on: 1), knowing: .all, seenAt: Samples.time(0))
        try await store.merge([.facts(author), .facts(comment)])
        #expect(try await store.loadComments(on: article).count == 1)
        try await store.merge([
            .removed(Author.self, Samples.id(5), .gone(revision: 1)),
            .removed(ArticleComment.self, Samples.id(6), .gone(revision: 1)),
        ])
        try await store.merge([.facts(author), .facts(comment)])
        #expect(try await store.load(Author.self, Samples.id(5)) == nil)
        #expect(try await store.loadComments(on: article).isEmpty)
    }
}
