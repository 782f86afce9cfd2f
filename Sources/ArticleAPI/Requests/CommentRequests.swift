public import BroadsheetHTTP

/// `GET /v1/articles/{id}/comments`: a page of the comments on an article.
///
/// Replies come among the others, in the order of the list.
///
/// ```swift
/// let page = try await backend.send(FetchCommentsRequest(articleID: id, sort: .newest))
/// ```
public struct FetchCommentsRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/comments", name: "listComments",
        summary: "Lists the comments on an article", access: .everyone)
    public typealias Item = Page<ArticleComment>
    public typealias Partial = Page<PartialComment>

    public static let parameters = Parameters(
        Self.init, .path("id", \.articleID, .identifier()),
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor), .query("sort", \.sort, .choice),
        .query("fields", \.fields, .fields(of: ArticleComment.format)))

    public var articleID: Article.ID
    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?
    /// `nil` for the oldest first.
    public var sort: CommentSort?
    /// `nil` for all attributes except `bodyHTML`.
    public var fields: FieldSelection?

    public init(
        articleID: Article.ID, limit: Int? = nil, cursor: String? = nil,
        sort: CommentSort? = nil, fields: FieldSelection? = nil
    ) {
        self.articleID = articleID
        self.limit = limit
        self.cursor = cursor
        self.sort = sort
        self.fields = fields
    }
}

/// `GET /v1/comments`: comments on all articles, for those who moderate.
///
/// ```swift
/// let waiting = FetchAllCommentsRequest(status: .pending)
/// let page = try await backend.send(waiting)
/// ```
public struct FetchAllCommentsRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/comments", name: "listAllComments",
        summary: "Lists comments on all articles", access: .moderate)
    public typealias Item = Page<ArticleComment>
    public typealias Partial = Page<PartialComment>

    public static let parameters = Parameters(
        Self.init, .query("status", \.status, .commentStatus),
        .query("author", \.author, .identifier()),
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor), .query("sort", \.sort, .choice),
        .query("fields", \.fields, .fields(of: ArticleComment.format)))

    /// `nil` for all.
    public var status: ArticleComment.Status?
    /// Only those of this user; `nil` for those of all.
    public var author: User.ID?
    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?
    /// `nil` for the oldest first.
    public var sort: CommentSort?
    /// `nil` for all attributes except `bodyHTML`.
    public var fields: FieldSelection?

    public init(
        status: ArticleComment.Status? = nil, author: User.ID? = nil, limit: Int? = nil,
        cursor: String? = nil, sort: CommentSort? = nil, fields: FieldSelection? = nil
    ) {
        self.status = status
        self.author = author
        self.limit = limit
        self.cursor = cursor
        self.sort = sort
        self.fields = fields
    }
}

/// `GET /v1/comments/{id}`: one comment.
///
/// ```swift
/// let comment = try await backend.send(FetchCommentRequest(id: commentID))
/// ```
public struct FetchCommentRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/comments/{id}", name: "getComment",
        summary: "Gets a comment", access: .everyone)
    public typealias Item = ArticleComment
    public typealias Partial = PartialComment

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .query("fields", \.fields, .fields(of: ArticleComment.format)))

    public var id: ArticleComment.ID
    /// `nil` for all attributes except `bodyHTML`.
    public var fields: FieldSelection?

    public init(id: ArticleComment.ID, fields: FieldSelection? = nil) {
        self.id = id
        self.fields = fields
    }
}

/// `POST /v1/articles/{id}/comments`: writes a comment, which may be `pending` at first.
///
/// With a key, or an id in the draft, it can be repeated without writing a second comment.
///
/// ```swift
/// let draft = ArticleComment.Draft(parentID: parent, body: "And *salt*.")
/// let reply = try await backend.send(CreateCommentRequest(articleID: id, comment: draft))
/// ```
public struct CreateCommentRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles/{id}/comments", name: "createComment",
        summary: "Writes a comment on an article", access: .comment, success: .created,
        problems: [.commentsClosed, .idTaken, .repeatedComment])
    public typealias Item = ArticleComment

    public static let parameters = Parameters(
        Self.init, .path("id", \.articleID, .identifier()), .body(\.comment),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var articleID: Article.ID
    public var comment: ArticleComment.Draft
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(articleID: Article.ID, comment: ArticleComment.Draft, idempotencyKey: String? = nil)
    {
        self.articleID = articleID
        self.comment = comment
        self.idempotencyKey = idempotencyKey
    }
}

/// `PATCH /v1/comments/{id}`: changes a comment by a merge patch (RFC 7396): its writer the body,
/// for some minutes; an editor the status.
///
/// ```swift
/// let changes = ArticleComment.Changes(body: .set("What about *spelt*?"))
/// let saved = try await backend.send(UpdateCommentRequest(comment, changes: changes))
/// ```
public struct UpdateCommentRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .patch, "/v1/comments/{id}", name: "updateComment",
        summary: "Changes a comment, or shows or hides it", access: .changeComments,
        problems: [.editTimeOver, .notTheWriter])
    public typealias Item = ArticleComment

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: ArticleComment.ID
    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: ArticleComment.Changes
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: ArticleComment.ID, expected: IfMatch? = nil, changes: ArticleComment.Changes,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.changes = changes
        self.idempotencyKey = idempotencyKey
    }

    /// Changes a comment that was fetched, unless someone has changed it since (412).
    public init(
        _ comment: ArticleComment, changes: ArticleComment.Changes, idempotencyKey: String? = nil
    ) {
        self.init(
            id: comment.id, expected: comment.version.flatMap { IfMatch(version: $0) },
            changes: changes, idempotencyKey: idempotencyKey)
    }
}

/// `DELETE /v1/comments/{id}`: deletes the text of a comment, for its writer and for editors.
///
/// Its place remains in lists while it has visible replies.
///
/// ```swift
/// try await backend.send(DeleteCommentRequest(id: commentID))
/// ```
public struct DeleteCommentRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/comments/{id}", name: "deleteComment",
        summary: "Deletes a comment", access: .changeComments, success: .noContent,
        problems: [.notTheWriter])
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: ArticleComment.ID
    /// The version to delete; `nil` for any.
    public var expected: IfMatch?
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(id: ArticleComment.ID, expected: IfMatch? = nil, idempotencyKey: String? = nil) {
        self.id = id
        self.expected = expected
        self.idempotencyKey = idempotencyKey
    }
}
