import HTTP

/// `GET /v1/authors`: the authors that the caller can see, ordered by id.
public struct FetchAuthorsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/v1/authors", access: .everyone)
    public typealias Item = Page<Author>

    public static let parameters = Parameters(
        Self.init, .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor))

    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?

    public init(limit: Int? = nil, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}
