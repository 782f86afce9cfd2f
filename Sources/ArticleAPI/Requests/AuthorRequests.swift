public import BroadsheetHTTP

/// `GET /v1/authors`: the authors that the caller can see, ordered by id.
///
/// ```swift
/// let page = try await backend.send(FetchAuthorsRequest(limit: 10))
/// ```
public struct FetchAuthorsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/authors", name: "listAuthors",
        summary: "Lists authors", access: .everyone)
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

/// `GET /v1/authors/{id}`: one author.
///
/// ```swift
/// let author = try await backend.send(FetchAuthorRequest(id: id))
/// ```
public struct FetchAuthorRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/authors/{id}", name: "getAuthor",
        summary: "Gets an author", access: .everyone)
    public typealias Item = Author

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: Author.ID

    public init(id: Author.ID) { self.id = id }
}

/// `PUT /v1/authors/{id}`: creates or replaces an author.
///
/// The by-lines of the author's articles then have the new name.
///
/// ```swift
/// let content = Author.Replacement(name: "Ada Lovelace", about: "Writes about engines.")
/// let author = try await backend.send(ReplaceAuthorRequest(id: id, author: content))
/// ```
public struct ReplaceAuthorRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .put, "/v1/authors/{id}", name: "replaceAuthor",
        summary: "Replaces an author, or creates one with this id", access: .writeAuthors,
        alternativeSuccess: .created, problems: [.preconditionRequired])
    public typealias Item = Author

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.author), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Author.ID
    /// The version to replace; the backend requires it if the author exists (428).
    public var expected: IfMatch?
    public var author: Author.Replacement
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Author.ID, expected: IfMatch? = nil, author: Author.Replacement,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.author = author
        self.idempotencyKey = idempotencyKey
    }
}
