public import HTTP

/// `PUT /v1/articles/{id}`: replaces an article.
public struct ReplaceArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.put, "/v1/articles/{id}", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.article), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to replace; the backend requires it (428).
    public var expected: IfMatch?
    public var article: Article.Replacement
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, expected: IfMatch?, article: Article.Replacement,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.article = article
        self.idempotencyKey = idempotencyKey
    }
}
