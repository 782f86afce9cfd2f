public import HTTP

/// When a request is sent again, and after how long.
///
/// Only what is safe is, or what carries an `Idempotency-Key`; never past the deadline. The wait
/// is random between nothing and an exponential bound ("full jitter"), so that clients which
/// failed together do not come back together; what `Retry-After` says is a minimum.
public struct RetryPolicy: Sendable {
    /// How often a request is sent in all; 1: never again.
    public var attempts = 3
    /// The bound of the first wait; each later one is twice as long …
    public var base = Duration.milliseconds(200)
    /// … up to this.
    public var longest = Duration.seconds(10)
    /// Answers that a later try may turn out better than.
    public var statuses: Set<HTTPStatus> = [
        .requestTimeout, .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]

    public init() {}

    /// Nothing is sent twice.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }()

    /// The wait before the next try.
    ///
    /// - Parameters:
    ///   - attempt: how often it was sent, from 1.
    ///   - retryAfter: what the answer asked for.
    ///   - random: a number from 0 to the given one.
    func delay(
        behind attempt: Int, retryAfter: Duration?, random: (Int64) -> Int64
    ) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        let bound = min(base * (1 << doublings), longest)
        let jitter = Duration.milliseconds(random(max(0, bound.milliseconds)))
        return max(jitter, retryAfter ?? .zero)
    }

    /// Whether sending the request twice does no harm.
    static func allows(_ request: HTTPRequest) -> Bool {
        request.method.isSafe || request.fields.contains(.idempotencyKey)
    }
}
