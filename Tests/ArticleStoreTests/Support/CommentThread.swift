import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

/// A public article on which two readers comment.
struct CommentThread {
    static let anonymous = CommentViewer(audience: .everyone)
    static let editor = CommentViewer(audience: .editors)

    let store: any ArticleStore
    let article: Article.ID
    let ada = UserRecord.sample("ada")
    let bob = UserRecord.sample("bob")
    /// The number of comments so far: each is a millisecond later than the one before.
    private let count = Lock<Int64>(0)

    init(_ store: any ArticleStore) async throws {
        self.store = store
        article = try await store.createArticle(.make(), .sample(), by: .first).id
        for user in [ada, bob] { try await store.createUser(user, using: nil, at: .start) }
    }

    func viewer(_ user: UserRecord) -> CommentViewer {
        CommentViewer(audience: .everyone, user: user.id)
    }

    func comment(
        _ body: String, by user: UserRecord, to parent: ArticleComment.ID? = nil,
        as status: ArticleComment.Status = .visible, id: ArticleComment.ID = .make()
    ) async throws -> ArticleComment {
        let content = CommentContent(
            article: article, parent: parent, body: body, writer: user.id)
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try await store.createComment(
            id, content, under: .giving(status), by: .later(number))
    }

    /// All comments, the oldest first, in pages of two.
    func list(_ viewer: CommentViewer) async throws -> [ArticleComment] {
        var query = CommentQuery(on: article, viewer: viewer, limit: 2)
        var items: [ArticleComment] = []
        repeat {
            let page = try await store.comments(query)
            items += page.items
            query.after = page.next
        } while query.after != nil
        return items
    }

    func set(_ id: ArticleComment.ID, _ status: ArticleComment.Status) async throws
        -> ArticleComment
    {
        try await store.updateComment(
            id, ArticleComment.Changes(status: .set(status)), html: nil, under: CommentRules(),
            expecting: .anything, as: Self.editor, by: .later(100))
    }

    func delete(_ id: ArticleComment.ID, as viewer: CommentViewer) async throws {
        try await store.deleteComment(id, expecting: .anything, as: viewer, by: .later(100))
    }

    func expectNotFound(_ id: ArticleComment.ID, _ viewer: CommentViewer) async throws {
        let error = try await failure { _ = try await store.comment(id, visibleTo: viewer) }
        guard case .notFound = error else { throw error }
    }
}
