/// Accepts connections on a loop and deals them out to it and to others.
///
/// On the loop, because whoever came is served there without another thread having to wake up: a
/// Dispatch source beside it took two changes of threads for each connection. When descriptors run
/// out, or the socket fails, it takes no more connections for a moment and then looks again; those
/// that wait meanwhile stay in the kernel's queue, and the operator is told.
public final class Listener: Sendable {
    /// Where it listens: with the real port.
    public let address: SocketAddress
    private let socket: ListeningSocket
    private let loop: EventLoop
    /// What the loop knows it by while it accepts.
    private let place = Lock<UInt64?>(nil)
    private let take: @Sendable (consuming Descriptor, SocketAddress) -> Void
    private let accept: Accept
    private let report: @Sendable (String) -> Void
    /// When each kind of failure was last reported; monotonic milliseconds.
    private let reports = Lock<[Int32: Int64]>([:])
    private static let batch = 64
    /// A failure that lasts, or comes again, is reported this often.
    private static let reportMilliseconds: Int64 = 60_000

    /// How the next connection is taken from the socket (`ListeningSocket.accept`).
    typealias Accept =
        @Sendable (ListeningSocket) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)?

    /// Binds at once, and accepts from `start` on.
    ///
    /// - Parameters:
    ///   - socketMode: who may connect to a Unix socket; `nil`: as the umask has it.
    ///   - backlog: how many connections may wait in the kernel (`listen(2)`).
    ///   - loop: where connections are accepted; it has to run until `stop` or `rest` is over.
    ///   - report: told in a sentence why connections cannot be accepted.
    ///   - take: gets each connection, on the loop; what it does not keep is closed.
    public convenience init(
        _ address: SocketAddress, on loop: EventLoop, socketMode: UInt32? = nil,
        backlog: Int32 = 4_096, report: @escaping @Sendable (String) -> Void = { _ in },
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) throws(SystemError) {
        self.init(
            try ListeningSocket(address, mode: socketMode, backlog: backlog), on: loop,
            report: report, take)
    }

    /// Accepts from a socket that is there already, from `start` on.
    public convenience init(
        _ socket: ListeningSocket, on loop: EventLoop,
        report: @escaping @Sendable (String) -> Void = { _ in },
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
        self.init(
            socket, on: loop, { (socket) throws(SystemError) in try socket.accept() },
            report: report, take)
    }

    init(
        _ socket: ListeningSocket, on loop: EventLoop, _ accept: @escaping Accept,
        report: @escaping @Sendable (String) -> Void = { _ in },
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
        self.report = report
        self.socket = socket
        self.address = socket.address
        self.take = take
        self.accept = accept
        self.loop = loop
    }

    /// Begins to accept.
    public func start() {
        loop.submit { [self] in
            place.withLock { place in
                guard place == nil else { return }
                place = loop.listen(at: socket.raw) { [self] in acceptBatch() }
            }
        }
    }

    /// Accepts no more; the socket is closed when this returns.
    public func stop() async {
        await rest()
        socket.close()
    }

    /// Accepts no more, and leaves the socket open: new clients wait in the kernel.
    public func rest() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            loop.submit { [self] in
                if let place = place.withLock({ $0.take() }) { loop.endListening(place) }
                continuation.resume()
            }
        }
    }

    /// - Returns: whether connections can be taken at all.
    private func acceptBatch() -> Bool {
        for _ in 0..<Self.batch {
            do throws(SystemError) {
                guard let (descriptor, peer) = try accept(socket) else { return true }
                take(Descriptor(descriptor), peer)
            } catch {
                guard error.isOfConnection else {
                    tell(error)
                    return false
                }
            }
        }
        return true
    }

    /// Reports a failure, unless it was reported a short time ago: it may last, or come again with
    /// each descriptor that is closed.
    private func tell(_ error: SystemError) {
        let now = loop.now
        let isNew = reports.withLock { reports in
            if let last = reports[error.code], now - last < Self.reportMilliseconds { return false }
            reports[error.code] = now
            return true
        }
        guard isNew else { return }
        let trouble =
            error.isShortage
            ? "out of resources; new connections have to wait"
            : "connections cannot be accepted"
        report("\(address): \(trouble): \(error)")
    }
}
