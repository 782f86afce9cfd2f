import ArticleAPI
import ArticleClient

/// The wall clock in milliseconds: the environment's has seconds, within which the monotonic one
/// tells what was later.
final class SeenClock: Sendable {
    private struct State {
        var second = Int64.min
        /// When the second was first seen.
        var start = Duration.zero
    }

    private let state = Locked(State())

    func time(_ environment: ClientEnvironment) -> Timestamp {
        let (second, now) = (environment.wallSeconds(), environment.now())
        let passed = state.withLock { state in
            if second != state.second { state = State(second: second, start: now) }
            return now - state.start
        }
        let (seconds, attoseconds) = passed.components
        let milliseconds = seconds > 0 ? 999 : attoseconds / 1_000_000_000_000_000
        return Timestamp(milliseconds: second &* 1_000).advanced(byMilliseconds: milliseconds)
    }
}
