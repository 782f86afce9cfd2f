import ArticleAPI
import ArticleClient

/// The wall clock in milliseconds: the environment's has seconds, within which the monotonic one
/// decides the order. No two calls get the same time, so that of two requests the later one counts.
final class MonotonicWallClock: Sendable {
    private struct State {
        var second = Int64.min
        /// The time at which the second was first seen.
        var start = Duration.zero
        /// The last time that was given out, in milliseconds.
        var last = Int64.min
    }

    private let state = Locked(State())

    func time(_ environment: ClientEnvironment) -> Timestamp {
        let (second, now) = (environment.wallSeconds(), environment.now())
        return state.withLock { state in
            if second != state.second { (state.second, state.start) = (second, now) }
            let (seconds, attoseconds) = (now - state.start).components
            let part = seconds > 0 ? 999 : attoseconds / 1_000_000_000_000_000
            var milliseconds = Timestamp(milliseconds: second &* 1_000)
                .advanced(byMilliseconds: part).milliseconds
            // A clock that was set back is followed.
            if milliseconds <= state.last, state.last - milliseconds < Self.limitLeadMilliseconds {
                milliseconds = state.last + 1
            }
            state.last = milliseconds
            return Timestamp(milliseconds: milliseconds)
        }
    }

    /// The maximum lead of the times over the clock, in milliseconds.
    private static let limitLeadMilliseconds: Int64 = 2_000
}
