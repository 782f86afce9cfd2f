public import BroadsheetHTTP
public import BroadsheetPlatform
public import BroadsheetSockets

/// The server's knowledge of a request besides the request itself.
///
/// A value, passed to admission and handler; use it anywhere. `scope` and `body` belong to the
/// exchange and have no effect after it.
///
/// ```swift
/// routes.on(.get, "/articles/{id}") { _, context in
///     let text = "\(context.requestID) reads \(context.parameters["id"] ?? "")"
///     return HTTPResponse(.ok, body: .bytes(Array(text.utf8)))
/// }
/// ```
public struct RequestContext: Sendable {
    /// Identifies the request in responses and logs.
    public let requestID: String
    /// The client's address: the connection's peer, or the client named by a trusted proxy.
    public let peer: SocketAddress
    /// The template of the matching route: `/v1/articles/{id}`.
    public let template: String
    public let parameters: PathParameters
    /// True if no third party on the way could read the request: it came over TLS or from this
    /// machine.
    public let isConfidential: Bool
    /// True if the client used TLS, up to this server or up to a trusted proxy.
    public let isEncrypted: Bool
    /// True if the client is on this machine, and connected to a loopback address without a trusted
    /// proxy. An untrusted one is taken for the client.
    public let isLocal: Bool
    /// Shared with the server for the exchange; `nil` outside of a server.
    public internal(set) var scope: ExchangeScope?
    /// The body of a route that takes it as it arrives; `nil` if there is none. It ends with the
    /// handler.
    public internal(set) var body: HTTPBodyStream?

    /// Identifies the peer, or its network, within this process.
    public var clientNumber: UInt64 { HashedKey(peer).low }

    /// Identifies the networks of the peer within this process, from the largest to the one of
    /// `clientNumber`: of IPv6, /48, /56 and /64. An IPv4 address is its own network, three times.
    public var clientNetworks: [UInt64] {
        [6, 7, 8].map { HashedKey(peer, prefixOctets: $0).low }
    }

    /// The peer's IP address as text, without the port.
    public var clientHost: String { peer.host }

    /// The client to which limits for each address apply; `nil` for this machine, to which they do
    /// not.
    public var limitedClient: UInt64? { peer.isLoopback ? nil : clientNumber }

    /// The /48 and the /56 of the client, to which wider limits apply; empty if it has no IPv6
    /// address, and for this machine.
    public var limitedNetworks: [UInt64] {
        limitedClient == nil ? [] : clientNetworks.filter { $0 != clientNumber }
    }

    public init(
        requestID: String, peer: SocketAddress, template: String, parameters: PathParameters,
        isConfidential: Bool = true, isEncrypted: Bool = false, isLocal: Bool = false
    ) {
        self.requestID = requestID
        self.peer = peer
        self.template = template
        self.parameters = parameters
        self.isConfidential = isConfidential
        self.isEncrypted = isEncrypted
        self.isLocal = isLocal
    }
}

/// The decoded path segments that match the route's parameters.
///
/// A handler finds every name of its route's template; tests that call a handler directly make
/// their own.
///
/// ```swift
/// let parameters = PathParameters(names: ["id"], values: ["7"])
/// let context = RequestContext(
///     requestID: "test", peer: .v4([127, 0, 0, 1], port: 0), template: "/articles/{id}",
///     parameters: parameters)
/// ```
public struct PathParameters: Sendable, Hashable {
    private let names: [String]
    private let values: [String]

    public init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    public subscript(name: String) -> String? {
        names.firstIndex(of: name).flatMap { $0 < values.count ? values[$0] : nil }
    }
}

/// Responds to a request. It runs on the connection's event loop and must not block.
public typealias HTTPHandler = @Sendable (HTTPRequest, RequestContext) async -> HTTPResponse

/// Authenticates and authorizes a request before its body is read. It is called again, still
/// without the body, when the body has arrived, as access may have been revoked in the meantime. It
/// runs on the connection's event loop and must not block.
public typealias HTTPAdmission = @Sendable (HTTPRequest, RequestContext) async -> Admission

/// A route's decision on a request head: the handler of the request, or its rejection.
///
/// It is made before the body is read, and again when the body has arrived, on the connection's
/// event loop. The response of a rejection is sent as it is.
///
/// ```swift
/// routes.protect(.delete, "/articles/{id}") { request, _ in
///     guard request.fields[.authorization] == "Bearer secret" else {
///         return .rejected(HTTPResponse(.unauthorized))
///     }
///     return .admitted({ _, _ in HTTPResponse(.noContent) }, account: "editor")
/// }
/// ```
public enum Admission: Sendable {
    /// Handled by this handler, which may know the sender.
    ///
    /// - Parameters:
    ///   - account: The account whose limits apply, whatever address the request comes from;
    ///     `nil`: the address's.
    ///   - sharesAddress: True if the account shares its limit with all such accounts of the
    ///     address, because anyone can have many of them.
    ///   - sender: Is logged.
    case admitted(
        HTTPHandler, account: String? = nil, sharesAddress: Bool = false,
        sender: RequestSender? = nil)
    /// Rejected with this response; a large body is not read. The sender is logged.
    case rejected(HTTPResponse, sender: RequestSender? = nil)

