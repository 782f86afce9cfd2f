public import HTTP

/// What one request wants otherwise than its configuration says.
///
/// `RequestOptions(freshness: .reloaded, timeout: .seconds(10))`
public struct RequestOptions: Sendable {
    /// How old the response may be.
    public var freshness: Freshness
    /// `nil`: the configuration's.
    public var timeout: Duration?
    /// How long a stream may stand still between two pieces; `nil`: as long as it likes. Requests
    /// that are no streams have the configuration's `stallTimeout`.
    public var streamStallTimeout: Duration?
    /// Makes a write safe to send again (`Idempotency-Key`).
    public var idempotencyKey: String?
    /// Added to the configuration's, and instead of those of the same name.
    public var headers: HTTPFields
    /// Told how much of the request's body is on its way.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init(
        freshness: Freshness = .revalidated, timeout: Duration? = nil,
        streamStallTimeout: Duration? = nil, idempotencyKey: String? = nil,
        headers: HTTPFields = HTTPFields(),
        uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)? = nil
    ) {
        self.freshness = freshness
        self.timeout = timeout
        self.streamStallTimeout = streamStallTimeout
        self.idempotencyKey = idempotencyKey
        self.headers = headers
        self.uploadProgress = uploadProgress
    }

    /// How old an answer may be.
    public enum Freshness: Sendable, Hashable {
        /// As old as the backend allows; beyond that it is asked whether the copy still stands.
        case revalidated
        /// From the backend, whatever there is.
        case reloaded
        /// As `revalidated`, and when the backend cannot be reached the copy as it is.
        case orCachedWhenOffline
        /// The copy as it is, however old; the network is never asked. Without a copy the request
        /// fails with `BackendError.notCached`.
        case cached
    }
}
