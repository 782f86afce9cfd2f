/// A subcommand: its `--help` text and its implementation.
protocol Command: Sendable {
    static var name: String { get }
    /// One line, shown in the overview and at the top of `--help`.
    static var summary: String { get }
    /// The arguments after the name: `PATH… [options]`.
    static var usage: String { get }
    static var example: String { get }
    static var options: [Option] { get }
    /// True if the command also runs with an invalid configuration file, and reports its fault.
    static var toleratesInvalidConfigurationFile: Bool { get }

    init(_ settings: Settings) throws(CommandFailure)
    func run() async throws(CommandFailure)
}

extension Command {
    static var toleratesInvalidConfigurationFile: Bool { false }

    /// The page that `broadsheet help <name>` prints.
    static var help: String {
        var text = "\(summary)\n\nUsage: broadsheet \(name) \(usage)\n\nExample:\n  \(example)\n"
        guard !options.isEmpty else { return text }
        text += "\nOptions (also as BROADSHEET_… variables and in the --config file):\n"
        for option in options {
            let flag = "--\(option.name)" + (option.value.map { " " + $0 } ?? "")
            let padding = String(repeating: " ", count: max(1, 32 - flag.count))
            text += "  \(flag)\(padding)\(option.help)"
            if option.isRepeatable { text += " May be repeated." }
            if let value = option.defaultValue { text += " [default: \(value)]" }
            text += "\n"
        }
        return text
    }
}

/// A command that needs nothing but a database: `broadsheet health --database broadsheet.db`.
protocol DatabaseCommand: Command {
    /// - Parameter database: the path of the database.
    init(database: String)
}

extension DatabaseCommand {
    static var usage: String { "[options]" }
    static var options: [Option] { CommonOptions.ofDatabase }

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        self.init(database: settings.database)
    }
}
