public import BroadsheetHTTP
import Synchronization

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
