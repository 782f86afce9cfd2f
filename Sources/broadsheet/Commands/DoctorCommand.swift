import ArticleAPI
import ArticleStore

/// Examines everything that serving needs, and says what to do about it.
struct DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Examines configuration, database, files and machine, and says what to do."
    static let usage = "[--json] [options of serve]"
    static let example = "broadsheet doctor --database broadsheet.db"
    static let options =
        [Option("json", nil, "one JSON object instead of lines")] + ServeConfiguration.options
    static let examinesConfigurationFile = true

    private let settings: Settings
    private let isJSON: Bool

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        self.settings = settings
        isJSON = try settings.isOn("json")
    }

    func run() async throws(CommandFailure) {
        let findings = await examined()
        if isJSON {
            try Console.print(findings.json)
        } else {
            for line in findings.lines { try Console.print(line) }
        }
        guard findings.failures == 0 else {
            let count = findings.failures == 1 ? "1 failure" : "\(findings.failures) failures"
            throw CommandFailure(.configuration, "\(count), see above")
        }
    }

    private func examined() async -> Diagnostics {
        var findings = Diagnostics()
        let now = Timestamp.now.milliseconds / 1_000
        let path = Files.resolved(settings.database)
        let owner = await ControlClient(ofDatabase: path)
        let configuration = configuration(&findings)
        await DatabaseCheck(path: path, owner: owner).run(&findings)
        PermissionCheck(
            database: path, isServed: owner != nil,
            certificates: configuration?.transport.certificates ?? [], files: files
        ).run(&findings)
        if let configuration {
            ServingCheck(configuration: configuration, isServed: owner != nil, now: now)
                .run(&findings)
        }
        MachineCheck(database: path, now: now).run(&findings)
        return findings
    }

    /// What `serve` would be told; `nil` if it would refuse that.
    private func configuration(_ findings: inout Diagnostics) -> ServeConfiguration? {
        let subject = "configuration"
        if let failure = settings.fileFailure {
            findings.failure(
                subject, failure.message,
                do: "mend the file, or name another: the rest was examined without it")
        }
        do throws(CommandFailure) {
            let configuration = try ServeConfiguration(settings)
            if settings.fileFailure == nil { findings.ok(subject, "serve would take it") }
            return configuration
        } catch {
            findings.failure(
                subject, error.message, do: "broadsheet help serve explains each option")
            return nil
        }
    }

    /// Files that the configuration is made of.
    private var files: [(path: String, isSecret: Bool)] {
        settings.all("config").map { ($0.text, false) }
            + settings.all("admin-key-file").map { ($0.text, true) }
    }
}
