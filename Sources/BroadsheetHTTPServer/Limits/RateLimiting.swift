public import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import Synchronization

/// The rate of requests that one client may send: a burst of `requests`, and then as many in each
/// period (a token bucket that refills evenly).
///
/// It is always within the bounds of its initialiser.
///
/// ```swift
/// configuration.limits.keyRate = RateLimit(requests: 12_000, seconds: 60)
/// configuration.limits.addressRate = RateLimit("600/60")
/// ```
public struct RateLimit: Sendable, Hashable {
    public let requests: Int
    public let seconds: Int

    /// - Returns: `nil` unless there are 1 to 1,000,000,000 requests in 1 to 86,400 seconds.
    public init?(requests: Int, seconds: Int) {
        guard (1...1_000_000_000).contains(requests), (1...86_400).contains(seconds) else {
            return nil
        }
        self.requests = requests
        self.seconds = seconds
    }

    /// `12000/60`: requests and seconds.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let requests = Int(parts[0]), let seconds = Int(parts[1]) else {
            return nil
        }
        self.init(requests: requests, seconds: seconds)
    }
}

/// The key that a client is counted by: its IPv4 address, its IPv6 network (/64, the size that one
/// customer gets, or a larger one), or the account of its API key.
extension HashedKey {
    /// All peers on Unix sockets share one key.
    ///
    /// - Parameter prefixOctets: Those of an IPv6 address that name its network, at most 8.
    init(_ address: SocketAddress, prefixOctets: Int = 8) {
        let octets = (address.networkOctets ?? []).prefix(16)
        let network = octets.count == 16 ? octets.prefix(prefixOctets) : octets
        self.init {
            $0.combine(network.count)
            $0.combine(network.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        }
    }

    init(account: String) { self.init { $0.combine(account) } }
}

/// The account of a request, as limits count it.
struct LimitedAccount: Sendable {
    let key: HashedKey
    /// True if all such accounts of the client's address share one bucket.
    let sharesAddress: Bool

    init(_ account: String, sharesAddress: Bool) {
        key = HashedKey(account: account)
        self.sharesAddress = sharesAddress
    }
}

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

/// The client's remaining allowance after a request.
struct RateLimitStatus {
    /// The policy that the client is counted by.
    enum Measure {
        case address, account
        /// That of accounts, but one bucket for all of an address.
        case accountsOfAddress

        /// The reason for which a request beyond the limit is rejected.
        var reason: RejectionReason { self == .address ? .addressRate : .keyRate }

        /// The same in words that follow "Too many requests".
        var words: String {
            switch self {
            case .address: "from this address"
            case .account: "with this key"
            case .accountsOfAddress: "by the accounts of this address"
            }
        }
    }

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

/// The token buckets of clients in bounded memory: a new client replaces one whose bucket is full,
/// or otherwise the one closest to it.
///
/// A bucket is one number, the time when it will be full again; a full bucket needs no entry. (The
/// generic cell rate algorithm, ITU-T I.371.)
final class TokenBuckets: Sendable {
    /// The result of taking tokens.
    enum Outcome: Hashable {
        /// Tokens were taken; `left` remain, and the bucket is full again after `fullInSeconds`.
        case taken(left: Int, fullInSeconds: Int)
        /// The bucket has too few tokens until `seconds` have passed.
        case empty(seconds: Int)
    }

    private struct Bucket: BoundedTableEntry {
        /// Monotonic nanoseconds.
        var fullAt: Int64

        func weight(at now: Int64) -> Int64 { fullAt <= now ? -1 : fullAt }
    }

    private let interval: Int64
    private let window: Int64
    /// The number of servers among which a client's requests are spread; each token costs as many.
    private let servers = Atomic<Int64>(1)
    private let shards: [Lock<BoundedTable<Bucket>>]
    private static let shardCount = 16

    /// - Parameter capacity: The maximum number of clients with buckets that are not full, rounded
    ///   to 128.
    init(_ limit: RateLimit, capacity: Int) {
        interval = max(1, Int64(limit.seconds) * 1_000_000_000 / Int64(limit.requests))
        window = interval * Int64(limit.requests)
        shards = (0..<Self.shardCount).map { _ in
            Lock(BoundedTable(capacity: capacity / Self.shardCount))
        }
    }

    /// The limit holds for this number of servers together, among which requests are spread evenly.
    func share(among count: Int) { servers.store(Int64(max(1, count)), ordering: .relaxed) }

    /// Takes tokens from the client's bucket.
    ///
    /// - Parameters:
    ///   - tokens: Capped at the size of a full bucket, so that every request can be paid for.
    ///   - now: Monotonic milliseconds.
    func take(_ key: HashedKey, tokens: Int = 1, now: Int64) -> Outcome {
        let now = now * 1_000_000
        // No more tokens than empty the bucket.
        let most = window / interval
        let weight = min(Int64(max(1, tokens)), most) * min(servers.load(ordering: .relaxed), most)
        let price = min(interval * min(weight, most), window)
        return shards[Int(key.high % UInt64(Self.shardCount))].withLock { table in
            table.update(key, at: now) { bucket in
                let fullAt = max(now, bucket?.fullAt ?? now) + price
                let used = fullAt - now
                guard used <= window else {
                    return .empty(seconds: Self.seconds(used - window))
                }
                bucket = Bucket(fullAt: fullAt)
                return .taken(
                    left: Int((window - used) / interval), fullInSeconds: Self.seconds(used))
            }
        }
    }

