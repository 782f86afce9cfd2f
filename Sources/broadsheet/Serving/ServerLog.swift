import ArticleAPI

/// What the server tells its operator, on standard error: lines for people on a terminal, otherwise
/// one JSON object each, beside those of the access log.
struct ServerLog: Sendable {
    let isJSON: Bool
    let dial: LogDial
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: takes each line, with its end, and never waits.
    init(
        isJSON: Bool, level: LogLevel = .info,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.isJSON = isJSON
        self.tell = tell
        dial = LogDial(level)
    }

    func info(_ message: String) { write(.info, message) }
    func warning(_ message: String) { write(.warning, message) }
    func error(_ message: String) { write(.error, message) }

    /// What was asked for is told at any level.
    func announce(_ message: String) { write(.info, message, always: true) }

    private func write(_ level: LogLevel, _ message: String, always: Bool = false) {
        guard always || level <= dial.level else { return }
        guard isJSON else {
            let line = TerminalText.escapedLine(message)
            return tell((level == .info ? "" : "\(level): ") + line + "\n")
        }
        var writer = JSONWriter()
        writer.object { line in
            line.name("time")
            line.integer(Int(Timestamp.now.milliseconds))
            line.name("level")
            line.string(level.description)
            line.name("message")
            line.string(message)
        }
        tell(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
}
