/// Logs when a state of the server begins and when it is over: one line each, even if the state is
/// noted every second.
///
/// A state that comes and goes is logged less and less often: at first every 5 s, in the end every
/// 5 min. A value; the caller tells the time.
struct StateChangeLog {
    /// The parts that can be in a state, each on its own.
    enum Subject: Hashable, CaseIterable {
        case disk, commits, database, leadership, readiness
    }

    /// A state that is worth a line.
    struct State {
        let level: LogLevel
        /// The lines at its beginning and its end.
        let begins: String
        let ends: String
    }

    /// A line for the log.
    struct Line: Equatable {
        let level: LogLevel
        let text: String
        /// True if it is logged at any level, as it ends a state that was logged.
        let isEnd: Bool
    }

    private struct Entry {
        /// The state that was logged; `nil` if it is over, and that was logged.
        var state: State?
        /// The time at which its beginning was logged.
        var start = 0.0
        var lastLine = -Double.infinity
        /// The time for which nothing is logged after the last line.
        var pause = Self.shortestPause

        static let shortestPause = 5.0
        static let limitPauseSeconds = 300.0
    }

    private var entries: [Subject: Entry] = [:]

    /// Notes the present state of the subject.
    ///
    /// - Parameters:
    ///   - state: `nil` if there is nothing to say about it.
    ///   - now: in seconds of any clock.
    /// - Returns: the line to log, if the state has changed.
    mutating func note(_ subject: Subject, _ state: State?, at now: Double) -> Line? {
        var entry = entries[subject] ?? Entry()
        guard (entry.state == nil) != (state == nil), now >= entry.lastLine + entry.pause else {
            return nil
        }
        let hasRested = now >= entry.lastLine + 10 * entry.pause
        entry.pause =
            hasRested ? Entry.shortestPause : min(2 * entry.pause, Entry.limitPauseSeconds)
        entry.lastLine = now
        defer { entries[subject] = entry }
        let former = entry.state
        entry.state = state
        if let state {
            entry.start = now
            return Line(level: state.level, text: state.begins, isEnd: false)
        }
        guard let former else { return nil }
        let text = "\(former.ends), after \(Int((now - entry.start).rounded())) s"
        return Line(level: former.level, text: text, isEnd: true)
    }
}
