public import Sockets

/// What the server knows of a request beside the request.
public struct RequestContext: Sendable {
    /// Names the request in answers and logs.
    public let requestID: String
    /// Who sent it: the connection's peer, or whom a trusted proxy names.
    public let peer: SocketAddress
    /// The route that matched: `/v1/articles/{id}`.
    public let template: String
    public let parameters: PathParameters
    /// Seconds since 1970, when the request came.
    public let receivedSeconds: Int64
    /// What the route found out about the sender before the body was read.
    public var visitor = Visitor()
    /// What lives as long as the exchange; `nil` where no server has begun one.
    public internal(set) var scope: ExchangeScope?

    /// Tells the peer, or its network, from others, in this process.
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

/// The decoded segments that a route's parameters stand for.
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
