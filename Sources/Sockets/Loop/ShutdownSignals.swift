import Glibc

/// SIGTERM and SIGINT as calls: the first, the second, and so on.
public final class ShutdownSignals: Sendable {
    private let sources: SignalSources

    /// Takes the signals over from their default actions for the rest of the process's life.
    ///
    /// - Parameter received: called on a Dispatch queue, with 1 for the first signal.
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
