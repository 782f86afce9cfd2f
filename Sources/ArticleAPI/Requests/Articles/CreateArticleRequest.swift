import HTTP

/// `POST /v1/articles`: a new article; 201 with its address in `Location`.
public struct CreateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles", access: .writeArticles, success: .created)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .body(\.article),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var article: Article.Draft
    /// A name for this one write: sent again with it, the request is not done twice.
    public var idempotencyKey: String?

    public init(article: Article.Draft, idempotencyKey: String? = nil) {
        self.article = article
        self.idempotencyKey = idempotencyKey
    }
}
