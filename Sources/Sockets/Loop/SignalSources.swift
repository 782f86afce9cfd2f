import Dispatch
import Glibc

/// Signals as calls, in place of their default actions, until they are cancelled.
public final class SignalSources: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Takes the signals over. From when this returns, none is lost.
    ///
    /// - Parameter received: called on a Dispatch queue with the signal's number.
    public init(_ numbers: [Int32], _ received: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "broadsheet.signals")
        // Dispatch registers a source some time after it is activated; what comes before that is
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

    /// Lets the signal no longer end the process, unless Dispatch has it already: its handler,
    /// which it sets once for each source, passes the signal on.
    private static func disarm(_ number: Int32) {
        var action = sigaction()
        sigaction(number, nil, &action)
        if action.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
    }

    /// No call comes from here on; the signals are ignored.
    public func cancel() {
        for source in sources { source.cancel() }
    }
}
