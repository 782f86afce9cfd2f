public import BroadsheetHTTP
public import BroadsheetPlatform
public import BroadsheetSockets

/// A client of HTTP/1.1 and HTTP/2 on sockets, with a bounded pool of kept-alive connections per
/// origin, on one event loop.
///
/// Over TLS both sides agree on the version (ALPN). With HTTP/2 all exchanges with an origin share
/// one connection, as far as the server allows: the others wait. It can be shared between tasks.
/// Its connections close when the last reference is released.
public final class HTTPClient: Sendable {
    private let pool: ConnectionPool

    public init(_ configuration: HTTPClientConfiguration = .init()) throws(SystemError) {
        pool = ConnectionPool(configuration, try EventLoop(index: 0))
    }

    deinit { pool.stop() }

    /// The number of connections that are open or being opened.
    public var connectionCount: Int { pool.loop.channelCount }

    /// The client's event loop: continuing there after an exchange wakes no other thread. Work on
    /// it must not block.
    public var executor: any TaskExecutor { pool.loop }

    /// Sends the request and returns the response: complete, or with a streamed body.
    ///
    /// A request is retried once if a kept-alive connection turns out to be closed and the request
    /// is safe, or nothing of it was sent. Every request is retried that the server says it has not
    /// processed (HTTP/2), over HTTP/1.1 if the server requires that. Cancelling the task aborts
    /// the exchange immediately.
    ///
    /// - Parameter request: `Host` is added if it is missing.
    public func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, options: ExchangeOptions = .init()
    ) async throws(HTTPClientError) -> HTTPResponse {
        guard !request.fields.hasRejectedValue else {
            throw .malformed("the request has a field whose value cannot be sent")
        }
        var (request, options) = (Self.addressed(request, to: origin), options)
        if request.fields.contains(.acceptEncoding) || request.fields.contains(.range) {
            options.decodesGzip = false
        } else if options.decodesGzip {
            request.fields.append(.acceptEncoding, "gzip")
        }
        let exchange = ClientExchange(request, to: origin, options, in: pool)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { exchange.begin($0) }
        } onCancel: {
            exchange.cancel()
        }
        var response = try outcome.get()
        if case .stream(let stream) = response.body {
            // A body that is still being read keeps the client, and so its connection, alive.
            response.body = .stream(
                HTTPBodyStream(length: stream.length) { [self] in
                    defer { withExtendedLifetime(self) {} }
                    return try await stream.next()
                })
        }
        return response
    }

    /// Aborts every exchange and closes every connection; later requests fail with `stopped`.
    public func stop() { pool.stop() }

    private static func addressed(_ request: HTTPRequest, to origin: HTTPOrigin) -> HTTPRequest {
        guard !request.fields.contains(.host) else { return request }
        var request = request
        // `Host` should be the first field (RFC 9110 §7.2).
        var fields: HTTPFields = [.host: origin.authority]
        fields.append(contentsOf: request.fields)
        request.fields = fields
        return request
    }
}

/// The limits of a client.
public struct HTTPClientConfiguration: Sendable {
    /// Maximum connections to one origin; with HTTP/2 there is one, besides those that the server
    /// is closing.
    public var connectionsPerOrigin = 8
    /// Maximum exchanges at a time on one HTTP/2 connection; the server may allow fewer.
    public var streamsPerConnection = 200
    /// Maximum exchanges that wait for a connection to one origin.
    public var waitingPerOrigin = 4_096
    /// The maximum idle time of a connection; it should be shorter than the servers' own timeout.
    public var idleMilliseconds: Int64 = 50_000
    /// The time limit for resolving a host and connecting to one of its addresses.
    public var connectMilliseconds: Int64 = 10_000
    /// The time limit for one address while there are others to try.
    public var addressMilliseconds: Int64 = 2_000
    /// TLS for https; `nil`: trust the system's authorities, and offer `protocols`.
    public var tls: TLSClient?
    /// True if http origins are known to speak HTTP/2 (RFC 9113 §3.3).
    public var usesCleartextHTTP2 = false
    /// Decides to which addresses connections may be opened. It judges each resolved address right
    /// before it is connected to, so that no name can lead anywhere else. It runs on the event
    /// loop.
    public var permits: @Sendable (SocketAddress) -> Bool = { _ in true }
    /// Maximum sizes of heads. Some servers send policies and cookies of dozens of kilobytes: by
    /// default, a head may have 1,000 fields of 256 KiB in all.
    public var message = {
        var limits = HTTPLimits()
        limits.fieldBytes = 256 << 10
        limits.fields = 1_000
        return limits
    }()
    /// The number of bytes that a streamed body buffers before the sender has to wait.
    public var streamWindowBytes = 256 << 10

    /// The application protocols that clients offer by ALPN, most preferred first.
    public static let protocols = ["h2", "http/1.1"]

    public init() {}
}

/// The options of one exchange.
public struct ExchangeOptions: Sendable {
    /// The time limit from the call to the end of the response; for a stream, to its
    /// head, unless `limitsStream`.
    public var deadlineMilliseconds: Int64 = 60_000
    /// The time limit without progress while the request is sent or the response is received;
    /// `nil`: unlimited, as event streams need.
    public var stallMilliseconds: Int64? = 30_000
    /// Maximum length of the body in bytes, after decoding its content coding.
    public var bodyBytes = 16 << 20
    /// True to return as soon as the head is received, with a streamed body.
    public var isStreamed = false
    /// True if the deadline of a stream is that of its end.
    public var limitsStream = false
    /// True to request gzip, and to decode the response if it has gzip or deflate. Other codings
    /// are left to the caller. Requests that set `Accept-Encoding` or `Range` themselves get their
    /// response unchanged.
    public var decodesGzip = true
    /// Called with the number of bytes of the request body that were sent, and their total. It runs
    /// on the event loop and must not block.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}
}

