import HTTP

/// `POST /v1/articles`: creates an article; 201 with its URI in `Location`.
public struct CreateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles", access: .writeArticles, success: .created)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .body(\.article),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var article: Article.Draft
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(article: Article.Draft, idempotencyKey: String? = nil) {
        self.article = article
        self.idempotencyKey = idempotencyKey
    }
}