    /// Whole seconds, rounded up.
    private static func seconds(_ nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }
}

/// The bucket that a request is charged to: of its address, of its account, or of the accounts of
/// its address.
struct RateMeter: Sendable {
    let limiter: RateLimiter
    let key: HashedKey
    let measure: RateLimitStatus.Measure
    /// Monotonic milliseconds at the arrival of the request.
    let now: Int64

    /// - Parameter now: The time of a charge during the request; `nil`: its arrival.
    func take(_ tokens: Int = 1, at now: Int64? = nil) -> RateLimitStatus {
        let now = now ?? self.now
        return RateLimitStatus(
            measure: measure, outcome: limiter.buckets.take(key, tokens: tokens, now: now))
    }
}

/// The time and size limits of requests and connections.
///
/// The description of each attribute includes the response to a client that exceeds the limit.
///
/// ```swift
/// configuration.limits.message.bodyBytes = 1 << 20
/// configuration.limits.headMilliseconds = 5_000
/// configuration.limits.connectionsPerAddress = 100
/// ```
public struct ServerLimits: Sendable {
    /// Maximum sizes of heads and bodies, in bytes.
    public var message = HTTPLimits()
    /// Time limit of a TLS handshake, from its first byte to its last; then the connection closes.
    public var handshakeMilliseconds: Int64 = 10_000
    /// Time limit of a head, from its first byte to its last; otherwise 408.
    public var headMilliseconds: Int64 = 10_000
    /// A body may be slower than the minimum rate for this time …
    public var bodyGraceMilliseconds: Int64 = 5_000
    /// … and must reach this average rate afterwards; otherwise 408.
    public var bodyBytesPerSecond: Int64 = 240
    /// Time limit of a whole body; otherwise 408.
    public var bodyMilliseconds: Int64 = 60_000
    /// Time limit between two requests; then the connection is closed.
    public var idleMilliseconds: Int64 = 75_000
    /// Time limit without progress while a response is sent; then the connection is dropped.
    public var writeStallMilliseconds: Int64 = 30_000
    /// Maximum bytes of responses that wait for slow readers, on all loops; a response that would
    /// exceed it is dropped with its connection.
    public var waitingBytes = 128 << 20
    /// Time limit of a handler. Then its task is cancelled; safe requests receive a 503, and the
    /// connections of others are closed, as the outcome is unknown.
    public var handlerMilliseconds: Int64 = 30_000
    /// The time for which an HTTP/2 connection may go on with a burst of requests while the server
    /// stops, until its end is announced.
    package var burstMilliseconds: Int64 = 100
    /// The maximum time for which bytes of a rejected client are discarded, so that it can read the
    /// response.
    public var lingerMilliseconds: Int64 = 2_000
    /// The maximum bytes of a rejected client that are discarded.
    public var lingerBytes = 16 << 20
    /// Maximum open connections per address or IPv6 network (/64), otherwise 429; `nil`: unlimited.
    /// Connections from this machine and from trusted proxies are not counted.
    public var connectionsPerAddress: Int?
    /// Maximum bytes of request bodies in memory, over all connections; otherwise 503. A quarter is
    /// reserved for bodies of up to 64 KiB.
    public var bodyMemoryBytes = 128 << 20
    /// The rate of requests without a valid key per address; otherwise 429. Requests from this
    /// machine and of trusted proxies themselves are not counted.
    public var addressRate: RateLimit?
    /// The rate of requests per account, whatever address they come from; otherwise 429.
    public var keyRate: RateLimit?

    public init() {}

    /// Returns the time by which a body of this size must make progress or be rejected (monotonic
    /// milliseconds).
    func bodyDeadline(since start: Int64, received: Int) -> Int64 {
        let rate = start + bodyGraceMilliseconds + Int64(received) * 1_000 / bodyBytesPerSecond
        return min(rate, start + bodyMilliseconds)
    }
}

/// Limits the bytes of request bodies in memory, over all connections.
///
/// A quarter is reserved for small bodies, so that a few clients with large, slow uploads do not
/// keep others from writing.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)
    /// Bodies up to this size are small.
    static let smallBytes = 64 << 10

    init(limit: Int) { self.limit = limit }

    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Reserves memory for more of a body; false, without reserving any, if the budget is
    /// exhausted.
    ///
    /// - Parameter total: The size of the body including these bytes.
    func take(_ count: Int, total: Int) -> Bool {
        let limit = total <= Self.smallBytes ? limit : limit - limit / 4
        let (_, now) = used.add(count, ordering: .relaxed)
        if now <= limit { return true }
        give(count)
        return false
    }

    func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// The bytes of responses that wait for slow readers, over all loops.
final class PendingResponseBytes: Sendable {
    private let bytes = Atomic<Int>(0)

    /// - Returns: The new total.
    func add(_ count: Int) -> Int { bytes.add(count, ordering: .relaxed).newValue }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
