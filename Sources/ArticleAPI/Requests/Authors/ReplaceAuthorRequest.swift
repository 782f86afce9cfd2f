public import HTTP

/// `PUT /v1/authors/{id}`: makes an author, or replaces what is said of one.
public struct ReplaceAuthorRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.put, "/v1/authors/{id}", access: .writeAuthors)
    public typealias Item = Author

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.author))

    public var id: Author.ID
    /// Which state is to be replaced; the backend insists on it where there is one (428).
    public var expected: IfMatch?
    public var author: Author.Replacement

    public init(id: Author.ID, expected: IfMatch? = nil, author: Author.Replacement) {
        self.id = id
        self.expected = expected
        self.author = author
    }
}
