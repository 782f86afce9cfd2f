import Sockets

/// Why the server refuses what it could answer at another time, or to another client.
public enum RejectionReason: String, Sendable, CaseIterable {
    /// A client's address sends too many requests.
    case addressRate = "address_rate"
    /// A key sends too many requests.
    case keyRate = "key_rate"
    /// Too many connections are open.
    case connections
    /// Too many connections of one address are open.
    case addressConnections = "address_connections"
    /// Too many bytes of requests' bodies are in memory.
    case bodies
    /// A connection that has to begin with PROXY protocol does not, or comes from a stranger.
    case proxyHeader = "proxy_header"
}

/// How often each was the reason, counted by each loop for itself: refusing must stay cheap just
/// when there is much to refuse.
final class RejectionCounts: Sendable {
    private let shards = (0..<16).map { _ in
        Lock([Int](repeating: 0, count: RejectionReason.allCases.count))
    }

    func add(_ reason: RejectionReason, on loop: EventLoop) {
        shards[loop.index % shards.count].withLock { $0[reason.place] += 1 }
    }

    /// Each reason, also those that never were.
    var all: [(reason: RejectionReason, count: Int)] {
        let counts = shards.map { shard in shard.withLock { $0 } }
        return RejectionReason.allCases.map { reason in
            (reason, counts.reduce(0) { $0 + $1[reason.place] })
        }
    }
}

extension RejectionReason {
    /// The place among all reasons.
    fileprivate var place: Int {
        switch self {
        case .addressRate: 0
        case .keyRate: 1
        case .connections: 2
        case .addressConnections: 3
        case .bodies: 4
        case .proxyHeader: 5
        }
    }
}
