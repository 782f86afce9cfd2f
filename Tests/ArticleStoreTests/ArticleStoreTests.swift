import ArticleAPI
import ArticleStore
import Testing

@Test func `an article is found by id and slug, listed, updated, deleted, restored`() async throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
    let made = try await store.createArticle(
        .make(), .sample("Bread", authors: [.name("Ann")], tags: ["Food"]), by: .first)
    #expect(made.slug == "bread" && made.revision == 1)
    #expect(try await store.article(.id(made.id), visibleTo: .editors) == made)
    #expect(try await store.article(.slug("bread"), visibleTo: .everyone(at: .start)) == made)
    let page = try await store.articles(ArticleQuery(audience: .editors, now: .start))
    #expect(page.items.map(\.id) == [made.id] && page.next == nil)
    let changed = try await store.updateArticle(
        made.id, expecting: .revisions([1]), by: .later(5)
    ) { article in .of(article) { $0.title = "Cake" } }
    #expect(changed.title == "Cake" && changed.revision == 2)
    try await store.deleteArticle(made.id, expecting: .anything, by: .later(6))
    let back = try await store.restoreArticle(
        made.id, to: 1, expecting: .anything, by: .later(7))
    #expect(back.title == "Bread" && back.revision == 4)
    #expect(try await store.changeSequence() == 5)
    #expect(try await store.tags(after: nil, limit: 10, visibleTo: .editors).items.count == 1)
    await store.close()
}
