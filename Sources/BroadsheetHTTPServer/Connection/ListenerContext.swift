import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetPlatform
import BroadsheetSockets

/// The immutable state that all connections of a listener share. It is an object because a
/// connection and each of its exchanges refer to it: copies would cost more than some requests do.
final class ListenerContext: Sendable {
    let limits: ServerLimits
    /// The settings of HTTP/2 connections.
    let http2: HTTP2Settings
    /// True if clients may speak HTTP/2 without TLS, with prior knowledge.
    let takesCleartextHTTP2: Bool
    let router: HTTPRouter
    let cache: ResponseCache?
    let readers: (any PublicReaders)?
    let sessionCookie: SessionCookie?
    let render: HTTPError.Renderer
    let observers: [any ExchangeObserver]
    let handshakeObservers: [any HandshakeObserver]
    let trustedProxies: NetworkList
    /// The value of `Strict-Transport-Security` in responses over TLS.
    let strictTransport: String?
    /// The same field as a line of a head.
    let strictTransportLine: [UInt8]?
    let crossOrigin: CrossOrigin?
    let addressRate: RateLimiter?
    let keyRate: RateLimiter?
    let addresses: AddressCounter?
    let bodies: BodyBudget
    let waiting: PendingResponseBytes
    let rejections: RejectionCounts
    /// The handlers of upgraded connections, by protocol.
    let protocols: [String: UpgradeHandler]
    /// Takes connections when the server hands them off.
    let departure: ConnectionHandoff
    /// The index of the listener within the server.
    let listener: Int
    /// True if each connection begins with a PROXY protocol header.
    let expectsProxyHeader: Bool
    let proxyReports: ProxyErrorReporter
    /// True if clients connect directly to an address that only this machine can reach.
    let isLoopback: Bool
    /// Set if clients must use TLS.
    let tls: TLSServer?
    /// The hosts that requests may name; `nil`: any.
    let hostNames: HostNames?
    /// The HTTPS port to redirect every request to.
    let redirectPort: UInt16?

    /// The purpose of a listener.
    enum Purpose {
        case serving
        /// It serves connections of a proxy, which begin with a PROXY protocol header.
        case servingProxy
        /// It redirects to this port with HTTPS.
        case redirecting(to: UInt16)
    }

    init(
        _ purpose: Purpose, at address: SocketAddress, listener: Int,
        _ configuration: ServerConfiguration, _ shared: SharedState
    ) {
        limits = configuration.limits
        var http2 = configuration.http2
        http2.message = limits.message
        self.http2 = http2
        takesCleartextHTTP2 = configuration.takesCleartextHTTP2
        router = shared.router
        cache = configuration.cache
        readers = configuration.readers
        sessionCookie = configuration.sessionCookie
        render = configuration.rejections
        observers = configuration.observers
        handshakeObservers = configuration.handshakeObservers
        trustedProxies = configuration.trustedProxies
        strictTransport = configuration.strictTransportSeconds.map { "max-age=\($0)" }
        strictTransportLine = strictTransport.map {
            Array("\(HTTPFieldName.strictTransportSecurity): \($0)\r\n".utf8)
        }
        crossOrigin = configuration.crossOrigin.isEmpty ? nil : configuration.crossOrigin
        (addressRate, keyRate) = (shared.addressRate, shared.keyRate)
        (addresses, bodies) = (shared.addresses, shared.bodies)
        (waiting, rejections) = (shared.waiting, shared.rejections)
        protocols = configuration.protocols
        departure = shared.departure
        self.listener = listener
        var isDirect = true
        var isSecure = true
        switch purpose {
        case .serving: redirectPort = nil
        case .servingProxy: (isDirect, redirectPort) = (false, nil)
        case .redirecting(let port): (isSecure, redirectPort) = (false, port)
        }
        expectsProxyHeader = !isDirect
        proxyReports = ProxyErrorReporter(at: address, configuration.report)
        if case .unix = address { (isDirect, isSecure) = (false, false) }
        tls = isSecure ? configuration.tls : nil
        // Browsers on this machine do not send the PROXY header, so DNS rebinding cannot get
        // through a listener for proxies.
        isLoopback = isDirect && address.isLoopback
        hostNames = isLoopback ? configuration.hostNames : nil
    }

    typealias UpgradeHandler = @Sendable (consuming Descriptor) -> Void
}

/// The state that all listeners of a server share: the router, rate limits, budgets and counters.
final class SharedState: Sendable {
    let router: HTTPRouter
    let addressRate: RateLimiter?
    let keyRate: RateLimiter?
    let addresses: AddressCounter?
    let bodies: BodyBudget
    let waiting = PendingResponseBytes()
    let rejections = RejectionCounts()
    let departure = ConnectionHandoff()

    init(_ limits: ServerLimits, _ router: HTTPRouter) {
        self.router = router
        addressRate = limits.addressRate.map {
            RateLimiter("default", $0, capacity: Self.addressCapacity)
        }
        keyRate = limits.keyRate.map { RateLimiter("key", $0, capacity: Self.accountCapacity) }
        addresses = limits.connectionsPerAddress.map { AddressCounter(limit: $0) }
        bodies = BodyBudget(limit: limits.bodyMemoryBytes)
    }

    /// The maximum addresses and accounts tracked at a time, at 40 bytes each; others are treated
    /// as new.
    private static let addressCapacity = 65_536
    private static let accountCapacity = 4_096
}
