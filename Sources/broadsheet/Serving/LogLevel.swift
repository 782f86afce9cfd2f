import HTTPServer
import Synchronization

/// How much the server logs.
enum LogLevel: Int, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// Failures only; of the access log, responses with a status of 500 or more.
    case error
    /// Also what may become a failure.
    case warning
    /// Also normal events and every response.
    case info
    /// Also client errors below HTTP: failed handshakes.
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

    /// The matching detail of the access log.
    var detail: AccessLog.Detail {
        switch self {
        case .error, .warning: .failures
        case .info: .answers
        case .debug: .everything
        }
    }

    /// The next more (or less) verbose level; itself at the end of the scale.
    func moved(by steps: Int) -> LogLevel { LogLevel(rawValue: rawValue + steps) ?? self }
}

/// The current log level, which can be changed while the server runs.
final class LogDial: Sendable {
    private let current: Atomic<Int>

    init(_ level: LogLevel) { current = Atomic(level.rawValue) }

    var level: LogLevel {
        get { LogLevel(rawValue: current.load(ordering: .relaxed)) ?? .info }
        set { current.store(newValue.rawValue, ordering: .relaxed) }
    }
}
