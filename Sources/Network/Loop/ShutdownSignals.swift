import Dispatch
import Glibc

/// SIGTERM and SIGINT as calls: the first, the second, and so on.
public final class ShutdownSignals: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Takes the signals over from their default actions for the rest of the process's life.
    ///
    /// - Parameter received: called on a Dispatch queue, with 1 for the first signal.
    public init(_ received: @escaping @Sendable (Int) -> Void) {
        let count = Lock(0)
        let queue = DispatchQueue(label: "broadsheet.signals")
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                received(
                    count.withLock { count in
                        count += 1
                        return count
                    })
            }
            source.activate()
            return source
        }
    }
}
