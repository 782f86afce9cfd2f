public import HTTP

/// `DELETE /v1/articles/{id}`: deletes an article; editors can still restore it.
public struct DeleteArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/articles/{id}", access: .writeArticles, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to delete; `nil` for any.
    public var expected: IfMatch?
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(id: Article.ID, expected: IfMatch? = nil, idempotencyKey: String? = nil) {
        self.id = id
        self.expected = expected
        self.idempotencyKey = idempotencyKey
    }
}
