public import BroadsheetHTTP2
public import BroadsheetPlatform
public import BroadsheetSockets

/// The configuration of a server: where it listens, its limits, its cache and its observers.
///
/// Changes have no effect on servers that were created with it before. By default, neither the rate
/// nor the number of connections of a single client is limited.
///
/// ```swift
/// let local = SocketAddress.v4([127, 0, 0, 1], port: 0)
/// var configuration = ServerConfiguration(addresses: [local], loops: 2, system: .real)
/// configuration.limitConnections = 1_000
/// configuration.report = { print($0) }
/// ```
public struct ServerConfiguration: Sendable {
    /// The addresses to listen on; port 0 lets the kernel choose one.
    public var addresses: [SocketAddress]
    /// The access to Unix sockets.
    public var socketAccess = SocketAccess()
    /// The number of event loops, each on its own thread.
    public var loops: Int
    /// Maximum connections; further ones receive a 503. It is capped by the descriptor limit.
    public var limitConnections = 20_000
    public var limits = ServerLimits()
    /// The limits of HTTP/2 connections, which clients get by ALPN if `h2` is among the protocols
    /// of `tls`. `limits.message` also applies to their messages.
    public var http2 = HTTP2Settings()
    /// True if clients may speak HTTP/2 without TLS, with prior knowledge (RFC 9113 §3.3).
    public var takesCleartextHTTP2 = false
    /// Cached responses, which are served without calling handlers.
    public var cache: ResponseCache?
    /// Identifies clients that are served from the cache in spite of their credentials; `nil`: none
    /// are.
    public var readers: (any PublicReaders)?
    /// The cookie in which browsers send their credentials; `nil`: cookies are ignored.
    public var sessionCookie: SessionCookie?
    /// Notified of each exchange.
    public var observers: [any ExchangeObserver] = []
    /// The log of responses.
    public var accessLog: AccessLog?
    /// Notified of each TLS handshake.
    public var handshakeObservers: [any HandshakeObserver] = []
    /// Called with a sentence when the server cannot accept connections, or closes a proxy's.
    public var report: @Sendable (String) -> Void = { _ in }
    /// Renders the server's own rejections.
    public var rejections: HTTPError.Renderer = HTTPError.plainText

    /// TLS for clients on TCP; Unix sockets never use it.
    public var tls: TLSServer?
    /// Addresses where plain HTTP is redirected (308) to HTTPS on the first address's port.
    public var redirects: [SocketAddress] = []
    /// The time for which browsers should only use HTTPS (`Strict-Transport-Security`, RFC 6797),
    /// in seconds.
    public var strictTransportSeconds: Int?
    /// Provides the sockets for `addresses`; by default new ones.
    public var open: SocketOpener = { (address, access) throws(SystemError) in
        try ListeningSocket(address, access: access)
    }
    /// The same for `proxiedAddresses` …
    public var openProxied: SocketOpener = { (address, access) throws(SystemError) in
        try ListeningSocket(address, access: access)
    }
    /// … and for `redirects`.
    public var openRedirect: SocketOpener = { (address, access) throws(SystemError) in
        try ListeningSocket(address, access: access)
    }
    /// Takes over connections that a client upgrades to another protocol, by protocol name
    /// (`Upgrade`, RFC 9110 §7.8).
    public var protocols: [String: @Sendable (consuming Descriptor) -> Void] = [:]
    /// Limits the waits of a server that stops, and seeds its request IDs. Loops have their own
    /// clock, as they wait in the kernel.
    public var system: SystemEnvironment

    /// Provides the socket for an address, a new one or one that is already bound.
    /// - Parameter access: The access to a Unix socket.
    public typealias SocketOpener =
        @Sendable (_ address: SocketAddress, _ access: SocketAccess) throws(SystemError) ->
        ListeningSocket

    /// The peers whose forwarding headers are trusted.
    public var trustedProxies = NetworkList()
    /// Addresses where each connection begins with a PROXY protocol header of a trusted proxy;
    /// others are closed.
    public var proxiedAddresses: [SocketAddress] = []
    /// The hosts that requests to loopback addresses may name, otherwise 421; `nil`: any.
    public var hostNames: HostNames?
    /// The origins whose pages may read responses in a browser.
    public var crossOrigin = CrossOrigin()

    public init(addresses: [SocketAddress], loops: Int = 1, system: SystemEnvironment) {
        self.addresses = addresses
        self.loops = loops
        self.system = system
    }

    /// Descriptors that are reserved for files, loops and the store.
    public static let reservedDescriptors = 64
}
