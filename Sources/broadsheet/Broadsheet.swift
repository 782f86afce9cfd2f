import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// Entry point: selects the subcommand, runs it, and reports a failure as one line and a status.
@main
struct Broadsheet {
    /// All subcommands, in the order of `--help`.
    static let commands: [any Command.Type] = [
        ServeCommand.self, ImportCommand.self, ExportCommand.self, BackupCommand.self,
        RestoreCommand.self, MigrateCommand.self, RenewCommand.self, CheckCommand.self,
        PurgeCommand.self, VacuumCommand.self, DoctorCommand.self, HealthCommand.self,
        KeyCommand.self, UserCommand.self, SourcesCommand.self, ConsoleCommand.self,
        UpgradeCommand.self, CertificateCommand.self,
        ArticlesCommand.self, SearchCommand.self, CommentsCommand.self, BookmarksCommand.self,
        SyncCommand.self, WatchCommand.self, LoginCommand.self, LogoutCommand.self,
        OpenAPICommand.self, GenerateCommand.self, VersionCommand.self, HelpCommand.self,
    ]

    /// Keys that a configuration file may contain. `config` itself is not one of them.
    static let configurationKeys = Set(
        commands.flatMap { $0.options }.filter { $0.name != "config" }.map { $0.key })

    /// The only one of this process: everything else gets it from here.
    private static let system = SystemEnvironment.real

    static func main() async {
        Console.holdStreams()
        // Exceeding a file size limit then fails the write with EFBIG (setrlimit(2)).
        signal(SIGXFSZ, SIG_IGN)
        let status = await run(Array(Environment.arguments.dropFirst()))
        exit(status.rawValue)
    }

    static func run(_ arguments: [String]) async -> ExitStatus {
        do throws(CommandFailure) {
            try await dispatch(arguments)
            return .ok
        } catch {
            // A server exits even if the reason is not read.
            let isServer = arguments.first == ServeCommand.name
            Console.printError(error.message, withinSeconds: isServer ? 1 : nil)
            return error.status
        }
    }

    private static func dispatch(_ arguments: [String]) async throws(CommandFailure) {
        guard let name = arguments.first else {
            throw CommandFailure(.usage, "missing command; see broadsheet help")
        }
        if name == "--help" || name == "-h" { return try Console.print(HelpCommand.overview) }
        if name == "--version" { return try Console.print(Version.text) }
        guard let command = commands.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "unknown command \"\(name)\"; see broadsheet help")
        }
        let rest = Array(arguments.dropFirst())
        if CommandLineArguments.askForHelp(rest) {
            return try Console.print(command.help)
        }
        let settings = try Settings(
            options: command.options, ignoredKeys: configurationKeys,
            toleratesInvalidFile: command.toleratesInvalidConfigurationFile, arguments: rest,
            environment: Environment.current, readFile: Files.read)
        try settings.rejectNamesThatAreNoFiles()
        try await command.init(settings).run(in: system)
    }
}
