public import HTTP

/// How long and how large things may be before the server ends them.
public struct ServerLimits: Sendable {
    /// Sizes of heads and bodies, in bytes.
    public var message = HTTPLimits()
    /// For a TLS handshake, from its first byte to its last: the connection is dropped beyond.
    public var handshakeMilliseconds: Int64 = 10_000
    /// From a head's first byte to its last: 408 beyond.
    public var headMilliseconds: Int64 = 10_000
    /// A body may be this slow at first …
    public var bodyGraceMilliseconds: Int64 = 5_000
    /// … and has to keep up this rate, on average, behind that: 408 otherwise.
    public var bodyBytesPerSecond: Int64 = 240
    /// A body in all: 408 beyond.
    public var bodyMilliseconds: Int64 = 60_000
    /// Between two requests; the connection is closed without a word.
    public var idleMilliseconds: Int64 = 75_000
    /// While an answer goes out: without any progress for so long, the connection is dropped.
    public var writeStallMilliseconds: Int64 = 30_000
    /// Maximum bytes of responses that wait for slow readers, on all loops; a response that would
    /// exceed it is dropped with its connection.
    public var waitingBytes = 128 << 20
    /// For a handler to make its answer. Beyond, its task is cancelled; a client that only reads is
    /// answered 503, and one that writes is cut off, as nobody knows what became of it.
    public var handlerMilliseconds: Int64 = 30_000
    /// How long a refused client's bytes are read and dropped, so that it sees the answer …
    public var lingerMilliseconds: Int64 = 2_000
    /// … and how many bytes of them.
    public var lingerBytes = 16 << 20
    /// Open connections of one address, or IPv6 network (/64): 429 beyond, and closed; `nil`: any
    /// number. This machine's own and those of trusted proxies are not counted.
    public var connectionsPerAddress: Int?
    /// Of requests' bodies in memory, over all connections: 503 beyond. A quarter of it is kept for
    /// those of up to 64 KiB.
    public var bodyMemoryBytes = 128 << 20
    /// Requests of one address that come without a key, or with a bad one: 429 beyond. This
    /// machine's own and those of trusted proxies themselves are not counted.
    public var addressRate: RateLimit?
    /// Requests of one account, wherever they come from: 429 beyond.
    public var keyRate: RateLimit?

    public init() {}

    /// When a body of which so much has come must go on or be refused (monotonic milliseconds).
    func bodyDeadline(since start: Int64, received: Int) -> Int64 {
        let rate = start + bodyGraceMilliseconds + Int64(received) * 1_000 / bodyBytesPerSecond
        return min(rate, start + bodyMilliseconds)
    }
}
