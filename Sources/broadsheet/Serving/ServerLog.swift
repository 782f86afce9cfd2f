import ArticleAPI

/// What the server tells its operator, on standard error: lines for people on a terminal, otherwise
/// one JSON object each, beside those of the access log.
struct ServerLog: Sendable {
    enum Level: String {
        case info, warning, error
    }

    let isJSON: Bool

    func info(_ message: String) { write(.info, message) }
    func warning(_ message: String) { write(.warning, message) }
    func error(_ message: String) { write(.error, message) }

    private func write(_ level: Level, _ message: String) {
        guard isJSON else {
            return Console.tell((level == .info ? "" : "\(level.rawValue): ") + message + "\n")
        }
        var writer = JSONWriter()
        writer.object { line in
            line.name("time")
            line.integer(Int(Timestamp.now.milliseconds))
            line.name("level")
            line.string(level.rawValue)
            line.name("message")
            line.string(message)
        }
        Console.tell(String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }
}
