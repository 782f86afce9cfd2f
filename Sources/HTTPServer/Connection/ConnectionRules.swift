import HTTP
import Sockets

/// What all connections of a listener share and none changes.
struct ConnectionRules: Sendable {
    let limits: ServerLimits
    let router: Router
    let render: HTTPError.Renderer
    let observers: [any ExchangeObserver]
    let handshakeObservers: [any HandshakeObserver]
    let trustedProxies: NetworkList
    /// The value of `Strict-Transport-Security` in answers by TLS.
    let strictTransport: String?
    /// The same as a line of a head.
    let strictTransportLine: [UInt8]?
    let crossOrigin: CrossOrigin?
    let addressRate: RateLimiter?
    let keyRate: RateLimiter?
    let addresses: AddressCounter?
    let bodies: BodyBudget
    let waiting = WaitingResponses()
    let refusals = RejectionCounts()
    /// Whether each connection begins with a PROXY protocol header.
    private(set) var expectsProxyHeader = false
    /// What clients have to speak.
    private(set) var tls: TLSServer?
    /// Who takes the connections of clients that ask for another protocol.
    let protocols: [String: @Sendable (consuming Descriptor) -> Void]
    /// Where connections go when the server gives them away.
    let departure: ConnectionHandoff
    /// The place of the connections' listener among those of the server.
    private(set) var listener = 0
    /// Which hosts requests may name; `nil`: any.
    private(set) var hostNames: HostNames?
    /// The port to which everything is redirected, by https.
    private(set) var redirectPort: UInt16?

    init(_ configuration: ServerConfiguration, _ router: Router, _ departure: ConnectionHandoff) {
        self.departure = departure
        protocols = configuration.protocols
        limits = configuration.limits
        self.router = router
        render = configuration.refusals
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

    /// Addresses and accounts that are remembered at a time; others are as if they were new. At
    /// 40 bytes each.
    private static let addressCapacity = 65_536
    private static let accountCapacity = 4_096

    /// The rules of a listener that serves.
    func serving(
        _ address: SocketAddress, _ configuration: ServerConfiguration, isProxied: Bool = false
    ) -> ConnectionRules {
        var rules = self
        rules.expectsProxyHeader = isProxied
        if case .unix = address { return rules }
        rules.tls = configuration.tls
        // Through a proxy, which says so first, no page of this machine's browsers comes.
        if !isProxied { rules.hostNames = Self.hostNames(at: address, configuration) }
        return rules
    }

    /// The rules of the listener of this number.
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

    /// The rules of a listener that redirects.
    func redirecting(
        from address: SocketAddress, to port: UInt16, _ configuration: ServerConfiguration
    ) -> ConnectionRules {
        var rules = self
        rules.hostNames = Self.hostNames(at: address, configuration)
        rules.redirectPort = port
        return rules
    }
}
