import HTTP

/// `GET /v1/articles/{id}/revisions/{number}`: an article as of a revision.
public struct FetchRevisionRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}/revisions/{number}", access: .readHistory)
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
