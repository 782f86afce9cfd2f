import HTTP

/// `GET /v1/articles/{id}/revisions`: the history of an article, the latest first, also of a
/// deleted one.
public struct FetchRevisionsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/revisions", access: .readHistory)
    public typealias Item = Page<Revision>

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .query("limit", \.limit, .integer(ArticleLimits.page)), .query("cursor", \.cursor, .cursor))

    public var id: Article.ID
    /// 1 to 100; `nil`: 20.
    public var limit: Int?
    /// Where the last page ended: its `next`.
    public var cursor: String?

    public init(id: Article.ID, limit: Int? = nil, cursor: String? = nil) {
        self.id = id
        self.limit = limit
        self.cursor = cursor
    }
}
