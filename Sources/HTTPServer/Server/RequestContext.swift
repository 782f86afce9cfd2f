public import Sockets

/// What the server knows of a request besides the request itself.
public struct RequestContext: Sendable {
    /// Identifies the request in responses and logs.
    public let requestID: String
    /// The client's address: the connection's peer, or the client named by a trusted proxy.
    public let peer: SocketAddress
    /// The template of the matching route: `/v1/articles/{id}`.
    public let template: String
    public let parameters: PathParameters
    /// The time of the request in seconds since 1970.
    public let receivedSeconds: Int64
    /// Shared with the server for the exchange; `nil` outside of a server.
    public internal(set) var scope: ExchangeScope?

    /// Identifies the peer, or its network, within this process.
    public var clientNumber: UInt64 { UInt64(RateLimitKey(peer).digest) }

    public init(
        requestID: String, peer: SocketAddress, template: String, parameters: PathParameters,
        receivedSeconds: Int64
    ) {
        self.requestID = requestID
        self.peer = peer
        self.template = template
        self.parameters = parameters
        self.receivedSeconds = receivedSeconds
    }
}

/// The decoded path segments that match the route's parameters.
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
