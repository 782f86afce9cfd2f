import Network

/// Why the server refuses what it could answer at another time, or to another client.
public enum RefusalReason: String, Sendable, CaseIterable {
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

/// How often each was the reason.
final class RefusalCounts: Sendable {
    private let counts = Lock([RefusalReason: Int]())

    func add(_ reason: RefusalReason) { counts.withLock { $0[reason, default: 0] += 1 } }

    /// Each reason, also those that never were.
    var all: [(reason: RefusalReason, count: Int)] {
        let counts = counts.withLock { $0 }
        return RefusalReason.allCases.map { ($0, counts[$0] ?? 0) }
    }
}
