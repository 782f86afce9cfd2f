public import HTTP

/// `PUT /v1/articles/{id}`: a whole new value for an article.
public struct ReplaceArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.put, "/v1/articles/{id}", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.article), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// Which state is to be replaced; the backend insists on it (428).
    public var expected: IfMatch?
    public var article: Article.Replacement
    /// A name for this one write: sent again with it, the request is not done twice.
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
