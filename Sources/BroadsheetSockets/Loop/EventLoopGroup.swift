public import BroadsheetPlatform
import Synchronization

/// Event loops that share the connections of a server.
public final class EventLoopGroup: Sendable {
    public let loops: [EventLoop]
    private let turn = Atomic<Int>(0)

    /// - Parameter count: 1 or more.
    public init(count: Int) throws(SystemError) {
        var loops: [EventLoop] = []
        for index in 0..<max(1, count) { loops.append(try EventLoop(index: index)) }
        self.loops = loops
    }

    /// The loop for the next connection, round-robin.
    public func next() -> EventLoop {
        let turn = UInt(bitPattern: turn.wrappingAdd(1, ordering: .relaxed).oldValue)
        return loops[Int(turn % UInt(loops.count))]
    }

    /// The number of channels in all loops whose tasks have not ended.
    public var channelCount: Int { loops.reduce(0) { $0 + $1.channelCount } }

    /// Ends idle connections; see `EventLoop.drain`.
    public func drain() {
        for loop in loops { loop.drain() }
    }

    /// Notifies connections that they are to be handed off; see `EventLoop.leave`.
    public func leave(now: Bool) {
        for loop in loops { loop.leave(now: now) }
    }

    /// Closes all connections and lets the loops end.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}
