import Dispatch
import Glibc

/// Accepts connections with a Dispatch source and deals them out to loops.
///
/// When descriptors run out it takes no more connections for a moment and then looks again; those
/// that wait meanwhile stay in the kernel's queue.
public final class Listener: Sendable {
    /// Where it listens: with the real port.
    public let address: SocketAddress
    private let socket: ListeningSocket
    private let queue: DispatchQueue
    private let source = Lock<(any DispatchSourceRead)?>(nil)
    private let take: @Sendable (consuming Descriptor, SocketAddress) -> Void
    private let accept: Accept
    private static let batch = 64
    private static let shortageMilliseconds = 100

    /// How the next connection is taken from the socket (`ListeningSocket.accept`).
    typealias Accept =
        @Sendable (ListeningSocket) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)?

    /// Binds at once, and accepts from `start` on.
    ///
    /// - Parameters:
    ///   - socketMode: who may connect to a Unix socket; `nil`: as the umask has it.
    ///   - backlog: how many connections may wait in the kernel (`listen(2)`).
    ///   - take: gets each connection, on the listener's queue; what it does not keep is closed.
    public convenience init(
        _ address: SocketAddress, socketMode: UInt32? = nil, backlog: Int32 = 4_096,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) throws(SystemError) {
        self.init(try ListeningSocket(address, mode: socketMode, backlog: backlog), take)
    }

    /// Accepts from a socket that is there already, from `start` on.
    public convenience init(
        _ socket: ListeningSocket,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
        self.init(socket, { (socket) throws(SystemError) in try socket.accept() }, take)
    }

    init(
        _ socket: ListeningSocket, _ accept: @escaping Accept,
        _ take: @escaping @Sendable (consuming Descriptor, SocketAddress) -> Void
    ) {
        self.socket = socket
        self.address = socket.address
        self.take = take
        self.accept = accept
        queue = DispatchQueue(label: "broadsheet.listener.\(self.address)")
    }

    /// Begins to accept.
    public func start() {
        source.withLock { source in
            guard source == nil else { return }
            let new = DispatchSource.makeReadSource(fileDescriptor: socket.raw, queue: queue)
            new.setEventHandler { [self] in acceptBatch() }
            new.setCancelHandler { [socket] in socket.close() }
            new.activate()
            source = new
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
            let isStarted = source.withLock { source in
                source?.setCancelHandler { continuation.resume() }
                source?.cancel()
                return source.take() != nil
            }
            if !isStarted { continuation.resume() }
        }
    }

    private func acceptBatch() {
        do throws(SystemError) {
            for _ in 0..<Self.batch {
                guard let (descriptor, peer) = try accept(socket) else { return }
                take(Descriptor(descriptor), peer)
            }
        } catch {
            pause()
        }
    }

    /// The source would fire again at once, for the connection that still waits.
    private func pause() {
        source.withLock { source in
            guard let source else { return }
            source.suspend()
            // Dispatch sources may be used from any thread (dispatch_source_create(3)).
            nonisolated(unsafe) let paused = source
            queue.asyncAfter(deadline: .now() + .milliseconds(Self.shortageMilliseconds)) {
                paused.resume()
            }
        }
    }
}
