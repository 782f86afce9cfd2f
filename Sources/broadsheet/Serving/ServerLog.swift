import ArticleAPI

/// The server's log on standard error: text lines on a terminal, otherwise one JSON object per
/// line, like the access log.
struct ServerLog: Sendable {
    let isJSON: Bool
    let dial: LogDial
    private let writeLine: @Sendable (String) -> Void

    /// - Parameter writeLine: receives each line including its line end, and must not block.
    init(
        isJSON: Bool, level: LogLevel = .info,
        writeLine: @escaping @Sendable (String) -> Void
    ) {
        self.isJSON = isJSON
        self.writeLine = writeLine
        dial = LogDial(level)
    }

    func info(_ message: String) { write(.info, message) }
    func warning(_ message: String) { write(.warning, message) }
    func error(_ message: String) { write(.error, message) }

    /// Logs the result of an operator's request, at any level.
    func announce(_ message: String) { write(.info, message, always: true) }

    private func write(_ level: LogLevel, _ message: String, always: Bool = false) {
        guard always || level <= dial.level else { return }
        guard isJSON else {
            let line = TerminalText.escapedLine(message)
            return writeLine((level == .info ? "" : "\(level): ") + line + "\n")
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
        writeLine(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
}
