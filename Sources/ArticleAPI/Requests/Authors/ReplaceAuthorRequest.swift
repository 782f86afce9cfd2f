public import HTTP

/// `PUT /v1/authors/{id}`: makes an author, or replaces what is said of one.
public struct ReplaceAuthorRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(.put, "/v1/authors/{id}", access: .writeAuthors)
    public typealias Item = Author

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.author), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Author.ID
    /// Which state is to be replaced; the backend insists on it where there is one (428).
    public var expected: IfMatch?
    public var author: Author.Replacement
    /// A name for this one write: sent again with it, the request is not done twice.
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
