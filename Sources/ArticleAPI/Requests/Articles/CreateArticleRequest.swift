import HTTP

/// `POST /v1/articles`: a new article; 201 with its address in `Location`.
public struct CreateArticleRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles", access: .writeArticles, success: .created)
    public typealias Item = Article

    public static let parameters = Parameters(Self.init, .body(\.article))

    public var article: Article.Draft

    public init(article: Article.Draft) { self.article = article }
}
