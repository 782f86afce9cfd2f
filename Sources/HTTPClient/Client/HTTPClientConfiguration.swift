public import HTTP
public import Sockets

/// The limits of a client.
public struct HTTPClientConfiguration: Sendable {
    /// Maximum connections to one origin.
    public var connectionsPerOrigin = 8
    /// Maximum exchanges that wait for a connection to one origin.
    public var waitingPerOrigin = 4_096
    /// How long an idle connection is kept; it should be shorter than the servers' own timeout.
    public var idleMilliseconds: Int64 = 50_000
    /// The time limit for resolving a host and connecting to one of its addresses.
    public var connectMilliseconds: Int64 = 10_000
    /// The time limit for one address while there are others to try.
    public var addressMilliseconds: Int64 = 2_000
    /// TLS for https; `nil`: trust the system's authorities.
    public var tls: TLSClient?
    /// Maximum sizes of heads, in bytes.
    public var message = HTTPLimits()
    /// How many bytes a streamed body buffers before the sender has to wait.
    public var streamWindowBytes = 256 << 10

    public init() {}
}

/// The options of one exchange.
public struct ExchangeOptions: Sendable {
    /// The time limit from the call to the end of the response; for a stream, to its head.
    public var deadlineMilliseconds: Int64 = 60_000
    /// The time limit without progress while the request is sent or the response is received;
    /// `nil`: unlimited, as event streams need.
    public var stallMilliseconds: Int64? = 30_000
    /// Maximum length of the body in bytes, after decoding gzip.
    public var bodyBytes = 16 << 20
    /// Whether to return as soon as the head is received, with a streamed body.
    public var isStreamed = false
    /// Whether to request gzip and decode the response. Requests that set `Accept-Encoding` or
    /// `Range` themselves get their response unchanged.
    public var decodesGzip = true
    /// Called with the number of bytes of the request body that were sent, and their total. It runs
    /// on the event loop and must not block.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}
}
