import HTTP

/// One rate limit policy with its clients' buckets; it also writes the rate limit fields
/// (draft-ietf-httpapi-ratelimit-headers-10).
final class RateLimiter: Sendable {
    let buckets: TokenBuckets
    /// `"default";q=12000;w=60`.
    private let policy: String
    private let name: String
    /// The line of `RateLimit-Policy`, and `RateLimit` up to its first number.
    private let lineStart: [UInt8]

    init(_ name: String, _ limit: RateLimit, capacity: Int) {
        self.name = name
        buckets = TokenBuckets(limit, capacity: capacity)
        policy = "\"\(name)\";q=\(limit.requests);w=\(limit.seconds)"
        let lines = [
            "\(HTTPFieldName.rateLimitPolicy): \(policy)",
            "\(HTTPFieldName.rateLimit): \"\(name)\"",
        ]
        lineStart = Array((lines.joined(separator: "\r\n") + ";r=").utf8)
    }

    func append(_ allowance: RateLimitStatus, to fields: inout HTTPFields) {
        fields.append(.rateLimitPolicy, policy)
        fields.append(
            .rateLimit, "\"\(name)\";r=\(allowance.left);t=\(allowance.seconds)")
    }

    /// The same fields as lines of a head.
    func append(_ allowance: RateLimitStatus, to output: OutputBuffer) {
        output.append(lineStart)
        output.append(decimal: allowance.left)
        output.append(";t=")
        output.append(decimal: allowance.seconds)
        output.append("\r\n")
    }
}

/// What a client may still send after a request.
struct RateLimitStatus {
    /// The policy that the client is counted by.
    enum Measure { case address, account }

    let measure: Measure
    let outcome: TokenBuckets.Outcome

    /// The remaining requests.
    var left: Int {
        if case .taken(let left, _) = outcome { left } else { 0 }
    }

    /// The time until the bucket is full, or until it has one token.
    var seconds: Int {
        switch outcome {
        case .taken(_, let seconds), .empty(let seconds): seconds
        }
    }
}
