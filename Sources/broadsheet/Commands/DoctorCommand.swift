import ArticleAPI
import ArticleConnectors
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Checks everything that `serve` depends on, and suggests fixes.
struct DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Checks configuration, database, files and machine, and suggests fixes."
    static let usage = "[--json] [options of serve]"
    static let example = "broadsheet doctor --database broadsheet.db"
    static let options =
        [Option("json", nil, "Print one JSON object instead of lines.")]
        + ServeConfiguration.options
    static let toleratesInvalidConfigurationFile = true

    private let settings: Settings
    private let isJSON: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        self.settings = settings
        isJSON = try settings.isOn("json")
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let findings = await diagnostics(in: system)
        if isJSON {
            try Console.print(findings.json)
        } else {
            for line in findings.lines { try Console.print(line) }
        }
        guard findings.failures == 0 else {
            throw CommandFailure(
                .configuration, "\(findings.failures.counted("failure")), see above")
        }
    }

    private func diagnostics(in system: SystemEnvironment) async -> Diagnostics {
        var findings = Diagnostics()
        let now = system.now.milliseconds / 1_000
        let path = Database.path(of: settings.database)
        let owner = await ControlClient(ofDatabase: settings.database)
        let configuration = configuration(&findings)
        do throws(CommandFailure) { try MovedDatabaseNote.reject(settings.database) } catch {
            findings.failure("database", error.message, do: "name the other one with --database")
        }
        let isOnServer = PostgresAddress.isAddress(settings.database)
        if isOnServer {
            await PostgresCheck(database: settings.database, owner: owner).run(&findings)
        } else {
            await DatabaseCheck(path: path, owner: owner).run(&findings)
        }
        PermissionCheck(
            database: path, isServed: owner != nil,
            certificates: configuration?.transport.certificates ?? [], files: files
        ).run(&findings)
        if let configuration {
            ServingCheck(
                configuration: configuration, isServed: owner != nil, system: system
            ).run(&findings)
        }
        if let owner {
            await SourceCheck(
                intervalSeconds: configuration?.sources.intervalSeconds
                    ?? SourcePoller.defaultIntervalSeconds, now: system.now
            ).run(owner, &findings)
        }
        MachineCheck(database: path, isOnServer: isOnServer, now: now).run(&findings)
        return findings
    }

    /// The configuration that `serve` would run with; `nil` if `serve` would reject it.
    private func configuration(_ findings: inout Diagnostics) -> ServeConfiguration? {
        let subject = "configuration"
        if let failure = settings.fileFailure {
            findings.failure(
                subject, failure.message,
                do: "fix the file or name another one; the other checks ran without it")
        }
        do throws(CommandFailure) {
            let configuration = try ServeConfiguration(settings)
            if settings.fileFailure == nil { findings.ok(subject, "valid for serve") }
            return configuration
        } catch {
            findings.failure(
                subject, error.message, do: "broadsheet help serve explains each option")
            return nil
        }
    }

    /// Files that the configuration is read from.
    private var files: [(path: String, isSecret: Bool)] {
        settings.all("config").map { ($0.text, false) }
            + settings.all("admin-key-file").map { ($0.text, true) }
    }
}
