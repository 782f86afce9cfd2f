import Dispatch
import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Signals that a server acts on while it runs, each on a Dispatch queue.
struct SignalHandlers {
    private let sources: [any DispatchSourceSignal]

    /// Returns when none is missed any more. The signals should be ignored before (`SIG_IGN`), or
    /// they end the process until here.
    init(_ handlers: [Int32: @Sendable () -> Void]) {
        let queue = DispatchQueue(label: "broadsheet.operator")
        let registered = DispatchGroup()
        sources = handlers.map { number, handler in
            registered.enter()
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: handler)
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.wait()
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
