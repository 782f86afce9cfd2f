import HTTP
import HTTP2
import Platform
import Sockets

/// What all connections of a listener share; it never changes.
struct ConnectionRules: Sendable {
    let limits: ServerLimits
    /// The settings of HTTP/2 connections.
    let http2: HTTP2Settings
    /// Whether clients may speak HTTP/2 without TLS, with prior knowledge.
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
    let waiting = WaitingResponses()
    let rejections = RejectionCounts()
    /// Whether each connection begins with a PROXY protocol header.
    private(set) var expectsProxyHeader = false
    /// Whether clients connect directly to an address that only this machine can reach.
    private(set) var isLoopback = false
    /// Set if clients must use TLS.
    private(set) var tls: TLSServer?
    /// The handlers of upgraded connections, by protocol.
    let protocols: [String: UpgradeHandler]
    /// Takes connections when the server hands them off.
    let departure: ConnectionHandoff
    /// The index of the listener within the server.
    private(set) var listener = 0
    /// The hosts that requests may name; `nil`: any.
    private(set) var hostNames: HostNames?
    /// The HTTPS port to redirect every request to.
    private(set) var redirectPort: UInt16?

    init(_ configuration: ServerConfiguration, _ router: HTTPRouter, _ departure: ConnectionHandoff)
    {
        self.departure = departure
        protocols = configuration.protocols
        limits = configuration.limits
        var http2 = configuration.http2
        http2.message = limits.message
        self.http2 = http2
        takesCleartextHTTP2 = configuration.takesCleartextHTTP2
        self.router = router
        cache = configuration.cache
        readers = configuration.readers
        sessionCookie = configuration.sessionCookie
        render = configuration.rejections
        observers = configuration.observers
        handshakeObservers = configuration.handshakeObservers
        trustedProxies = configuration.trustedProxies
        crossOrigin = configuration.crossOrigin.isEmpty ? nil : configuration.crossOrigin
        addressRate = limits.addressRate.map {
            RateLimiter("default", $0, capacity: Self.addressCapacity)
        }
        keyRate = limits.keyRate.map { RateLimiter("key", $0, capacity: Self.accountCapacity) }
        addresses = limits.connectionsPerAddress.map { AddressCounter(limit: $0) }
        bodies = BodyBudget(limit: limits.bodyMemoryBytes)
        strictTransport = configuration.strictTransportSeconds.map { "max-age=\($0)" }
        strictTransportLine = strictTransport.map {
            Array("\(HTTPFieldName.strictTransportSecurity): \($0)\r\n".utf8)
        }
    }

    /// How many addresses and accounts are tracked at a time, at 40 bytes each; others are treated
    /// as new.
    private static let addressCapacity = 65_536
    private static let accountCapacity = 4_096

    typealias UpgradeHandler = @Sendable (consuming Descriptor) -> Void

    /// The rules of a listener that serves requests.
    func serving(
        _ address: SocketAddress, _ configuration: ServerConfiguration, isProxied: Bool = false
    ) -> ConnectionRules {
        var rules = self
        rules.expectsProxyHeader = isProxied
        if case .unix = address { return rules }
        rules.tls = configuration.tls
        // Browsers on this machine do not send the PROXY header, so DNS rebinding cannot get
        // through.
        if !isProxied { rules.hostNames = Self.hostNames(at: address, configuration) }
        rules.isLoopback = !isProxied && address.isLoopback
        return rules
    }

    /// The same rules with this listener index.
    func of(_ listener: Int) -> ConnectionRules {
        var rules = self
        rules.listener = listener
        return rules
    }

    private static func hostNames(
        at address: SocketAddress, _ configuration: ServerConfiguration
    ) -> HostNames? {
        address.isLoopback ? configuration.hostNames : nil
    }

    /// The rules of a listener that redirects to HTTPS.
    func redirecting(
        from address: SocketAddress, to port: UInt16, _ configuration: ServerConfiguration
    ) -> ConnectionRules {
        var rules = self
        rules.hostNames = Self.hostNames(at: address, configuration)
        rules.redirectPort = port
        return rules
    }
}
