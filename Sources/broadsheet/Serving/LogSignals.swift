import HTTPServer
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Raises the verbosity of the log on SIGUSR1, and lowers it on SIGUSR2.
struct LogSignals {
    private let sources: SignalSources

    /// Installs the handlers: the two signals no longer end the process.
    init(_ log: ServerLog, _ accessLog: AccessLog?) {
        accessLog?.detail = log.dial.level.detail
        sources = SignalSources([SIGUSR1, SIGUSR2]) { number in
            let level = log.dial.level.moved(by: number == SIGUSR1 ? 1 : -1)
            log.dial.level = level
            accessLog?.detail = level.detail
            log.announce("the log level is \(level)")
        }
    }

    func stop() { sources.cancel() }
}
