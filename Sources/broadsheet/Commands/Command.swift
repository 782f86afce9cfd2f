import BroadsheetCommandLine
import BroadsheetPlatform

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
    func run(in system: SystemEnvironment) async throws(CommandFailure)
}

extension Command {
    static var toleratesInvalidConfigurationFile: Bool { false }

    /// The page that `broadsheet help <name>` prints.
    static var help: String {
        HelpPage.text(
            summary, usage: "broadsheet \(name) \(usage)", example: example, options: options)
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