/// The reason why an exchange has no response.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The host cannot be resolved.
    case unknownHost(HTTPOrigin, SocketAddress.ParsingError)
    /// No address of the origin accepted a connection, and kept it during the TLS handshake; with
    /// the last address's error.
    case cannotConnect(HTTPOrigin, SystemError)
    /// The origin has no address to which the configuration permits connections.
    case forbiddenAddress(HTTPOrigin)
    /// The TLS handshake or session failed, or the origin's certificate is not trusted.
    case insecure(TLSFailure)
    /// A time limit expired.
    case timedOut
    /// The caller's task was cancelled.
    case cancelled
    /// The connection closed before the response was complete.
    case disconnected
    /// The server rejects HTTP/2 and requires HTTP/1.1 (RFC 9113 §7), but does not speak it, or the
    /// configuration does not allow it.
    case requiresHTTP1(HTTPOrigin)
    /// The response, or the request to be sent, is invalid, for the given reason.
    case malformed(String)
    /// The response's body exceeds the limit.
    case tooLarge(limitBytes: Int)
    /// Too many exchanges already wait for a connection to the origin.
    case tooManyWaiting
    /// The client was stopped.
    case stopped
}

extension HTTPClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownHost(let origin, let error): "\(origin): \(error)"
        case .cannotConnect(let origin, let error): "cannot connect to \(origin): \(error)"
        case .forbiddenAddress(let origin):
            "connections to the addresses of \(origin) are not permitted"
        case .insecure(let failure): "\(failure)"
        case .timedOut: "the response did not arrive in time"
        case .cancelled: "the request was cancelled"
        case .disconnected: "the connection closed before the response was complete"
        case .requiresHTTP1(let origin):
            "\(origin) requires HTTP/1.1, on which client and server cannot agree"
        case .malformed(let detail): "the response has \(detail)"
        case .tooLarge(let limit): "the response is larger than \(limit) bytes"
        case .tooManyWaiting: "too many requests are waiting for a connection"
        case .stopped: "the client was stopped"
        }
    }
}

/// One request and its response, which the caller receives exactly once.
final class ClientExchange: Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPClientError>
    typealias Caller = UnsafeContinuation<Outcome, Never>

    let request: HTTPRequest
    let origin: HTTPOrigin
    let options: ExchangeOptions
    private let pool: ConnectionPool
    private let state = Lock(State())

    private struct State {
        var caller: Caller?
        /// The caller has received the outcome, or will receive this one.
        var isOver = false
        var early: HTTPClientError?
        /// The body that the caller may still be reading.
        var pipe: BoundedBodyStream?
    }

    /// State that only the pool accesses, on its loop.
    struct PoolState {
        var deadline = Int64.max
        var timer: LoopTimer?
        var connection: (any ClientConnection)?
        /// Its stream on an HTTP/2 connection.
        var stream: Int32 = 0
        /// It failed on a closed connection, and must not use another idle one.
        var isRetried = false
        /// Its server requires HTTP/1.1 for it.
        var needsHTTP1 = false
        /// The number of times in a row that a connection has returned it without performing it.
        var returns = 0
    }
    // Confined to the pool's loop.
    nonisolated(unsafe) var place = PoolState()

    init(
        _ request: HTTPRequest, to origin: HTTPOrigin, _ options: ExchangeOptions,
        in pool: ConnectionPool
    ) {
        self.request = request
        self.origin = origin
        self.options = options
        self.pool = pool
    }

    /// Stores the caller's continuation and starts, unless the exchange has already ended.
    func begin(_ caller: Caller) {
        let early = state.withLock { state in
            if state.early == nil { state.caller = caller }
            return state.early
        }
        if let early { return caller.resume(returning: .failure(early)) }
        pool.add(self)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Returns true if the exchange may be retried on another connection: a kept-alive one may
    /// close just as it is reused (RFC 9112 §9.3.1). That is safe if the method is, or if the
    /// server has nothing of the request (RFC 9110 §9.2.2).
    ///
    /// - Parameters:
    ///   - mayEnd: True if the connection may close although the server does not fail, as when it
    ///     had performed exchanges before.
    ///   - hasSent: True if the server may have received some of the request.
    ///   - hasReceived: True if a part of the response has arrived.
    func mayRetry(
        after error: HTTPClientError, mayEnd: Bool, hasSent: Bool, hasReceived: Bool
    ) -> Bool {
        guard error == .disconnected, !hasReceived, !isOver, !place.isRetried else { return false }
        return !hasSent || mayEnd && request.method.isSafe
    }

    /// Ends the exchange with this outcome unless it has already ended.
    ///
    /// - Parameter pipe: The body of a streamed response.
    @discardableResult
    func finish(_ outcome: Outcome, streaming pipe: BoundedBodyStream? = nil) -> Bool {
        let (isFirst, caller) = state.withLock { state in
            guard !state.isOver else { return (false, nil as Caller?) }
            state.isOver = true
            state.pipe = pipe
            if state.caller == nil, case .failure(let error) = outcome { state.early = error }
            return (true, state.caller.take())
        }
        caller?.resume(returning: outcome)
        return isFirst
    }

    /// The caller no longer wants the response or the rest of it.
    func cancel() {
        let pipe = state.withLock { $0.pipe.take() }
        pipe?.end(.failure(.cancelled))
        if finish(.failure(.cancelled)) || pipe != nil { pool.drop(self) }
    }

    /// The body is complete, so there is nothing left to cancel.
    func bodyEnded(_ end: Result<Void, HTTPClientError>) {
        state.withLock { $0.pipe.take() }?.end(end)
    }
}
