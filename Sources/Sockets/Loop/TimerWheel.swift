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
