public import Sockets
import Synchronization

/// A connection that a server gives away between two requests.
public struct PassedConnection: ~Copyable, Sendable {
    public let descriptor: Descriptor
    public let peer: SocketAddress
    /// The number of its address: of `addresses`, and behind them of `proxiedAddresses` and
    /// `redirects`.
    public let door: Int

    /// The socket, for its next owner.
    public consuming func release() -> Descriptor { descriptor }
}

/// Where the connections of a server go that gives them away, once it does.
final class ConnectionHandoff: Sendable {
    typealias Taker = @Sendable (consuming PassedConnection) -> Void

    private let taker = Lock<Taker?>(nil)
    private let quiet = Atomic<Int64>(0)

    /// For how long a connection that cannot go has to be idle before it is ended, in milliseconds.
    var quietMilliseconds: Int64 { quiet.load(ordering: .relaxed) }

    func setQuiet(seconds: Double) {
        quiet.store(Int64(seconds * 1_000), ordering: .relaxed)
    }

    func open(_ take: @escaping Taker) {
        taker.withLock { $0 = take }
    }

    func close() {
        taker.withLock { $0 = nil }
    }

    /// Passes the connection on; it is closed if nobody takes any.
    func take(_ connection: consuming PassedConnection) {
        taker.withLock { $0 }?(connection)
    }
}
