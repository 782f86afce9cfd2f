/// Work that a loop does later unless it is cancelled (`EventLoop.schedule`).
public struct LoopTimer: Sendable, Hashable {
    let token: UInt64
}

/// The timers of a loop, by tokens that no channel uses.
struct LoopTimers {
    /// The state of a timer whose tick has come.
    enum Outcome {
        case due(() -> Void)
        /// The timer is further away than the wheel's span.
        case later(Int64)
        case cancelled
    }

    private var entries: [UInt64: (time: Int64, work: () -> Void)] = [:]
    private var next: UInt64 = 0
    // Channels do not use this bit in their generations (`ChannelSlots.free`).
    private static let mark: UInt64 = 1 << 63

    static func holds(_ token: UInt64) -> Bool { token & mark != 0 }

    mutating func add(at time: Int64, _ work: @escaping () -> Void) -> LoopTimer {
        next += 1
        entries[next | Self.mark] = (time, work)
        return LoopTimer(token: next | Self.mark)
    }

    mutating func remove(_ timer: LoopTimer) { entries[timer.token] = nil }

    /// Cancels all timers; the caller releases what they retain.
    mutating func takeAll() -> [() -> Void] {
        defer { entries = [:] }
        return entries.values.map(\.work)
    }

    mutating func take(_ token: UInt64, now: Int64) -> Outcome {
        guard let entry = entries[token] else { return .cancelled }
        guard entry.time <= now else { return .later(entry.time) }
        entries[token] = nil
        return .due(entry.work)
    }
}
