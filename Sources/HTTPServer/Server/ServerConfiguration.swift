public import Sockets

/// What a server needs to know before it starts.
public struct ServerConfiguration: Sendable {
    /// Where it listens; port 0 lets the kernel choose.
    public var addresses: [SocketAddress]
    /// Who may connect to Unix sockets, as a file's mode; `nil`: as the umask has it.
    public var socketMode: UInt32?
    /// Event loops, each on a thread of its own.
    public var loops: Int
    /// Beyond, connections are answered 503 and closed. At most what the descriptor limit allows.
    public var maximumConnections = 12_000
    public var limits = ServerLimits()
    /// Told of each answer that went out.
    public var observers: [any ExchangeObserver] = []
    /// Where a line of each answer goes.
    public var accessLog: AccessLog?
    /// Told of each TLS handshake that ended.
    public var handshakeObservers: [any HandshakeObserver] = []
    /// Told of what keeps the server from accepting connections, in one sentence each time.
    public var report: @Sendable (String) -> Void = { _ in }
    /// Makes answers of the server's own refusals.
    public var refusals: HTTPError.Renderer = HTTPError.plainText

    /// What clients on TCP have to speak; those on Unix sockets never do.
    public var tls: TLSServer?
    /// Where plain HTTP is answered by a redirection (308) to the first address's port, by https.
    public var redirects: [SocketAddress] = []
    /// For how long clients should come by https alone (`Strict-Transport-Security`, RFC 6797).
    public var strictTransportSeconds: Int?
    /// Where the sockets come from: made anew, unless somebody has them already.
    public var open: SocketOpener = { (address, mode) throws(SystemError) in
        try ListeningSocket(address, mode: mode)
    }
    /// The same for `proxiedAddresses` …
    public var openProxied: SocketOpener = { (address, mode) throws(SystemError) in
        try ListeningSocket(address, mode: mode)
    }
    /// … and for `redirects`.
    public var openRedirect: SocketOpener = { (address, mode) throws(SystemError) in
        try ListeningSocket(address, mode: mode)
    }
    /// Who takes over the connections of clients that ask for another protocol, by its name
    /// (`Upgrade`, RFC 9110 §7.8), when that was granted.
    public var protocols: [String: @Sendable (consuming Descriptor) -> Void] = [:]

    /// Gives the socket for an address.
    /// - Parameter mode: who may connect to a Unix socket.
    public typealias SocketOpener =
        @Sendable (_ address: SocketAddress, _ mode: UInt32?) throws(SystemError) ->
        ListeningSocket

    /// Whose word is taken for how a request came to them, and from whom.
    public var trustedProxies = NetworkList()
    /// Where each connection begins with a PROXY protocol header, of a trusted proxy; others are
    /// closed.
    public var proxiedAddresses: [SocketAddress] = []
    /// Which hosts requests to loopback addresses may name, 421 otherwise; `nil`: any.
    public var hostNames: HostNames?
    /// Whose pages may read answers in a browser.
    public var crossOrigin = CrossOrigin()

    public init(addresses: [SocketAddress], loops: Int = 1) {
        self.addresses = addresses
        self.loops = loops
    }

    /// Descriptors that are kept for files, loops and the store.
    public static let reservedDescriptors = 64
}
