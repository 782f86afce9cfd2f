public import ArticleAPI
public import BroadsheetPlatform

/// Clocks that stand still until a test advances them.
public final class ManualClock: Sendable {
    private struct State {
        var wallNanoseconds: Int64
        var monotonicNanoseconds: Int64 = 1_000_000_000_000
    }

    private let state: Lock<State>

    public init(at time: Timestamp) {
        state = Lock(State(wallNanoseconds: time.milliseconds * 1_000_000))
    }

    /// The wall clock.
    public var now: Timestamp {
        Timestamp(milliseconds: state.withLock { $0.wallNanoseconds } / 1_000_000)
    }

    /// Advances both clocks.
    public func advance(milliseconds: Int64) {
        state.withLock { state in
            state.wallNanoseconds += milliseconds * 1_000_000
            state.monotonicNanoseconds += milliseconds * 1_000_000
        }
    }

    /// The machine's environment with these clocks.
    public var system: SystemEnvironment {
        var system = SystemEnvironment.real
        system.wallNanoseconds = { [self] in state.withLock { $0.wallNanoseconds } }
        system.monotonicNanoseconds = { [self] in state.withLock { $0.monotonicNanoseconds } }
        return system
    }
}

extension SystemEnvironment {
    /// The machine's environment with this wall clock.
    ///
    /// - Parameter randomFraction: the value of every random fraction; `nil` for any.
    public static func clock(
        randomFraction: Double? = nil, _ now: @escaping @Sendable () -> Timestamp
    ) -> SystemEnvironment {
        var system = SystemEnvironment.real
        system.wallNanoseconds = { now().milliseconds * 1_000_000 }
        if let fraction = randomFraction {
            let bits = fraction < 1 ? UInt64(fraction * 0x1p64) : .max
            let random = system.random
            // Low bits differ, so that ids do.
            system.random = {
                bits == 0 || bits == .max ? bits : bits | random() & 0xFFFF_FFFF
            }
        }
        return system
    }
}
