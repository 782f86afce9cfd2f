public import HTTP

/// What one request wants otherwise than its configuration says.
public struct RequestOptions: Sendable {
    /// `nil`: the configuration's.
    public var timeout: Duration?
    public var freshness = Freshness.revalidated
    /// Makes a write safe to send again (`Idempotency-Key`).
    public var idempotencyKey: String?
    /// Added to the configuration's, and instead of those of the same name.
    public var headers = HTTPFields()
    /// Told how much of the request's body is on its way.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}

    /// How old an answer may be.
    public enum Freshness: Sendable, Hashable {
        /// As old as the backend allows; beyond that it is asked whether the copy still stands.
        case revalidated
        /// From the backend, whatever there is.
        case reloaded
        /// As `revalidated`, and when the backend cannot be reached the copy as it is.
        case orCachedWhenOffline
    }
}
