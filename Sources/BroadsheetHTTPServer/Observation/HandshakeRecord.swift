public import BroadsheetSockets

/// The outcome of a client's TLS handshake. See ``HandshakeObserver``.
public struct HandshakeRecord: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// Succeeded: the version as in `TLSv1.3`, and whether an earlier session was resumed.
        case agreed(version: String, isResumed: Bool)
        case failed(Failure, reason: String)
    }

    /// The reason why a handshake failed.
    public enum Failure: String, Sendable, CaseIterable {
        /// The client disconnected: mostly port scans.
        case gone
        /// The client sent plain HTTP.
        case plainHTTP
        /// The client violated the protocol, offered nothing acceptable, or rejected the
        /// certificate.
        case rejected = "refused"
        /// The handshake timed out.
        case late
        /// The server is shutting down.
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
                case .untrusted, .noCommonProtocol, .rejected:
                    .failed(.rejected, reason: "\(failure)")
                }
            }
    }
}

/// Observes TLS handshakes, for logs and metrics.
///
/// It is called once for each handshake, on the connection's event loop, by several loops at once:
/// it must be quick.
///
/// ```swift
/// final class PlainHTTPCounter: HandshakeObserver {
///     let count = Atomic(0)
///
///     func ended(_ handshake: borrowing HandshakeRecord) {
///         if case .failed(.plainHTTP, _) = handshake.outcome { count.add(1, ordering: .relaxed) }
///     }
/// }
/// ```
public protocol HandshakeObserver: Sendable {
    func ended(_ handshake: borrowing HandshakeRecord)
}
