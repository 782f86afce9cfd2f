import ArticleAPI
import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Glibc
import Synchronization

/// The server's log on standard error: text lines on a terminal, otherwise one JSON object per
/// line, like the access log.
struct ServerLog: Sendable {
    let isJSON: Bool
    let dial: LogLevelControl
    private let system: SystemEnvironment
    private let writeLine: @Sendable (String) -> Void

    /// - Parameter writeLine: receives each line including its line end, and must not block.
    init(
        isJSON: Bool, level: LogLevel = .info, system: SystemEnvironment,
        writeLine: @escaping @Sendable (String) -> Void
    ) {
        self.isJSON = isJSON
        self.system = system
        self.writeLine = writeLine
        dial = LogLevelControl(level)
    }

    func info(_ message: String) { write(.info, message) }
    func warning(_ message: String) { write(.warning, message) }
    func error(_ message: String) { write(.error, message) }

    /// Logs the result of an operator's request, at any level.
    func announce(_ message: String) { write(.info, message, always: true) }

    func write(_ level: LogLevel, _ message: String, always: Bool = false) {
        guard always || level <= dial.level else { return }
        guard isJSON else {
            let line = TerminalText.escapedLine(message)
            return writeLine((level == .info ? "" : "\(level): ") + line + "\n")
        }
        var writer = JSONWriter()
        writer.object { line in
            line.name("time")
            line.integer(Int(system.wallNanoseconds() / 1_000_000))
            line.name("level")
            line.string(level.description)
            line.name("message")
            line.string(message)
        }
        writeLine(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
}

/// The format of the access log.
enum LogStyle: String, Sendable, CaseIterable {
    /// `text` on a terminal, `json` otherwise.
    case auto
    case text, json, off

    /// True if the server's own lines are JSON.
    var isJSON: Bool {
        switch self {
        case .auto, .off: !Console.errorIsTerminal
        case .text: false
        case .json: true
        }
    }
}

/// The detail of the server's log.
enum LogLevel: Int, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// Failures only; of the access log, responses with a status of 500 or more.
    case error
    /// Also conditions that may become a failure.
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
        case .info: .responses
        case .debug: .everything
        }
    }

    /// The next more (or less) verbose level; itself at the end of the scale.
    func moved(by steps: Int) -> LogLevel { LogLevel(rawValue: rawValue + steps) ?? self }
}

/// The current log level, which can be changed while the server runs.
final class LogLevelControl: Sendable {
    private let current: Atomic<Int>

    init(_ level: LogLevel) { current = Atomic(level.rawValue) }

    var level: LogLevel {
        get { LogLevel(rawValue: current.load(ordering: .relaxed)) ?? .info }
        set { current.store(newValue.rawValue, ordering: .relaxed) }
    }
}

/// Raises the verbosity of the log on SIGUSR1, and lowers it on SIGUSR2.
struct LogSignals {
    private let sources: SignalSources

    /// Installs the handlers: the two signals no longer end the process.
    init(_ log: ServerLog, _ accessLog: AccessLog?) {
        accessLog?.detail = log.dial.level.detail
        sources = SignalSources([SIGUSR1, SIGUSR2]) { number in
            let level = log.dial.level.moved(by: number == SIGUSR1 ? 1 : -1)
            log.dial.level = level
            accessLog?.detail = level.detail
            log.announce("the log level is \(level)")
        }
    }

    func stop() { sources.cancel() }
}

/// The standard streams of a server, which never block it if they are not read.
struct ServerOutput: Sendable {
    /// Standard error, for the log.
    let errors: LogWriter
    /// Standard output, for the addresses that the server listens on.
    let announcements: LogWriter

    init(_ style: LogStyle) {
        let format: AccessLog.Format = style.isJSON ? .json : .text
        errors = LogWriter(descriptor: STDERR_FILENO, format: format)
        announcements = LogWriter(
            descriptor: STDOUT_FILENO, format: .text, limitBytes: 64 << 10)
    }

    /// Waits until everything is written, at most for the given time per stream.
    func flush(withinSeconds seconds: Double) {
        announcements.flush(withinSeconds: seconds)
        errors.flush(withinSeconds: seconds)
    }
}
