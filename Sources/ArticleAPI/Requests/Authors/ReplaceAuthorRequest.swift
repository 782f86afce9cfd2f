public import HTTP

/// `PUT /v1/authors/{id}`: creates or replaces an author.
public struct ReplaceAuthorRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.put, "/v1/authors/{id}", access: .writeAuthors)
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
