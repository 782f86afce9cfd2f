/// Accepts connections on a loop and deals them out to it and to others.
///
/// On the loop, because whoever came is served there without another thread having to wake up: a
/// Dispatch source beside it took two changes of threads for each connection. When descriptors run
/// out it takes no more connections for a moment and then looks again; those that wait meanwhile
/// stay in the kernel's queue.
public final class Listener: Sendable {
    /// Where it listens: with the real port.
    public let address: SocketAddress
    private let socket: ListeningSocket
    private let loop: EventLoop
    /// What the loop knows it by while it accepts.
    private let place = Lock<UInt64?>(nil)
    private let take: @Sendable (consuming Descriptor, SocketAddress) -> Void
    private let accept: Accept
    private static let batch = 64

    /// How the next connection is taken from the socket (`ListeningSocket.accept`).
    typealias Accept =
        @Sendable (ListeningSocket) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)?

    /// Binds at once, and accepts from `start` on.
    ///
    /// - Parameters:
    ///   - socketMode: who may connect to a Unix socket; `nil`: as the umask has it.
    ///   - backlog: how many connections may wait in the kernel (`listen(2)`).
    ///   - loop: where connections are accepted; it has to run until `stop` or `rest` is over.
    ///   - take: gets each connection, on the loop; what it does not keep is closed.
    public convenience init(
        _ address: SocketAddress, on loop: EventLoop, socketMode: UInt32? = nil,
        backlog: Int32 = 4_096,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) throws(SystemError) {
        self.init(try ListeningSocket(address, mode: socketMode, backlog: backlog), on: loop, take)
    }

    /// Accepts from a socket that is there already, from `start` on.
    public convenience init(
        _ socket: ListeningSocket, on loop: EventLoop,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
        self.init(socket, on: loop, { (socket) throws(SystemError) in try socket.accept() }, take)
    }

    init(
        _ socket: ListeningSocket, on loop: EventLoop, _ accept: @escaping Accept,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
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

    /// Accepts no more, and leaves the socket open: who comes waits in the kernel.
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
        do throws(SystemError) {
            for _ in 0..<Self.batch {
                guard let (descriptor, peer) = try accept(socket) else { return true }
                take(Descriptor(descriptor), peer)
            }
            return true
        } catch {
            return false
        }
    }
}
