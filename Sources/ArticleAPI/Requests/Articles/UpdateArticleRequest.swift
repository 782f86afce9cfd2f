public import HTTP

/// `PATCH /v1/articles/{id}`: changes an article by a merge patch (RFC 7396).
public struct UpdateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.patch, "/v1/articles/{id}", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: Article.Changes
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, expected: IfMatch? = nil, changes: Article.Changes,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.changes = changes
        self.idempotencyKey = idempotencyKey
    }

    /// Changes an article that was fetched, alone or in a list, unless someone has changed it since
    /// (412): `UpdateArticleRequest(article, changes: .init(from: article, to: edited))`
    public init(
        _ article: Article, changes: Article.Changes, idempotencyKey: String? = nil
    ) {
        self.init(
            id: article.id, expected: article.version.flatMap { IfMatch(version: $0) },
            changes: changes, idempotencyKey: idempotencyKey)
    }
}
