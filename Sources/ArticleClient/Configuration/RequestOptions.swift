public import BroadsheetHTTP

/// Options of one request that differ from its configuration.
///
/// Options that are not set are as in the configuration.
///
/// ```swift
/// let options = RequestOptions(
///     freshness: .reloaded, timeout: .seconds(10), headers: [.xRequestID: "reload-1"])
/// let page = try await backend.send(FetchTagsRequest(), options: options)
/// ```
public struct RequestOptions: Sendable {
    /// The permitted age of the response.
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
    /// True if the backend gives the same response if the request is sent twice.
    var isRepeatable = false

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

    /// The permitted age of a response.
    public enum Freshness: Sendable, Hashable {
        /// As old as the backend allows; an older cached copy is revalidated.
        case revalidated
        /// From the backend, even if there is a cached copy.
        case reloaded
        /// As `revalidated`, but the cached copy is used at an error that `allowsStale`, or if the
        /// response takes longer than this; then the request continues, to renew the copy.
        /// `BackendReply.staleReason` has the error, or `timedOut`. A successful response that
        /// cannot be decoded is an error even if there is a copy.
        case orCached(after: Duration = .seconds(3))
        /// The cached copy, however old, without using the network. Without a copy, the request
        /// fails with `BackendError.notCached`.
        case cached
    }
}

/// The conditions and delays of retries of a request.
///
/// Only safe requests and those with an `Idempotency-Key` are retried, and never past the deadline.
/// The delay is random between zero and an exponential bound ("full jitter"), so that clients that
/// failed together do not retry together; `Retry-After` is a minimum.
///
/// ```swift
/// configuration.retries.attempts = 5
/// configuration.retries.longest = .seconds(30)
/// ```
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts; 1 for no retries.
    public var attempts = 3
    /// The bound of the first delay; each later bound is twice as long …
    public var base = Duration.milliseconds(200)
    /// … up to this.
    public var longest = Duration.seconds(10)
    /// The statuses after which a retry may succeed.
    public var statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]

    public init() {}

    /// No retries.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }()

    /// The delay before the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: the number of attempts so far, from 1.
    ///   - retryAfter: the delay that the response asks for.
    ///   - random: returns a number from 0 to the given one.
    func delay(
        behind attempt: Int, retryAfter: Duration?, random: (Int64) -> Int64
    ) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        let bound = min(base * (1 << doublings), longest)
        let jitter = Duration.milliseconds(random(max(0, bound.milliseconds)))
        return max(jitter, retryAfter ?? .zero)
    }

    /// Returns true if it is safe to send the request twice.
    static func allows(_ request: HTTPRequest, _ options: RequestOptions) -> Bool {
        request.method.isSafe || request.fields.contains(.idempotencyKey) || options.isRepeatable
    }
}
