import ArticleAPI
import Testing

/// The wire form of every kind of response, byte by byte.
struct ResponseGoldenTests {
    private func check<Item: ResponseItem & Equatable>(
        _ item: Item, _ name: String, fields: FieldSelection? = nil
    ) throws {
        let bytes = Item.encoding.write(item, fields)
        try GoldenFiles.check(bytes, name)
        if fields == nil { #expect(try ResponseMapper<Item>().map(bytes) == item) }
    }

    @Test func `articles`() throws {
        try check(Samples.article, "article.json")
        try check(Samples.bare, "article-bare.json")
        try check(Page(items: [Samples.article, Samples.bare], next: "c_1"), "articles.json")
        try check(Page<Article>(items: []), "articles-empty.json")
        let count = PageCount(value: 10_000, isExact: false)
        try check(Page(items: [Samples.bare], next: "c_1", count: count), "articles-counted.json")
    }

    @Test func `selected attributes`() throws {
        let fields = FieldSelection(["tags.key", "title", "authors.name", "heroImage", "body"])
        try check(Samples.article, "article-fields.json", fields: fields)
        let page = Page(items: [Samples.article, Samples.bare], next: "c_1")
        try check(page, "articles-fields.json", fields: fields)
    }

    @Test func `revisions, tags and authors`() throws {
        let actors = [
            Revision.Actor(kind: .system, name: "system"),
            Revision.Actor(kind: .user, id: "0198c0de-0000-7000-8000-000000000001"),
            Revision.Actor(kind: .operator, name: "operator"),
            Revision.Actor(kind: .key, id: "0123456789abcdef", name: "desk"),
            Revision.Actor(kind: .unrecorded, name: "desk"),
            Revision.Actor(kind: .unrecorded),
        ]
        let actions: [Revision.Action] = [
            .updated, .restored, .deleted, .updated, .updated, .created,
        ]
        let revisions = zip(actions, actors).enumerated().map { index, step in
            Revision(
                number: 6 - index, action: step.0, title: "T", status: .archived,
                createdAt: Samples.time, actor: step.1)
        }
        try check(Page(items: revisions), "revisions.json")
        let usage = Tag.Usage(tag: Tag(key: "swift", name: "Swift"), articleCount: 12)
        try check(Page(items: [usage], next: "c"), "tags.json")
        try check(Samples.author, "author.json")
        try check(Page(items: [Samples.author]), "authors.json")
    }

    @Test func `comments and bookmarks`() throws {
        try check(Page(items: [Samples.comment, Samples.place], next: "c"), "comments.json")
        let fields = FieldSelection(["author.displayName", "bodyHTML"])
        var comment = Samples.comment
        comment.bodyHTML = "<p>What about <em>rye</em>?</p>\n"
        try check(comment, "comment-fields.json", fields: fields)
        var unread = Samples.bookmark
        unread.position = nil
        try check(Page(items: [Samples.bookmark, unread], next: "c"), "bookmarks.json")
        try check(Samples.accountExport, "account-export.json")
    }

    @Test func `changes`() throws {
        let page = ChangePage<Article>(
            changes: [
                .putArticle(Samples.bare, revision: 1), .deleteArticle(Samples.id, revision: 8),
                .putAuthor(Samples.author), .deleteAuthor(Samples.authorID, revision: 2),
                .putComment(Samples.comment), .deleteComment(Samples.commentID, revision: 3),
                .putBookmark(Samples.bookmark), .deleteBookmark(Samples.id, revision: 4),
            ], next: "epoch.sealed", more: true)
        try check(page, "changes.json")
        try check(ChangePage<Article>(changes: [], next: "e.s", more: false), "changes-none.json")
        try check(page, "changes-fields.json", fields: FieldSelection(["title"]))
    }

    @Test func `what a search found`() throws {
        try check(Samples.searchPage, "search.json")
        try check(SearchPage<Article>(items: []), "search-none.json")
        try check(Samples.searchPage, "search-fields.json", fields: FieldSelection(["title"]))
    }

    @Test func `problems`() throws {
        let problem = Problem(
            .invalidValues, detail: "The title is empty", instance: "req-1",
            errors: [
                Problem.Detail("is empty", at: .pointer("/title")),
                Problem.Detail("must be an integer", at: .parameter("limit")),
                Problem.Detail("is missing", at: .header("If-Match")),
                Problem.Detail("Something else"),
            ])
        try check(problem, "problem.json")
    }

    @Test func `every file belongs to a test`() throws {
        let answers = try GoldenFiles.names.filter { $0.hasSuffix(".json") }
        #expect(
            answers.sorted() == [
                "account-export.json",
                "article-bare.json", "article-fields.json", "article.json", "articles-counted.json",
                "articles-empty.json", "articles-fields.json", "articles.json", "author.json",
                "authors.json", "bookmarks.json", "changes-fields.json", "changes-none.json",
                "changes.json",
                "comment-fields.json", "comments.json", "problem.json", "revisions.json",
                "search-fields.json", "search-none.json", "search.json", "tags.json",
            ])
    }
}
