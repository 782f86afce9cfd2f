import ArticleAPI
import ArticleOffline
import BroadsheetHTTP

/// A request of an app's own that only its key makes repeatable: a comment without an id.
struct WriteNoteRequest: IdempotentWriteRequest, RepeatableRequest, CacheableRequest {
    static let endpoint = Endpoint(
        .post, "/v1/articles/{id}/comments", name: "writeNote", access: .comment,
        success: .created)
    typealias Item = ArticleComment

    static let parameters = Parameters(
        Self.init(articleID:draft:idempotencyKey:), .path("id", \.articleID, .identifier()),
        .body(\.draft), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    var articleID: Article.ID
    var draft: ArticleComment.Draft
    var idempotencyKey: String?

    func updates(in item: ArticleComment, seenAt time: Timestamp) -> [ModelUpdate] {
        [.facts(ModelFacts(item, knowing: .all.subtracting(["bodyHTML"]), seenAt: time))]
    }
}

extension CreateCommentRequest {
    init(_ text: String, on article: Article.ID) {
        self.init(articleID: article, comment: ArticleComment.Draft(body: text))
    }
}

extension PutBookmarkRequest {
    init(_ article: Article.ID, _ position: Double) {
        self.init(articleID: article, place: Bookmark.Place(position: position))
    }
}
