/// One subcommand: what `--help` says of it, and what it does.
protocol Command: Sendable {
    static var name: String { get }
    /// One line.
    static var summary: String { get }
    /// What stands behind the name: `PATH… [options]`.
    static var usage: String { get }
    static var example: String { get }
    static var options: [Option] { get }
    /// Whether it begins with a wrong configuration file as well, and tells what is wrong.
    static var examinesConfigurationFile: Bool { get }

    init(_ settings: Settings) throws(CommandFailure)
    func run() async throws(CommandFailure)
}

extension Command {
    static var examinesConfigurationFile: Bool { false }

    /// The page that `broadsheet help <name>` prints.
    static var help: String {
        var text = "\(summary)\n\nUsage: broadsheet \(name) \(usage)\n\nExample:\n  \(example)\n"
        guard !options.isEmpty else { return text }
        text += "\nOptions (each also as BROADSHEET_… variable and in --config FILE):\n"
        for option in options {
            let flag = "--\(option.name)" + (option.value.map { " " + $0 } ?? "")
            let padding = String(repeating: " ", count: max(1, 32 - flag.count))
            text += "  \(flag)\(padding)\(option.help)"
            if option.isRepeatable { text += "; may be repeated" }
            if let standard = option.standard { text += " [\(standard)]" }
            text += "\n"
        }
        return text
    }
}

/// Options that several commands share.
enum CommonOptions {
    static let database = Option(
        "database", "FILE", "where the articles are kept", default: "broadsheet.db")
    static let config = Option("config", "FILE", "a JSON file with any of these options")
}
