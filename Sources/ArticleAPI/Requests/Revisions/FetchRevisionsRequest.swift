import HTTP

/// `GET /v1/articles/{id}/revisions`: the history of an article, latest first; also that of a
/// deleted article.
public struct FetchRevisionsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/revisions", access: .readHistory)
    public typealias Item = Page<Revision>

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .query("limit", \.limit, .integer(ArticleLimits.page)), .query("cursor", \.cursor, .cursor))

    public var id: Article.ID
    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?

    public init(id: Article.ID, limit: Int? = nil, cursor: String? = nil) {
        self.id = id
        self.limit = limit
        self.cursor = cursor
    }
}
