import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Requests of the operator to a running server, in order: to stop, by SIGTERM or SIGINT, of which
/// the second exits at once; and to hand over to a new process, at most one each time the server
/// runs.
struct OperatorRequests: Sendable {
    enum Request: Sendable {
        case stop
        case handOver(Successor)
        /// The successor is serving, or has failed.
        case conclude(Successor.Outcome)
    }

    private let signals: ShutdownSignals
    private let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation

    /// Installs the handlers: the signals no longer end the process by themselves.
    init(_ output: ServerOutput) {
        let (stream, continuation) = AsyncStream<Request>.makeStream(
            bufferingPolicy: .unbounded)
        requests = stream
        self.continuation = continuation
        signal(SIGHUP, SIG_IGN)
        signals = ShutdownSignals { count in
            // Acknowledged writes are on disk, so exiting now loses nothing.
            guard count == 1 else {
                output.flush(withinSeconds: 0.05)
                _exit(ExitStatus.cutShort.rawValue)
            }
            continuation.yield(.stop)
        }
    }

    /// A new process is ready.
    func handOver(to successor: Successor) { continuation.yield(.handOver(successor)) }

    /// Reports the outcome of a takeover.
    func conclude(_ outcome: Successor.Outcome) { continuation.yield(.conclude(outcome)) }

    /// Returns the next request.
    func next() async -> Request {
        for await request in requests { return request }
        return .stop
    }
}
