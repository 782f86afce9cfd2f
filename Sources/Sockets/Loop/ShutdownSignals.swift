import Glibc
import Platform

/// Counts SIGTERM and SIGINT: the first, the second, and so on.
public final class ShutdownSignals: Sendable {
    private let sources: SignalSources

    /// Replaces the signals' default actions for the rest of the process's life.
    ///
    /// - Parameter received: Called on a Dispatch queue, with 1 for the first signal.
    public init(_ received: @escaping @Sendable (Int) -> Void) {
        let count = Lock(0)
        sources = SignalSources([SIGTERM, SIGINT]) { _ in
            received(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
    }
}
