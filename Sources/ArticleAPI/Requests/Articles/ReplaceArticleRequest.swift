public import HTTP

/// `PUT /v1/articles/{id}`: a whole new value for an article.
public struct ReplaceArticleRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.put, "/v1/articles/{id}", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.article))

    public var id: Article.ID
    /// Which state is to be replaced; the backend insists on it (428).
    public var expected: IfMatch?
    public var article: Article.Replacement

    public init(id: Article.ID, expected: IfMatch?, article: Article.Replacement) {
        self.id = id
        self.expected = expected
        self.article = article
    }
}
