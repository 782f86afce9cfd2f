import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Foundation
import Testing

/// A copy that follows a feed.
@Suite struct ArticleCopyTests {
    let feed = ChangeFeed()

    private var backend: BackendService {
        .stub { [feed] routes in routes.on(FetchChangesRequest.self) { try feed.page($0) } }
    }

    private func follow(_ copy: inout ArticleCopy) async throws {
        for try await step in backend.changes(since: copy.token) { copy.apply(step) }
    }

    private func expectEqual(_ copy: ArticleCopy) {
        let bySlug = Dictionary(uniqueKeysWithValues: copy.articles.values.map { ($0.slug, $0) })
        #expect(bySlug == feed.articles)
    }

    @Test func `it equals what the caller sees, step after step`() async throws {
        let mina = feed.addAuthor("Mina")
        let ids = (1...5).map { feed.add("a\($0)", authors: [mina]) }
        var copy = ArticleCopy()
        #expect(copy.token == nil && !copy.isComplete)
        try await follow(&copy)
        expectEqual(copy)
        #expect(copy.isComplete && copy.authors[mina]?.name == "Mina")
        feed.delete(ids[0])
        feed.change(ids[1]) { $0.slug = "another" }
        feed.add("a6", authors: [mina])
        try await follow(&copy)
        expectEqual(copy)
        feed.reset()
        feed.delete(ids[2])
        try await follow(&copy)
        expectEqual(copy)
    }

    @Test func `a rename changes the by-lines of articles that do not come again`() async throws {
        let (mina, jonas) = (feed.addAuthor("Mina"), feed.addAuthor("Jonas"))
        let id = feed.add("a1", authors: [jonas, mina])
        feed.add("a2", authors: [mina])
        var copy = ArticleCopy()
        try await follow(&copy)
        feed.rename(mina, "Mina Kim")
        try await follow(&copy)
        expectEqual(copy)
        #expect(copy.articles[id]?.authors.map(\.name) == ["Jonas", "Mina Kim"])
    }

    @Test func `the newest revision of an author wins over by-lines and older ones`() throws {
        let time = Timestamp(milliseconds: 0)
        let id = Author.ID(at: time)
        func author(_ name: String, _ revision: Int) -> SyncChange<Article> {
            .putAuthor(
                Author(id: id, name: name, createdAt: time, updatedAt: time, revision: revision))
        }
        func article(_ name: String) -> SyncChange<Article> {
            let article = Article(
                id: Article.ID(at: time), slug: name.lowercased(), title: name, body: nil,
                language: "en", authors: [Author.Reference(id: id, name: name)],
                status: .published, createdAt: time, updatedAt: time, wordCount: 0,
                readingMinutes: 0)
            return .putArticle(article, revision: 1)
        }
        func names(_ changes: [SyncChange<Article>]) -> Set<String> {
            var copy = ArticleCopy()
            copy.apply(ChangePage(changes: changes, next: "t", more: true))
            return Set(copy.articles.values.flatMap { $0.authors.map(\.name) })
        }
        #expect(names([article("Old"), author("New", 2)]) == ["New"])
        #expect(names([author("New", 2), article("Old")]) == ["New"])
        #expect(names([author("New", 2), author("Old", 1), article("Old")]) == ["New"])
        // Without changes of authors, the last by-line counts for all.
        #expect(names([article("Old"), article("New")]) == ["New"])
        #expect(
            names([author("Gone", 3), .deleteAuthor(id, revision: 3), article("New")]) == ["New"])
    }

    @Test func `starting anew discards everything`() async throws {
        feed.add("a1", authors: [feed.addAuthor("Mina")])
        var copy = ArticleCopy()
        try await follow(&copy)
        copy.apply(.restart)
        #expect(copy == ArticleCopy())
        #expect(copy.articles.isEmpty && copy.authors.isEmpty && copy.token == nil)
    }

    @Test func `it is kept and restored as JSON, in the middle of a snapshot too`() async throws {
        let mina = feed.addAuthor("Mina")
        for number in 1...5 { feed.add("a\(number)", authors: [mina]) }
        var copy = ArticleCopy()
        for try await step in backend.changes(since: nil) {
            copy.apply(step)
            #expect(try ArticleCopy(mapping: copy.json()) == copy)
            let coded = try JSONEncoder().encode(copy)
            copy = try JSONDecoder().decode(ArticleCopy.self, from: coded)
        }
        expectEqual(copy)
        feed.rename(mina, "Mina Kim")
        try await follow(&copy)
        expectEqual(copy)
    }

    @Test func `a copy with more values than a response may have is restored`() throws {
        feed.add("a1", authors: [feed.addAuthor("Mina")])
        var article = try #require(feed.articles["a1"])
        article.tags = (1...50).map { ArticleTag(named: "tag \($0)") }
        let count = JSONParser.limitValues / article.tags.count
        let articles = (0..<count).map { number in
            var article = article
            article.id = Article.ID(at: Timestamp(milliseconds: Int64(number)))
            return article
        }
        var copy = ArticleCopy()
        copy.apply(
            ChangePage(
                changes: articles.map { .putArticle($0, revision: 1) }, next: "t", more: false))
        #expect(try ArticleCopy(mapping: copy.json()) == copy)
    }

    @Test func `changes of comments, bookmarks and unknown types are ignored`() throws {
        var copy = ArticleCopy()
        let id = Article.ID(at: Timestamp(milliseconds: 1))
        let bookmark = Bookmark(
            articleID: id, position: 0.5, createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: 1), revision: 1)
        let page = ChangePage<Article>(
            changes: [
                .unknown(type: "podcast"), .putBookmark(bookmark),
                .deleteBookmark(id, revision: 2),
                .deleteComment(ArticleComment.ID(at: Timestamp(milliseconds: 1)), revision: 2),
            ], next: "t", more: false)
        copy.apply(try ChangePage(mapping: page.json()))
        #expect(copy.articles.isEmpty && copy.token == "t" && copy.isComplete)
    }
}
