import HTTP

/// `GET /v1/articles/{id}`: one article, by its id or by a current or former slug.
public struct FetchArticleRequest: SparseRequest {
    public static let endpoint = Endpoint(.get, "/v1/articles/{id}", access: .everyone)
    public typealias Item = Article
    public typealias Partial = PartialArticle

    public static let parameters = Parameters(
        Self.init, .path("id", \.key, .articleKey),
        .query("fields", \.fields, .fields(of: Article.format)))

    public var key: Article.Key
    /// `nil` for all attributes.
    public var fields: FieldSelection?

    public init(key: Article.Key, fields: FieldSelection? = nil) {
        self.key = key
        self.fields = fields
    }
}
