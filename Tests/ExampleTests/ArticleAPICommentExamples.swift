import ArticleAPI
import ArticleClient
import Testing

/// The examples of comments and bookmarks.
@Suite struct ArticleAPICommentExamples {
    private let backend = ServedExampleBackend.backend()
    private let article = ServedExampleBackend.article
    private let comment = ServedExampleBackend.comment
    private var id: Article.ID { article.id }

    @Test func `comments are read`() async throws {
        do {
            let page = try await backend.send(FetchCommentsRequest(articleID: id, sort: .newest))
            #expect(page.items == [comment])
        }
        do {
            let waiting = FetchAllCommentsRequest(status: .pending)
            let page = try await backend.send(waiting)
            #expect(page.items == [])
        }
        let commentID = comment.id
        let comment = try await backend.send(FetchCommentRequest(id: commentID))
        #expect(comment == self.comment)
    }

    @Test func `comments are written`() async throws {
        do {
            let draft = ArticleComment.Draft(body: "What about *rye*?")
            let comment = try await backend.send(
                CreateCommentRequest(articleID: id, comment: draft))
            #expect(comment == self.comment)
        }
        do {
            let parent = comment.id
            let draft = ArticleComment.Draft(parentID: parent, body: "And *salt*.")
            let reply = try await backend.send(CreateCommentRequest(articleID: id, comment: draft))
            #expect(reply.parentID == parent)
        }
        let changes = ArticleComment.Changes(body: .set("What about *spelt*?"))
        let saved = try await backend.send(UpdateCommentRequest(comment, changes: changes))
        #expect(saved.body == "What about *spelt*?")
        let commentID = comment.id
        try await backend.send(DeleteCommentRequest(id: commentID))
    }

    @Test func `whether readers may comment`() async throws {
        let changes = Article.Changes(comments: .set(.moderated))
        let saved = try await backend.send(UpdateArticleRequest(article, changes: changes))
        #expect(saved.comments == .moderated)
    }

    @Test func `bookmarks`() async throws {
        do {
            let place = Bookmark.Place(position: 0.4)
            let bookmark = try await backend.send(PutBookmarkRequest(articleID: id, place: place))
            #expect(bookmark.position == 0.4)
        }
        let saved = try await backend.send(PutBookmarkRequest(articleID: id))
        let page = try await backend.send(FetchBookmarksRequest(limit: 50))
        #expect(page.items == [saved])
        try await backend.send(DeleteBookmarkRequest(articleID: id))
    }
}
