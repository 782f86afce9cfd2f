import ArticleAPI
import ArticleAdminAPI
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
        try check(Samples.article, "Article.json")
        try check(Samples.bare, "Article-bare.json")
        try check(Page(items: [Samples.article, Samples.bare], next: "c_1"), "ArticlePage.json")
        try check(Page<Article>(items: []), "ArticlePage-empty.json")
        let count = PageCount(value: 10_000, isExact: false)
        try check(
            Page(items: [Samples.bare], next: "c_1", count: count), "ArticlePage-counted.json")
    }

    @Test func `selected attributes`() throws {
        let fields = FieldSelection(["tags.key", "title", "authors.name", "heroImage", "body"])
        try check(Samples.article, "PartialArticle.json", fields: fields)
        let page = Page(items: [Samples.article, Samples.bare], next: "c_1")
        try check(page, "PartialArticlePage.json", fields: fields)
    }

    @Test func `revisions, tags and authors`() throws {
        let actors = [
            Revision.Actor(kind: .system, name: "system"),
            Revision.Actor(
                kind: .source, id: "0198c0de-0000-7000-8000-000000000009", name: "A Feed"),
            Revision.Actor(kind: .user, id: "0198c0de-0000-7000-8000-000000000001"),
            Revision.Actor(kind: .operator, name: "operator"),
            Revision.Actor(kind: .key, id: "0123456789abcdef", name: "desk"),
            Revision.Actor(kind: .unrecorded, name: "desk"),
            Revision.Actor(kind: .unrecorded),
        ]
        let actions: [Revision.Action] = [
            .updated, .updated, .restored, .deleted, .updated, .updated, .created,
        ]
        let revisions = zip(actions, actors).enumerated().map { index, step in
            Revision(
                number: 7 - index, action: step.0, title: "T", status: .archived,
                createdAt: Samples.time, actor: step.1)
        }
        try check(Page(items: revisions), "RevisionPage.json")
        let gone = DeletedArticle(
            id: Samples.id, slug: "hello-세상", title: "Hello, \"세상\"", status: .published,
            revision: 4, version: "4-x1y2z3", deletedAt: Samples.time, actor: actors[3])
        var own = gone
        (own.status, own.actor, own.owner) = (.scheduled, actors[1], Samples.userID)
        try check(Page(items: [gone, own], next: "c"), "DeletedArticlePage.json")
        let usage = ArticleTag.Usage(tag: ArticleTag(key: "swift", name: "Swift"), articleCount: 12)
        try check(Page(items: [usage], next: "c"), "TagUsagePage.json")
        try check(Samples.author, "Author.json")
        try check(Page(items: [Samples.author]), "AuthorPage.json")
    }

    @Test func `comments and bookmarks`() throws {
        try check(Page(items: [Samples.comment, Samples.place], next: "c"), "CommentPage.json")
        let fields = FieldSelection(["author.displayName", "bodyHTML"])
        var comment = Samples.comment
        comment.bodyHTML = "<p>What about <em>rye</em>?</p>\n"
        try check(comment, "PartialComment.json", fields: fields)
        try check(Samples.comment, "Comment.json")
        try check(Samples.bookmark, "Bookmark.json")
        let comments = Page(items: [Samples.comment, Samples.place], next: "c")
        try check(comments, "PartialCommentPage.json", fields: FieldSelection(["body"]))
        var unread = Samples.bookmark
        unread.position = nil
        try check(Page(items: [Samples.bookmark, unread], next: "c"), "BookmarkPage.json")
        try check(Samples.accountExport, "AccountExport.json")
    }

    @Test func `sources`() throws {
        try check(Samples.source, "Source.json")
        try check(Samples.newSource, "Source-new.json")
        try check(Page(items: [Samples.source, Samples.newSource], next: "c"), "SourcePage.json")
    }

    @Test func `accounts and sessions`() throws {
        try check(Samples.user, "User.json")
        let writer = User(id: Samples.userID, displayName: "Mina K.")
        try check(writer, "User-public.json")
        try check(Page(items: [Samples.user], next: "c"), "UserPage.json")
        try check(Samples.session, "UserSession.json")
        try check(Page(items: [Samples.deviceSession]), "DeviceSessionPage.json")
        try check(Samples.invitation, "Invitation.json")
    }

    @Test func `changes`() throws {
        let page = ChangePage<Article>(
            changes: [
                .putArticle(Samples.bare, revision: 1), .deleteArticle(Samples.id, revision: 8),
                .putAuthor(Samples.author), .deleteAuthor(Samples.authorID, revision: 2),
                .putComment(Samples.comment), .deleteComment(Samples.commentID, revision: 3),
                .putBookmark(Samples.bookmark), .deleteBookmark(Samples.id, revision: 4),
            ], next: "epoch.sealed", more: true)
        try check(page, "ChangePage.json")
        try check(
            ChangePage<Article>(changes: [], next: "e.s", more: false), "ChangePage-none.json")
        try check(page, "PartialChangePage.json", fields: FieldSelection(["title"]))
    }

    @Test func `what a search found`() throws {
        try check(Samples.searchPage, "SearchPage.json")
        try check(SearchPage<Article>(items: []), "SearchPage-none.json")
        try check(Samples.searchPage, "PartialSearchPage.json", fields: FieldSelection(["title"]))
    }

    @Test func `a preview`() throws {
        try check(ArticlePreview(bodyHTML: "<p>Hello, <em>world</em>.</p>\n"), "Preview.json")
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
        try check(problem, "Problem.json")
    }

    @Test func `every file belongs to a test`() throws {
        let files = try GoldenFiles.names.filter { $0.hasSuffix(".json") }
        #expect(
            files.sorted() == [
                "AccountExport.json", "Article-bare.json", "Article.json",
                "ArticlePage-counted.json", "ArticlePage-empty.json", "ArticlePage.json",
                "Author.json", "AuthorPage.json", "Bookmark.json", "BookmarkPage.json",
                "ChangePage-none.json", "ChangePage.json", "Comment.json", "CommentPage.json",
                "DeletedArticlePage.json", "DeviceSessionPage.json", "Invitation.json",
                "PartialArticle.json",
                "PartialArticlePage.json", "PartialChangePage.json", "PartialComment.json",
                "PartialCommentPage.json", "PartialSearchPage.json", "Preview.json", "Problem.json",
                "RevisionPage.json", "SearchPage-none.json", "SearchPage.json",
                "Source-new.json", "Source.json", "SourcePage.json", "TagUsagePage.json",
                "User-public.json", "User.json", "UserPage.json", "UserSession.json",
            ])
    }
}
