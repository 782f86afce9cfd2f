import HTTPServer
import Synchronization

/// What the server finds worth telling.
enum LogLevel: Int, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// Only what failed; of the access log, answers of 500 and more.
    case error
    /// And what may become a failure.
    case warning
    /// And what happens, with every answer.
    case info
    /// And what clients did wrong below HTTP: handshakes that failed.
    case debug

    init?(_ name: String) {
        guard let level = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = level
    }

    static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    var description: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// What the access log shows.
    var detail: AccessLog.Detail {
        switch self {
        case .error, .warning: .failures
        case .info: .answers
        case .debug: .everything
        }
    }

    /// The next one that tells more, or less; itself at the end.
    func moved(by steps: Int) -> LogLevel { LogLevel(rawValue: rawValue + steps) ?? self }
}

/// The level of everything that the server logs, which may be turned while it runs.
final class LogDial: Sendable {
    private let current: Atomic<Int>

    init(_ level: LogLevel) { current = Atomic(level.rawValue) }

    var level: LogLevel {
        get { LogLevel(rawValue: current.load(ordering: .relaxed)) ?? .info }
        set { current.store(newValue.rawValue, ordering: .relaxed) }
    }
}
