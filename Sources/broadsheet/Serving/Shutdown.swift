import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// SIGTERM and SIGINT: the first asks for a graceful end, the second ends at once.
struct Shutdown {
    private let signals: ShutdownSignals
    private let requested: AsyncStream<Void>

    /// From here on the two signals no longer end the process by themselves.
    init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        requested = stream
        signals = ShutdownSignals { count in
            // What was acknowledged is on the disk: nothing is lost by leaving now.
            guard count == 1 else { _exit(ExitStatus.cutShort.rawValue) }
            continuation.yield()
        }
    }

    /// Returns after the first signal.
    func wait() async {
        for await _ in requested { break }
    }
}
