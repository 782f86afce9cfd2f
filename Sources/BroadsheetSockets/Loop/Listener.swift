public import BroadsheetPlatform

/// Accepts connections on a loop and distributes them over that loop and others.
///
/// It accepts on the loop, because a connection is then served without waking another thread: a
/// Dispatch source of its own took two thread switches per connection. If descriptors run out or
/// the socket fails, it pauses for a moment and retries; meanwhile connections wait in the kernel's
/// queue, and the operator is notified.
public final class Listener: Sendable {
    /// The bound address with its actual port.
    public let address: SocketAddress
    private let socket: ListeningSocket
    private let loop: EventLoop
    /// Identifies the listener on its loop while it accepts.
    private let place = Lock<UInt64?>(nil)
    private let take: @Sendable (consuming Descriptor, SocketAddress) -> Void
    private let accept: Accept
    private let report: @Sendable (String) -> Void
    private let reports = ReportThrottle<Int32>()
    private static let batch = 64

    /// Accepts the next connection from the socket (`ListeningSocket.accept`).
    typealias Accept =
        @Sendable (ListeningSocket) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)?

    /// Binds immediately; accepts from `start` on.
    ///
    /// - Parameters:
    ///   - backlog: Maximum connections that wait in the kernel (`listen(2)`).
    ///   - loop: The loop to accept on; it has to run until `stop` or `rest` returns.
    ///   - report: Called with a sentence when connections cannot be accepted.
    ///   - take: Receives each connection, on the loop; if it does not keep one, that is closed.
    public convenience init(
        _ address: SocketAddress, on loop: EventLoop, backlog: Int32 = 4_096,
        report: @escaping @Sendable (String) -> Void = { _ in },
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) throws(SystemError) {
        self.init(
            try ListeningSocket(address, backlog: backlog), on: loop,
            report: report, take)
    }

    /// Accepts from an existing socket, from `start` on.
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

    /// Starts accepting.
    public func start() {
        loop.submit { [self] in
            place.withLock { place in
                guard place == nil else { return }
                place = loop.listen(at: socket.raw) { [self] in acceptBatch() }
            }
        }
    }

    /// Stops accepting; the socket is closed when this returns.
    public func stop() async {
        await rest()
        socket.close()
    }

    /// Stops accepting but leaves the socket open: new clients wait in the kernel's queue.
    public func rest() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            loop.submit { [self] in
                if let place = place.withLock({ $0.take() }) { loop.endListening(place) }
                continuation.resume()
            }
        }
    }

    /// - Returns: True if connections can be accepted at all.
    private func acceptBatch() -> Bool {
        for _ in 0..<Self.batch {
            do throws(SystemError) {
                guard let (descriptor, peer) = try accept(socket) else { return true }
                take(Descriptor(descriptor), peer)
            } catch {
                guard error.isOfConnection else {
                    explain(error)
                    return false
                }
            }
        }
        return true
    }

    /// Reports a failure unless it was reported recently: it may last, or recur with each
    /// descriptor that is closed.
    private func explain(_ error: SystemError) {
        guard reports.isDue(error.code, at: loop.now) else { return }
        let trouble =
            error.isShortage
            ? "out of resources; new connections have to wait"
            : "connections cannot be accepted"
        report("\(address): \(trouble): \(error)")
    }
}
