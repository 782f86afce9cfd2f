import BroadsheetPlatform
import BroadsheetSockets

/// The reason why the server rejects a request that it could serve at another time or for another
/// client.
///
/// The raw values are labels of metrics and do not change.
///
/// ```swift
/// var counts: [String: Int] = [:]
/// for (reason, count) in server.rejections { counts[reason.rawValue] = count }
/// ```
public enum RejectionReason: String, Sendable, CaseIterable {
    /// A client's address sends too many requests.
    case addressRate = "address_rate"
    /// A key or an account sends too many requests, or the readers of one address do.
    case keyRate = "key_rate"
    /// Too many connections are open.
    case connections
    /// Too many connections of one address are open.
    case addressConnections = "address_connections"
    /// Too many bytes of request bodies are in memory.
    case bodies
    /// A connection that requires a PROXY protocol header has none, or its peer is not trusted.
    case proxyHeader = "proxy_header"
}

/// Counts rejections by reason, separately on each loop, so that rejecting stays cheap under load.
final class RejectionCounts: Sendable {
    private let shards = (0..<16).map { _ in
        Lock([Int](repeating: 0, count: RejectionReason.allCases.count))
    }

    func add(_ reason: RejectionReason, on loop: EventLoop) {
        shards[loop.index % shards.count].withLock { $0[reason.place] += 1 }
    }

    /// Every reason, including those that never occurred.
    var all: [(reason: RejectionReason, count: Int)] {
        let counts = shards.map { shard in shard.withLock { $0 } }
        return RejectionReason.allCases.map { reason in
            (reason, counts.reduce(0) { $0 + $1[reason.place] })
        }
    }
}

extension RejectionReason {
    /// The index among all reasons.
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
