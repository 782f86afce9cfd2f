public import BroadsheetPlatform
public import BroadsheetSockets
import Synchronization

/// A connection that a server hands off between two requests, for another server to adopt.
///
/// It has one owner: the connection is closed unless `release` passes the socket on. It is given to
/// the closure of ``HTTPServer/handOver(graceSeconds:quietSeconds:patienceSeconds:take:)`` on an
/// event loop, and can be passed to any thread.
///
/// ```swift
/// await server.handOver(graceSeconds: 10) { connection in
///     let (peer, door) = (connection.peer, connection.door)
///     next.adopt(connection.release(), from: peer, door: door)
/// }
/// ```
public struct HandedOffConnection: ~Copyable, Sendable {
    public let descriptor: Descriptor
    public let peer: SocketAddress
    /// The index of its listener: in `addresses`, followed by `proxiedAddresses` and `redirects`.
    public let door: Int

    /// The socket, for its next owner.
    public consuming func release() -> Descriptor { descriptor }
}

/// Receives the connections of a server that hands them off.
final class ConnectionHandoff: Sendable {
    typealias HandoffReceiver = @Sendable (consuming HandedOffConnection) -> Void

    private let taker = Lock<HandoffReceiver?>(nil)
    private let quiet = Atomic<Int64>(0)

    /// The idle time in milliseconds after which a connection that cannot be handed off is closed.
    var quietMilliseconds: Int64 { quiet.load(ordering: .relaxed) }

    func setQuiet(seconds: Double) {
        quiet.store(Int64(seconds * 1_000), ordering: .relaxed)
    }

    func open(_ take: @escaping HandoffReceiver) {
        taker.withLock { $0 = take }
    }

    func close() {
        taker.withLock { $0 = nil }
    }

    /// Hands the connection off; it is closed if there is no receiver.
    func take(_ connection: consuming HandedOffConnection) {
        taker.withLock { $0 }?(connection)
    }
}
