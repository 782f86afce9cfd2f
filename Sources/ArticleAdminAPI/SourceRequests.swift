public import ArticleAPI
public import BroadsheetHTTP

/// `GET /v1/sources`: the sources of articles, ordered by id.
///
/// ```swift
/// let page = try await backend.send(FetchSourcesRequest(limit: 100))
/// let failing = page.items.filter { $0.lastError != nil }
/// ```
public struct FetchSourcesRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/sources", name: "listSources", summary: "Lists the sources of articles",
        access: .manageSources)
    public typealias Item = Page<ContentSource>

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

/// `POST /v1/sources`: adds a feed or another Broadsheet, which is polled at once.
///
/// With a key, or an id in the draft, it can be repeated without adding a second one.
///
/// ```swift
/// let draft = ContentSource.Draft(url: "https://example.org/feed.atom", publishes: true)
/// let source = try await backend.send(CreateSourceRequest(draft))
/// ```
public struct CreateSourceRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/sources", name: "createSource", summary: "Adds a source of articles",
        access: .manageSources, success: .created, problems: [.idTaken])
    public typealias Item = ContentSource

    public static let parameters = Parameters(
        Self.init, .body(\.source), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var source: ContentSource.Draft
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(_ source: ContentSource.Draft, idempotencyKey: String? = nil) {
        self.source = source
        self.idempotencyKey = idempotencyKey
    }
}

/// `GET /v1/sources/{id}`: a source with its state.
///
/// ```swift
/// let source = try await backend.send(FetchSourceRequest(id: id))
/// let isPolled = source.lastPolledAt != nil
/// ```
public struct FetchSourceRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/sources/{id}", name: "getSource", summary: "Gets a source of articles",
        access: .manageSources)
    public typealias Item = ContentSource

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: ContentSource.ID

    public init(id: ContentSource.ID) { self.id = id }
}

/// `PATCH /v1/sources/{id}`: changes a source by a merge patch (RFC 7396). Imported articles are
/// compared again at the next poll.
///
/// ```swift
/// let changes = ContentSource.Changes(isPaused: .set(true))
/// let source = try await backend.send(UpdateSourceRequest(id: id, changes: changes))
/// ```
public struct UpdateSourceRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .patch, "/v1/sources/{id}", name: "updateSource", summary: "Changes a source of articles",
        access: .manageSources)
    public typealias Item = ContentSource

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes))

    public var id: ContentSource.ID
    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: ContentSource.Changes

    public init(
        id: ContentSource.ID, expected: IfMatch? = nil, changes: ContentSource.Changes
    ) {
        self.id = id
        self.expected = expected
        self.changes = changes
    }
}

/// `DELETE /v1/sources/{id}`: removes a source. Its articles stay.
///
/// ```swift
/// try await backend.send(DeleteSourceRequest(id: id))
/// ```
public struct DeleteSourceRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/sources/{id}", name: "deleteSource",
        summary: "Removes a source of articles", access: .manageSources, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch))

    public var id: ContentSource.ID
    /// The version to remove; `nil` for any.
    public var expected: IfMatch?

    public init(id: ContentSource.ID, expected: IfMatch? = nil) {
        self.id = id
        self.expected = expected
    }
}

/// `POST /v1/sources/{id}/poll`: polls a source now, without waiting for the result. A paused one
/// is polled once.
///
/// ```swift
/// let source = try await backend.send(PollSourceRequest(id: id))
/// ```
public struct PollSourceRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/sources/{id}/poll", name: "pollSource", summary: "Polls a source now",
        access: .manageSources, success: .accepted)
    public typealias Item = ContentSource

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: ContentSource.ID

    public init(id: ContentSource.ID) { self.id = id }
}

extension FetchSourcesRequest: PagedRequest {
    public typealias PageItem = ContentSource
}
