import Platform
import Sockets

/// Counts TLS handshakes by outcome.
public final class HandshakeMetrics: HandshakeObserver {
    private struct Agreement: Hashable {
        let version: String
        let isResumed: Bool
    }

    private struct Counts {
        var agreed: [Agreement: Int] = [:]
        var failed: [HandshakeRecord.Failure: Int] = [:]
    }

    // A lock is negligible beside the cost of a handshake.
    private let counts = Lock(Counts())

    public init() {}

    public func ended(_ handshake: borrowing HandshakeRecord) {
        let outcome = handshake.outcome
        counts.withLock { counts in
            switch outcome {
            case .agreed(let version, let isResumed):
                counts.agreed[Agreement(version: version, isResumed: isResumed), default: 0] += 1
            case .failed(let failure, _): counts.failed[failure, default: 0] += 1
            }
        }
    }

    public func write(to page: inout MetricsText) {
        let counts = counts.withLock { $0 }
        let agreed = "broadsheet_tls_handshakes_total"
        page.family(agreed, .counter, help: "TLS handshakes that succeeded.")
        // Sorted by labels only, so that the order of samples is stable between scrapes.
        let sorted = counts.agreed.sorted { left, right in
            (left.key.version, left.key.isResumed ? 1 : 0)
                < (right.key.version, right.key.isResumed ? 1 : 0)
        }
        for (agreement, count) in sorted {
            page.sample(
                agreed, ["version": agreement.version, "resumed": "\(agreement.isResumed)"], count)
        }
        let failed = "broadsheet_tls_handshake_failures_total"
        page.family(failed, .counter, help: "TLS handshakes that failed.")
        for failure in HandshakeRecord.Failure.allCases {
            page.sample(failed, ["reason": failure.rawValue], counts.failed[failure] ?? 0)
        }
    }
}
