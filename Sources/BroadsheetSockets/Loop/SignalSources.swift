import BroadsheetPlatform
import Dispatch
import Glibc

/// Calls a handler for signals, instead of their default actions, until it is cancelled.
public final class SignalSources: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Installs the handlers. No signal is lost after this returns.
    ///
    /// - Parameter received: Called on a Dispatch queue with the signal's number.
    public init(_ numbers: [Int32], _ received: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "broadsheet.signals")
        // Dispatch registers a source some time after it is activated; earlier signals would be
        // ignored.
        let registered = DispatchSemaphore(value: 0)
        sources = numbers.map { number in
            Self.disarm(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler { received(number) }
            source.activate()
            return source
        }
        for _ in numbers { registered.wait() }
    }

    /// Removes the signal's default action unless Dispatch has already replaced it: its handler,
    /// which it installs once per source, forwards the signal.
    private static func disarm(_ number: Int32) {
        var action = sigaction()
        sigaction(number, nil, &action)
        if action.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
    }

    /// Stops the calls; the signals are ignored from now on.
    public func cancel() {
        for source in sources { source.cancel() }
    }
}

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
