import BroadsheetHTTP

/// `GET /v1/tags`: the tags of the articles that the caller can see, ordered by key.
///
/// Only articles that the caller can see are counted.
///
/// ```swift
/// let page = try await backend.send(FetchTagsRequest(limit: 5))
/// ```
public struct FetchTagsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/tags", name: "listTags",
        summary: "Lists tags with their numbers of articles", access: .everyone)
    public typealias Item = Page<ArticleTag.Usage>

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
