/// Timers of an event loop and deadlines of its channels, which share a timer wheel.
extension EventLoop {
    /// Runs the work once on the loop, up to 64 ms late, but not after the loop has stopped. Only
    /// on the loop.
    @discardableResult
    public func schedule(
        afterMilliseconds delay: Int64, _ work: @escaping () -> Void
    ) -> LoopTimer {
        checkIsOnLoop()
        let time = state.now + max(0, delay)
        let token = state.timers.add((time, work))
        _ = state.wheel.add(token, at: time)
        return LoopTimer(token: token)
    }

    /// Cancels the timer and releases its work. Only on the loop.
    public func cancel(_ timer: LoopTimer) {
        checkIsOnLoop()
        _ = state.timers.remove(timer.token)
    }

    func notifyTimers() {
        for token in state.wheel.take(upTo: state.now) {
            if ChannelSlots.holds(token) {
                state.slots[token]?.deadlineReached(now: state.now)
            } else {
                notifyTimer(token)
            }
        }
    }

    private func notifyTimer(_ token: UInt64) {
        // Otherwise it was cancelled.
        guard let timer = state.timers[token] else { return }
        guard timer.time <= state.now else {
            // It is further away than the wheel's span.
            _ = state.wheel.add(token, at: timer.time)
            return
        }
        _ = state.timers.remove(token)
        timer.work()
    }
}

/// Names a channel for code that does not run on its loop.
///
/// Safe to use from any thread. A channel that is closed in the meantime is not called.
public struct ChannelReference: Sendable {
    let loop: EventLoop
    let token: UInt64

    /// Calls the body with the channel, on its loop and up to 64 ms late, if it is still open then.
    public func schedule(
        afterMilliseconds delay: Int64, _ body: @escaping @Sendable (SocketChannel) -> Void
    ) {
        loop.submit { [loop, token] in
            loop.schedule(afterMilliseconds: delay) {
                if let channel = loop.state.slots[token] { body(channel) }
            }
        }
    }
}

extension SocketChannel {
    /// Names the channel for other threads.
    public var reference: ChannelReference { ChannelReference(loop: loop, token: token) }
}

/// Work that a loop does later unless it is cancelled (`EventLoop.schedule`).
public struct LoopTimer: Sendable, Hashable {
    let token: UInt64
}

/// A timer wheel for channel deadlines with ticks of 64 ms: arming costs one store, and moving a
/// deadline costs nothing until its old tick comes round.
///
/// The wheel holds tokens, not times: when a token's tick comes, it is shown to the owner, who
/// decides when to look again.
struct TimerWheel {
    private static let tickShift: Int64 = 6
    private static let size = 1_024
    private var buckets = [[UInt64]](repeating: [], count: TimerWheel.size)
    /// Everything up to this tick has been shown.
    private var current: Int64
    private var count = 0
    /// No tick before this one has tokens.
    private var earliest = Int64.max

    init(now: Int64) { current = now >> Self.tickShift }

    /// Shows the token at or shortly after `time` (milliseconds), or earlier if that is beyond the
    /// wheel's span.
    /// - Returns: The earliest time at which it is shown.
    mutating func add(_ token: UInt64, at time: Int64) -> Int64 {
        // A tick comes when all of its 64 ms have passed, so that nothing is shown too early.
        let tick = (time >> Self.tickShift) + 1
        let reached = min(max(tick, current + 1), current + Int64(Self.size) - 1)
        buckets[Int(reached) % Self.size].append(token)
        count += 1
        earliest = min(earliest, reached)
        return reached << Self.tickShift
    }

    /// Removes and returns the tokens whose ticks have come by `now`.
    mutating func take(upTo now: Int64) -> [UInt64] {
        let target = now >> Self.tickShift
        guard target > current else { return [] }
        guard target >= earliest else {
            current = target
            return []
        }
        // After a long sleep one turn shows every token.
        var tick = max(earliest - 1, target - Int64(Self.size))
        current = target
        var due: [UInt64] = []
        while tick < target {
            tick += 1
            let index = Int(tick) % Self.size
            due += buckets[index]
            buckets[index].removeAll(keepingCapacity: buckets[index].count < 64)
        }
        count -= due.count
        findEarliest()
        return due
    }

    /// Milliseconds until the next tick with tokens; `nil` without any.
    func delay(from now: Int64) -> Int64? {
        count > 0 ? max(0, (earliest << Self.tickShift) - now) : nil
    }

    private mutating func findEarliest() {
        earliest = .max
        guard count > 0 else { return }
        for tick in (current + 1)..<(current + Int64(Self.size))
        where !buckets[Int(tick) % Self.size].isEmpty {
            earliest = tick
            return
        }
    }
}
