import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a server that runs is asked for, one after the other: by SIGTERM and SIGINT, of which the
/// second ends it at once; and by a new process that wants to take over, one for each time that
/// it serves.
struct OperatorRequests: Sendable {
    enum Request: Sendable {
        case stop
        case handOver(Successor)
        /// The successor serves, or has failed.
        case conclude(Successor.Outcome)
    }

    private let signals: ShutdownSignals
    private let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation

    /// From here on the signals no longer end the process by themselves.
    init(_ output: ServerOutput) {
        let (stream, continuation) = AsyncStream<Request>.makeStream(
            bufferingPolicy: .unbounded)
        requests = stream
        self.continuation = continuation
        signal(SIGHUP, SIG_IGN)
        signals = ShutdownSignals { count in
            // What was acknowledged is on the disk: nothing is lost by leaving now.
            guard count == 1 else {
                output.flush(withinSeconds: 0.05)
                _exit(ExitStatus.cutShort.rawValue)
            }
            continuation.yield(.stop)
        }
    }

    /// A new process is ready.
    func handOver(to successor: Successor) { continuation.yield(.handOver(successor)) }

    /// What became of the process to which the file was given.
    func conclude(_ outcome: Successor.Outcome) { continuation.yield(.conclude(outcome)) }

    /// Returns the next request.
    func next() async -> Request {
        for await request in requests { return request }
        return .stop
    }
}