    var sender: RequestSender? {
        switch self {
        case .admitted(_, _, _, let sender), .rejected(_, let sender): sender
        }
    }
}

/// The treatment of the requests of a method and path. `on` and `protect` of a builder make it. See
/// ``RouterBuilder``.
public struct HTTPRoute: Sendable {
    let body: HTTPRouteBody
    let admit: HTTPAdmission
}

/// A route's treatment of the bodies of its requests.
///
/// Whatever the route, a body that breaks a limit receives the server's response.
///
/// ```swift
/// routes.on(.post, "/uploads", body: .streamed) { _, context in
///     var count = 0
///     do {
///         while let piece = try await context.body?.next() { count += piece.count }
///     } catch { return HTTPResponse(.badRequest) }
///     return HTTPResponse(.ok, body: .bytes(Array("\(count)".utf8)))
/// }
/// ```
public enum HTTPRouteBody: Sendable, Hashable {
    /// A body is rejected by the head and never read into memory.
    case rejected
    /// Its handler is called with the whole body, of at most this size if that is less than the
    /// server allows.
    case whole(limitBytes: Int? = nil)
    /// Its handler is called when the head is admitted and reads the body as it arrives, from
    /// `RequestContext.body`. Neither the body's size nor its duration cost memory, and a handler
    /// has its time between two pieces. Bodies that break a limit get the server's response,
    /// whatever the handler returns; and so do clients whose access was revoked when the body ends.
    case streamed
    /// Like `streamed`, with this limit for the body's size in place of the server's.
    case spooled(limitBytes: Int)
}

/// Names the connection or stream of an exchange for code that does not run on its loop.
///
/// Safe to use from any thread.
protocol ExchangeReference: Sendable {
    /// Ends the exchange as an error after a delay, if that is still wanted by then.
    func abort(
        afterMilliseconds delay: Int64, ifWanted isWanted: @escaping @Sendable () -> Bool)
}

/// The state that the server and a request's handler share during one exchange: from the start of
/// the handler until the response is sent or the connection fails.
///
/// Safe to use from any thread. After the exchange, a turn that is held ends at once.
///
/// ```swift
/// let search: HTTPHandler = { _, context in
///     guard let seconds = context.scope?.charge(4) else { return HTTPResponse(.ok) }
///     return HTTPResponse(.tooManyRequests, fields: [.retryAfter: "\(seconds)"])
/// }
/// ```
public final class ExchangeScope: Sendable {
    private struct State {
        var slots: [WorkSlot] = []
        var allowance: RateLimitStatus?
        var isOver = false
    }

    private let state = Lock(State())
    private let meter: RateMeter?
    private let place: (any ExchangeReference)?

    /// - Parameters:
    ///   - meter: The bucket that the request is charged to; `nil`: it is not limited.
    ///   - place: The exchange through which the response is sent; `nil` outside of a server.
    init(meter: RateMeter?, place: (any ExchangeReference)? = nil) {
        self.meter = meter
        self.place = place
    }

    /// Closes the connection, or the stream of HTTP/2, if the exchange is not over by then, because
    /// the client does not read the response.
    ///
    /// - Parameter delay: In milliseconds.
    public func disconnect(afterMilliseconds delay: Int64) {
        place?.abort(afterMilliseconds: delay) { [weak self] in
            self?.state.withLock { !$0.isOver } ?? false
        }
    }

    /// Keeps the memory reservation of the response until it is sent.
    public func hold(_ slot: WorkSlot) {
        let isOver = state.withLock { state in
            if !state.isOver { state.slots.append(slot) }
            return state.isOver
        }
        if isOver { slot.end() }
    }

    /// Charges the client more tokens for a request that is expensive.
    ///
    /// - Parameter tokens: In addition to the one that every request costs.
    /// - Returns: `nil`, or the number of seconds after which the client may retry.
    public func charge(_ tokens: Int) -> Int? {
        guard tokens > 0, let meter else { return nil }
        // A stream charges its client long after it was requested.
        let now = max(EventLoop.uptimeMilliseconds, meter.now)
        let allowance = meter.take(tokens, at: now)
        state.withLock { $0.allowance = allowance }
        if case .empty(let seconds) = allowance.outcome { return seconds }
        return nil
    }

    /// The client's remaining allowance, if it was charged here.
    var allowance: RateLimitStatus? { state.withLock { $0.allowance } }

    /// The response is sent, or will never be.
    func end() {
        let slots = state.withLock { state in
            state.isOver = true
            defer { state.slots = [] }
            return state.slots
        }
        for slot in slots { slot.end() }
    }
}
