import BroadsheetHTTP

/// `GET /v1/me/bookmarks`: the user's bookmarks, the newest first.
///
/// Bookmarks of articles that are no longer visible are left out until these are visible again.
///
/// ```swift
/// let page = try await backend.send(FetchBookmarksRequest(limit: 50))
/// ```
public struct FetchBookmarksRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/me/bookmarks", name: "listBookmarks",
        summary: "Lists the user's bookmarks", access: .useAccount)
    public typealias Item = Page<Bookmark>

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

/// `PUT /v1/me/bookmarks/{articleID}`: bookmarks an article, or replaces the user's progress in
/// reading it.
///
/// ```swift
/// let saved = try await backend.send(PutBookmarkRequest(articleID: id))
/// ```
public struct PutBookmarkRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .put, "/v1/me/bookmarks/{articleID}", name: "putBookmark",
        summary: "Bookmarks an article", access: .useAccount, problems: [.tooManyBookmarks])
    public typealias Item = Bookmark

    public static let parameters = Parameters(
        Self.init, .path("articleID", \.articleID, .identifier()), .optionalBody(\.place))

    public var articleID: Article.ID
    /// `nil` is the same as a place without a position.
    public var place: Bookmark.Place?

    public init(articleID: Article.ID, place: Bookmark.Place? = nil) {
        self.articleID = articleID
        self.place = place
    }
}

/// `DELETE /v1/me/bookmarks/{articleID}`: removes a bookmark.
///
/// ```swift
/// try await backend.send(DeleteBookmarkRequest(articleID: id))
/// ```
public struct DeleteBookmarkRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/me/bookmarks/{articleID}", name: "deleteBookmark",
        summary: "Removes a bookmark", access: .useAccount, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("articleID", \.articleID, .identifier()))

    public var articleID: Article.ID

    public init(articleID: Article.ID) { self.articleID = articleID }
}
