import Dispatch
import HTTPServer

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// SIGUSR1 has the server log more, SIGUSR2 less.
struct LogSignals {
    private let sources: [any DispatchSourceSignal]

    /// From here on the two signals no longer end the process.
    init(_ log: ServerLog, _ accessLog: AccessLog?) {
        accessLog?.detail = log.dial.level.detail
        let queue = DispatchQueue(label: "broadsheet.log-signals")
        sources = [(SIGUSR1, 1), (SIGUSR2, -1)].map { number, steps in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let level = log.dial.level.moved(by: steps)
                log.dial.level = level
                accessLog?.detail = level.detail
                log.announce("the log level is \(level)")
            }
            source.activate()
            return source
        }
    }

    func stop() {
        for source in sources { source.cancel() }
    }
}
