public import HTTP

/// `POST /v1/articles/{id}/revisions/{number}/restore`: an article becomes again what it was; that
/// is one more revision, and also brings a deleted article back.
public struct RestoreRevisionRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles/{id}/revisions/{number}/restore", access: .writeArticles)
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .path("number", \.number, .integer(1...Int.max)),
        .header("If-Match", \.expected, .ifMatch),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The revision to go back to, 1 or more.
    public var number: Int
    /// Which state is to be left; `nil`: any.
    public var expected: IfMatch?
    /// A name for this one write: sent again with it, the request is not done twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, number: Int, expected: IfMatch? = nil, idempotencyKey: String? = nil
    ) {
        self.id = id
        self.number = number
        self.expected = expected
        self.idempotencyKey = idempotencyKey
    }
}
