public import HTTP

/// When a request is retried, and after which delay.
///
/// Only safe requests and those with an `Idempotency-Key` are retried, and never past the deadline.
/// The delay is random between zero and an exponential bound ("full jitter"), so that clients that
/// failed together do not retry together; `Retry-After` is a minimum.
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

    /// Whether it is safe to send the request twice.
    static func allows(_ request: HTTPRequest) -> Bool {
        request.method.isSafe || request.fields.contains(.idempotencyKey)
    }
}
