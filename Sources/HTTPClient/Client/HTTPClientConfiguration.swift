public import HTTP
public import Sockets

/// Bounds of a client.
public struct HTTPClientConfiguration: Sendable {
    /// Connections to one origin at a time.
    public var connectionsPerOrigin = 8
    /// Exchanges that wait for one of them.
    public var waitingPerOrigin = 4_096
    /// How long an unused connection is kept; less than servers keep theirs.
    public var idleMilliseconds: Int64 = 50_000
    /// For looking up a host and connecting to one of its addresses.
    public var connectMilliseconds: Int64 = 10_000
    /// For one address while others are left to try.
    public var addressMilliseconds: Int64 = 2_000
    /// What https is spoken by; `nil`: whom the system trusts is trusted.
    public var tls: TLSClient?
    /// Sizes of heads, in bytes.
    public var message = HTTPLimits()
    /// What a stream holds for its reader before the sender has to wait, in bytes.
    public var streamWindowBytes = 256 << 10

    public init() {}
}

/// What one exchange may take, and what is made of its answer.
public struct ExchangeOptions: Sendable {
    /// From the call to the end of the answer; of a stream, to its head.
    public var deadlineMilliseconds: Int64 = 60_000
    /// How long the peer may stand still while it takes the request or sends the answer; `nil`:
    /// as long as it likes, as streams of events do.
    public var stallMilliseconds: Int64? = 30_000
    /// The longest body that is taken, in bytes; of one in gzip, what comes out of it.
    public var bodyBytes = 16 << 20
    /// Whether the answer is given with its head, and its body piece by piece.
    public var isStreamed = false
    /// Whether gzip is asked for, and taken off the answer again. A request that says itself which
    /// codings it takes, or asks for a part, gets its answer as it comes.
    public var decodesGzip = true
    /// Told how many bytes of the request's body have gone out, of how many. Runs on the event
    /// loop and must not block.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}
}
