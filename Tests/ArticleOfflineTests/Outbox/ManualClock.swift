import ArticleAPI
import ArticleClient
import BroadsheetPlatform

/// A clock that the test sets. Those who sleep wake up when it has been set far enough.
final class ManualClock: Sendable {
    private struct Sleeper {
        let end: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var milliseconds: Int64 = 1_800_000_000_000
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastSleeper = 0
        var delays: [Duration] = []
        var ticks: Int64 = 0
        /// True if all waits end at once, and the clock has moved.
        var isHurrying = false
    }

    private let state = Lock(State())

    var time: Timestamp { Timestamp(milliseconds: state.withLock { $0.milliseconds }) }

    /// For how long somebody wanted to sleep.
    var delays: [Duration] { state.withLock { $0.delays } }

    var environment: ClientEnvironment {
        ClientEnvironment(
            // Each reading is later than the one before, however busy the machine is.
            now: { [self] in
                state.withLock { state in
                    state.ticks += 1
                    return .milliseconds(state.ticks)
                }
            },
            wallSeconds: { [self] in state.withLock { $0.milliseconds / 1_000 } },
            sleep: { [self] in try await sleep($0) }, random: { $0 })
    }

    /// Sets the clock forward.
    func pass(seconds: Int64) {
        let due = state.withLock { state in
            state.milliseconds += seconds * 1_000
            let due = state.sleepers.filter { $0.value.end <= state.milliseconds }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// From now on, sleeping takes no time except by this clock.
    func hurry() {
        let due = state.withLock { state in
            state.isHurrying = true
            defer { state.sleepers = [:] }
            state.milliseconds = max(
                state.milliseconds, state.sleepers.values.map(\.end).max() ?? 0)
            return state.sleepers.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func sleep(_ delay: Duration) async throws {
        // Others get their turn, too, if it takes no time.
        await Task.yield()
        let (seconds, attoseconds) = delay.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let (number, end) = state.withLock { state in
            state.delays.append(delay)
            state.lastSleeper += 1
            return (state.lastSleeper, state.milliseconds + milliseconds)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    guard state.cancelled.remove(number) == nil else {
                        return .failure(CancellationError())
                    }
                    if state.isHurrying { state.milliseconds = max(state.milliseconds, end) }
                    guard state.milliseconds < end else { return .success(()) }
                    state.sleepers[number] = Sleeper(end: end, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                if state.sleepers[number] == nil { state.cancelled.insert(number) }
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
