public import ArticleAPI
import BroadsheetHTTP

/// `GET /v1/articles/{id}/revisions`: the history of an article, latest first; also that of a
/// deleted article.
///
/// ```swift
/// let page = try await backend.send(FetchRevisionsRequest(id: id, limit: 10))
/// ```
public struct FetchRevisionsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/revisions", name: "listRevisions",
        summary: "Lists the revisions of an article", access: .readHistory)
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

/// `GET /v1/articles/{id}/revisions/{number}`: an article as of a revision.
///
/// ```swift
/// let first = try await backend.send(FetchRevisionRequest(id: id, number: 1))
/// ```
public struct FetchRevisionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/revisions/{number}", name: "getRevision",
        summary: "Gets an article as it was at a revision", access: .readHistory)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .path("number", \.number, .integer(1...Int.max)))

    public var id: Article.ID
    /// 1 or more.
    public var number: Int

    public init(id: Article.ID, number: Int) {
        self.id = id
        self.number = number
    }
}

/// `GET /v1/deleted-articles`: the articles that the caller may restore, the last deleted one
/// first.
///
/// Editors see all of them, authors those that they own.
///
/// ```swift
/// let page = try await backend.send(FetchDeletedArticlesRequest(limit: 1))
/// for gone in page.items { restored = try await backend.send(RestoreRevisionRequest(gone)) }
/// ```
public struct FetchDeletedArticlesRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/deleted-articles", name: "listDeletedArticles",
        summary: "Lists deleted articles", access: .readHistory)
    public typealias Item = Page<DeletedArticle>

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

extension RestoreRevisionRequest {
    /// Restores a deleted article as it was, unless it has been restored since (412).
    public init(_ deleted: DeletedArticle, idempotencyKey: String? = nil) {
        self.init(
            id: deleted.id, number: deleted.revision,
            expected: IfMatch(version: deleted.version), idempotencyKey: idempotencyKey)
    }
}

extension FetchRevisionsRequest: PagedRequest {
    public typealias PageItem = Revision
}

extension FetchDeletedArticlesRequest: PagedRequest {
    public typealias PageItem = DeletedArticle
}
