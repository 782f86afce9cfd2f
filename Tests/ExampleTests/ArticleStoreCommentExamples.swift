import ArticleAPI
import ArticleStore
import Testing

/// The examples of comments and bookmarks.
@Suite struct ArticleStoreCommentExamples {
    private let time = Timestamp(milliseconds: 1_767_225_600_000)

    /// Adds an article and a user.
    private func prepare(
        _ store: any ArticleStore
    ) async throws -> (article: Article, user: UserRecord) {
        let draft = Article.Draft(
            title: "Bread", body: "Flour and water.", status: .published, publishedAt: time)
        let content = ArticleContent(
            draft, slug: .like("bread"), measure: TextMeasure(draft.body))
        let article = try await store.createArticle(
            Article.ID(at: time), content, by: Edit(at: time, by: .key(id: "editor")))
        let user = UserRecord(
            id: UserRecord.ID(at: time), name: "Ada", nameKey: "ada", displayName: "Ada",
            role: "reader", passwordHash: nil, createdAt: time)
        try await store.createUser(user, using: nil, at: time)
        return (article, user)
    }

    @Test func `comments`() async throws {
        try await ExampleStore.run { store in
            let (article, user) = try await prepare(store)
            let edit = Edit(at: time, by: .operator)
            let content = CommentContent(
                article: article.id, body: "What about rye?", writer: user.id)
            let comment = try await store.createComment(
                .init(at: time), content, under: CommentRules(), by: edit)
            let viewer = CommentViewer(audience: .everyone, user: user.id)
            let page = try await store.comments(CommentQuery(on: article.id, viewer: viewer))
            #expect(page.items == [comment])
        }
    }

    @Test func `bookmarks`() async throws {
        try await ExampleStore.run { store in
            let (article, user) = try await prepare(store)
            let (saved, isNew) = try await store.putBookmark(
                of: article.id, for: user.id, position: 0.4, seeing: .everyone, at: time)
            let page = try await store.bookmarks(
                of: user.id, seeing: .everyone, after: nil, limit: 20)
            try await store.deleteBookmark(of: article.id, for: user.id)
            #expect(isNew && page.items == [saved])
        }
    }
}
