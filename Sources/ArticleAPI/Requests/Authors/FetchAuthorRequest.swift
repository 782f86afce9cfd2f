import HTTP

/// `GET /v1/authors/{id}`: one author.
public struct FetchAuthorRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(.get, "/v1/authors/{id}", access: .everyone)
    public typealias Item = Author

    public static let parameters = Parameters(Self.init, .path("id", \.id, .identifier()))

    public var id: Author.ID

    public init(id: Author.ID) { self.id = id }
}
