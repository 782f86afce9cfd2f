public import HTTP

/// `PATCH /v1/articles/{id}`: changes to an article, as a merge patch (RFC 7396).
public struct UpdateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.patch, "/v1/articles/{id}", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// Which state is to be changed; `nil`: any.
    public var expected: IfMatch?
    public var changes: Article.Changes
    /// A name for this one write: sent again with it, the request is not done twice.
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

    /// Changes to an article that was served, on its own or in a list, if nobody has changed it
    /// since (412): `UpdateArticleRequest(article, changes: .init(from: article, to: edited))`
    public init(
        _ article: Article, changes: Article.Changes, idempotencyKey: String? = nil
    ) {
        self.init(
            id: article.id, expected: article.version.flatMap { IfMatch(version: $0) },
            changes: changes, idempotencyKey: idempotencyKey)
    }
}
