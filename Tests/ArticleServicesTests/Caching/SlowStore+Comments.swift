import ArticleAPI
import ArticleStore

/// Comments and bookmarks: public reads are delayed like those of articles.
extension SlowStore {
    func comments(
        _ query: CommentQuery
    ) async throws(StoreError) -> Slice<Comment, CommentPosition> {
        let result = try await store.comments(query)
        await hold()
        return result
    }

    func comment(
        _ id: Comment.ID, visibleTo viewer: CommentViewer
    ) async throws(StoreError) -> Comment {
        let result = try await store.comment(id, visibleTo: viewer)
        await hold()
        return result
    }

    func commentCounts(of articles: [Article.ID]) async throws(StoreError) -> [Int] {
        try await store.commentCounts(of: articles)
    }

    func situation(
        of content: CommentContent, as id: Comment.ID, at time: Timestamp
    ) async throws(StoreError) -> CommentSituation {
        try await store.situation(of: content, as: id, at: time)
    }

    func edition(
        of id: Comment.ID, expecting expectation: Precondition, as viewer: CommentViewer
    ) async throws(StoreError) -> CommentEdition {
        try await store.edition(of: id, expecting: expectation, as: viewer)
    }

    func bodyHTML(
        of comments: [Comment], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await store.bodyHTML(of: comments, by: renderer)
    }

    func keepBodyHTML(_ html: BodyHTML, of comment: Comment) async throws(StoreError) {
        try await store.keepBodyHTML(html, of: comment)
    }

    func createComment(
        _ id: Comment.ID, _ content: CommentContent, by edit: Edit,
        _ decide: @escaping @Sendable (CommentSituation) throws -> Comment.Status
    ) async throws(StoreError) -> Comment {
        try await store.createComment(id, content, by: edit, decide)
    }

    func updateComment(
        _ id: Comment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit, html: BodyHTML?,
        _ change: @escaping @Sendable (CommentEdition) throws -> Comment
    ) async throws(StoreError) -> Comment {
        try await store.updateComment(
            id, expecting: expectation, as: viewer, by: edit, html: html, change)
    }

    func deleteComment(
        _ id: Comment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit, _ check: @escaping @Sendable (CommentEdition) throws -> Void
    ) async throws(StoreError) {
        try await store.deleteComment(id, expecting: expectation, as: viewer, by: edit, check)
    }

    func bookmarks(
        of user: User.ID, seeing audience: Audience, after position: BookmarkPosition?, limit: Int
    ) async throws(StoreError) -> Slice<Bookmark, BookmarkPosition> {
        try await store.bookmarks(of: user, seeing: audience, after: position, limit: limit)
    }

    func putBookmark(
        of article: Article.ID, for user: User.ID, position: Double?, seeing audience: Audience,
        at time: Timestamp
    ) async throws(StoreError) -> (bookmark: Bookmark, isNew: Bool) {
        try await store.putBookmark(
            of: article, for: user, position: position, seeing: audience, at: time)
    }

    func deleteBookmark(
        of article: Article.ID, for user: User.ID
    ) async throws(StoreError) {
        try await store.deleteBookmark(of: article, for: user)
    }
}
