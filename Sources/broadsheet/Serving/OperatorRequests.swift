import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Requests of the operator to a running server, in order: to stop, by SIGTERM or SIGINT, of which
/// the second exits at once; and to hand over to a new process, at most one each time the server
/// runs.
struct OperatorRequests: Sendable {
    enum Request: Sendable {
        case stop
        /// - Parameter Deadline: ends this process if it does not release the database.
        case handOver(Successor, Deadline)
        /// The successor is serving, or has failed.
        case conclude(Successor.Outcome)
    }

    private let signals: ShutdownSignals
    private let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation
    private let start: Lock<Start>

    /// The start, while there is nothing that has to be finished.
    private struct Start {
        var isStopped = false
        var endsWithoutDelay = false
        let end: @Sendable () -> Void
    }

    /// Installs the handlers: the signals no longer end the process by themselves.
    ///
    /// - Parameters:
    ///   - limitSeconds: The maximum time of stopping; then the process ends, whatever runs.
    ///   - overdue: Called before that.
    init(
        _ output: ServerOutput, limitSeconds: Double, overdue: @escaping @Sendable () -> Void
    ) {
        let (stream, continuation) = AsyncStream<Request>.makeStream(
            bufferingPolicy: .unbounded)
        requests = stream
        self.continuation = continuation
        signal(SIGHUP, SIG_IGN)
        let start = Lock(
            Start {
                output.flush(withinSeconds: 1)
                _exit(ExitStatus.ok.rawValue)
            })
        self.start = start
        signals = ShutdownSignals { count in
            // Acknowledged writes are on disk, so exiting now loses nothing.
            guard count == 1 else {
                output.flush(withinSeconds: 0.05)
                _exit(ExitStatus.cutShort.rawValue)
            }
            _ = Deadline(seconds: limitSeconds) {
                overdue()
                output.flush(withinSeconds: 0.5)
                _exit(ExitStatus.cutShort.rawValue)
            }
            start.withLock { start in
                start.isStopped = true
                if start.endsWithoutDelay { start.end() }
            }
            continuation.yield(.stop)
        }
    }

    /// Sets if a request to stop ends the process at once. One that was made before ends it now.
    func endsWithoutDelay(_ endsWithoutDelay: Bool) {
        start.withLock { start in
            start.endsWithoutDelay = endsWithoutDelay
            if endsWithoutDelay, start.isStopped { start.end() }
        }
    }

    /// True if the process was asked to stop.
    var isStopping: Bool { start.withLock { $0.isStopped } }

    /// A new process is ready.
    func handOver(to successor: Successor, _ deadline: Deadline) {
        continuation.yield(.handOver(successor, deadline))
    }

    /// Reports the outcome of a takeover.
    func conclude(_ outcome: Successor.Outcome) { continuation.yield(.conclude(outcome)) }

    /// Returns the next request.
    func next() async -> Request {
        for await request in requests { return request }
        return .stop
    }
}
