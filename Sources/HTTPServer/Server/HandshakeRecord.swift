public import Sockets

/// How a TLS handshake of a client ended.
public struct HandshakeRecord: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// Agreed on: the version as `TLSv1.3`, and whether an earlier session was resumed.
        case agreed(version: String, isResumed: Bool)
        case failed(Failure, reason: String)
    }

    /// What kept them from agreeing, as far as it is told apart.
    public enum Failure: String, Sendable, CaseIterable {
        /// The client was gone before the end: a port scan, most often.
        case gone
        /// It spoke plain HTTP.
        case plainHTTP
        /// It broke the protocol, offered nothing acceptable, or refused the certificate.
        case refused
        /// It took too long.
        case late
        /// The server stopped.
        case stopped
    }

    public let outcome: Outcome
    public let peer: SocketAddress

    init(_ peer: SocketAddress, _ outcome: Outcome) {
        self.peer = peer
        self.outcome = outcome
    }

    init(_ peer: SocketAddress, _ channel: SocketChannel) {
        self.init(
            peer,
            .agreed(version: channel.secureVersion ?? "", isResumed: channel.isResumedSession))
    }

    init(_ peer: SocketAddress, _ error: ChannelError) {
        self.peer = peer
        outcome =
            switch error {
            case .timedOut: .failed(.late, reason: "the handshake timed out")
            case .cancelled: .failed(.stopped, reason: "the server is shutting down")
            case .disconnected: .failed(.gone, reason: "the peer disconnected")
            case .insecure(let failure):
                switch failure {
                case .truncated: .failed(.gone, reason: "\(failure)")
                case .plainHTTP: .failed(.plainHTTP, reason: "\(failure)")
                case .untrusted, .refused: .failed(.refused, reason: "\(failure)")
                }
            }
    }
}

/// Is told of handshakes, on the connection's loop: it must be quick.
public protocol HandshakeObserver: Sendable {
    func ended(_ handshake: borrowing HandshakeRecord)
}
