public import ArticleAPI
public import BroadsheetPlatform

/// Clocks that stand still until a test advances them. Whoever sleeps by them wakes up when they
/// have passed the end of the sleep.
public final class ManualClock: Sendable {
    private struct Sleeper {
        /// In the time of the monotonic clock.
        let end: Int64
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct State {
        var wallNanoseconds: Int64
        var monotonicNanoseconds: Int64 = 1_000_000_000_000
        var sleepers: [Int: Sleeper] = [:]
        var lastSleeper = 0
        /// Wait until this many sleep.
        var watchers: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []
    }

    private let state: Lock<State>

    public init(at time: Timestamp) {
        state = Lock(State(wallNanoseconds: time.milliseconds * 1_000_000))
    }

    /// The wall clock.
    public var now: Timestamp {
        Timestamp(milliseconds: state.withLock { $0.wallNanoseconds } / 1_000_000)
    }

    /// The number of sleeps that have not ended.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances both clocks. Both may also be set back, which wakes nobody up.
    public func advance(milliseconds: Int64) {
        let awake = state.withLock { state in
            state.wallNanoseconds += milliseconds * 1_000_000
            state.monotonicNanoseconds += milliseconds * 1_000_000
            let awake = state.sleepers.filter { $0.value.end <= state.monotonicNanoseconds }
            for number in awake.keys { state.sleepers[number] = nil }
            return awake.values.sorted { $0.end < $1.end }
        }
        for sleeper in awake { sleeper.continuation.resume() }
    }

    /// Waits until this many sleep: what is advanced before is not slept.
    public func waitUntilAsleep(_ count: Int = 1) async {
        await withUnsafeContinuation { continuation in
            let isAsleep = state.withLock { state in
                let isAsleep = state.sleepers.count >= count
                if !isAsleep { state.watchers.append((count, continuation)) }
                return isAsleep
            }
            if isAsleep { continuation.resume() }
        }
    }

    /// The machine's environment with these clocks, and with the sleep.
    public var system: SystemEnvironment {
        var system = wakefulSystem
        system.sleep = { [self] in await sleep($0) }
        return system
    }

    /// The machine's environment with these clocks, but not with the sleep: for services whose
    /// pauses a test is not about.
    public var wakefulSystem: SystemEnvironment {
        var system = SystemEnvironment.real
        system.wallNanoseconds = { [self] in state.withLock { $0.wallNanoseconds } }
        system.monotonicNanoseconds = { [self] in state.withLock { $0.monotonicNanoseconds } }
        return system
    }

    private func sleep(_ duration: Duration) async {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (isOver, watchers) = begin(number, duration, continuation)
                if isOver { continuation.resume() }
                for watcher in watchers { watcher.resume() }
                // A task that was cancelled before has not found the sleeper.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
    }

    private func begin(
        _ number: Int, _ duration: Duration, _ continuation: UnsafeContinuation<Void, Never>
    ) -> (isOver: Bool, watchers: [UnsafeContinuation<Void, Never>]) {
        state.withLock { state in
            let (seconds, attoseconds) = duration.components
            let time = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            guard time > 0 else { return (true, []) }
            state.sleepers[number] = Sleeper(
                end: state.monotonicNanoseconds + time, continuation: continuation)
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (false, ready.map(\.continuation))
        }
    }

    private func end(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume()
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
