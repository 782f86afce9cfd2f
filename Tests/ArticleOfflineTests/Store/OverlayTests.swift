import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Unsent writes show in what is read.
@Suite struct OverlayTests {
    private let article = Samples.article(1)

    private func store(_ writes: StoredWrite...) async throws -> ModelStore {
        let store = try ModelStore(.memory)
        for number in 1...3 { try await store.merge([Samples.listed(number)]) }
        try await store.commit(StoreChanges(writes: writes))
        return store
    }

    @Test func `an edit shows at once, marked as such`() async throws {
        let store = try await store(try Writes.update(1, of: article, title: "Mine"))
        let cached = try #require(try await store.loadArticle(article.id))
        #expect(cached.article.title == "Mine")
        #expect(cached.pending == .waiting(until: nil))
        #expect(try await store.titles() == ["Article 3.1", "Article 2.1", "Mine"])
        // What the backend has changes below it.
        try await store.merge([Samples.whole(1, revision: 2, body: "Theirs")])
        #expect(try await store.loadArticle(article.id)?.article.body == "Theirs")
        #expect(try await store.loadArticle(article.id)?.article.title == "Mine")
        try await store.commit(StoreChanges(finishedWrites: [1]))
        #expect(try await store.titles(limit: 9).last == "Article 1.2")
    }

    @Test func `a new article is in its place in lists`() async throws {
        let id: Article.ID = Samples.id(7)
        let store = try await store(try Writes.creation(1, id, title: "New"))
        let created = try #require(try await store.loadArticle(id))
        #expect(created.article.title == "New" && created.article.body == "Flour.")
        let drafts = ArticleQuery(status: .draft)
        #expect(try await store.titles(matching: drafts) == ["New"])
        #expect(try await store.titles(matching: ArticleQuery(status: .published)).count == 3)
        #expect(try await store.titles(limit: 2).count == 2)
    }

    @Test func `a deleted article is in no list`() async throws {
        let store = try await store(try Writes.deletion(1, of: article))
        #expect(try await store.loadArticle(article.id) == nil)
        #expect(try await store.titles() == ["Article 3.1", "Article 2.1"])
        #expect(try await store.titles(limit: 1) == ["Article 3.1"])
        #expect(try await store.titles(order: .oldestFirst, limit: 1) == ["Article 2.1"])
    }

    @Test func `writes and merges are one step`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let first = try Writes.update(1, of: article, title: "Mine")
        try await store.commit(StoreChanges(writes: [first]))
        try await store.commit(
            StoreChanges(
                updates: [Samples.listed(1, revision: 2, title: "Mine")],
                writes: [try Writes.creation(2, Samples.id(7), title: "New")],
                finishedWrites: [1]))
        let again = try folder.open()
        #expect(try await again.loadWrites().map(\.number) == [2])
        #expect(try await again.loadArticle(article.id)?.article.revision == 2)
        #expect(try await again.loadArticle(article.id)?.pending == nil)
        // An entry is replaced by its number.
        try await again.commit(
            StoreChanges(writes: [try Writes.creation(2, Samples.id(7), title: "Newer")]))
        #expect(try await again.loadWrites().count == 1)
        #expect(try await again.loadArticle(Samples.id(7))?.article.title == "Newer")
    }

    @Test func `an entry that cannot be read shows nothing`() async throws {
        let write = StoredWrite(number: 1, article: article.id, entry: [1, 2, 3])
        let store = try await store(write)
        #expect(try await store.loadArticle(article.id)?.article.title == "Article 1.1")
        #expect(try await store.titles().count == 3)
    }
}
