public import HTTP

/// Options of one request that differ from its configuration.
///
/// `RequestOptions(freshness: .reloaded, timeout: .seconds(10))`
public struct RequestOptions: Sendable {
    /// How old the response may be.
    public var freshness: Freshness
    /// `nil` for the configuration's.
    public var timeout: Duration?
    /// The maximum time between two pieces of a stream; `nil` for no limit. Requests that are not
    /// streamed use the configuration's `stallTimeout`.
    public var streamStallTimeout: Duration?
    /// Makes a write safe to retry (`Idempotency-Key`).
    public var idempotencyKey: String?
    /// Added to the configuration's headers; fields of the same name are replaced.
    public var headers: HTTPFields
    /// Called with the number of bytes of the request's body that have been sent.
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

    /// How old a response may be.
    public enum Freshness: Sendable, Hashable {
        /// As old as the backend allows; an older cached copy is revalidated.
        case revalidated
        /// From the backend, even if there is a cached copy.
        case reloaded
        /// As `revalidated`, but the cached copy is used if the backend cannot be reached.
        case orCachedWhenOffline
        /// The cached copy, however old, without using the network. Without a copy, the request
        /// fails with `BackendError.notCached`.
        case cached
    }
}
