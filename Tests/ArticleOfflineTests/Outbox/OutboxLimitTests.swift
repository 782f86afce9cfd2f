import ArticleAPI
import ArticleClient
import Testing

@testable import ArticleOffline

/// The limit of the writes in an outbox.
@Suite struct OutboxLimitTests {
    @Test func `a full outbox takes changes of what it has, and nothing else`() async throws {
        let store = try ModelStore(.memory(of: "ada"))
        let outbox = Outbox(store: store, backend: .stub { _ in }, limit: 2)
        let first = try await outbox.create(Article.Draft(title: "One"))
        let second = try await outbox.create(Article.Draft(title: "Two"))
        await #expect(throws: OfflineError.tooManyWrites) {
            try await outbox.create(Article.Draft(title: "Three"))
        }
        let one = try #require(try await store.loadArticle(first)).article
        try await outbox.update(one, Article.Changes(title: .set("First")))
        #expect(await outbox.state.entries.count == 2)
        let two = try #require(try await store.loadArticle(second)).article
        try await outbox.delete(two)
        try await outbox.create(Article.Draft(title: "Three"))
        #expect(try await store.loadArticles().map(\.article.title).sorted() == ["First", "Three"])
    }
}
