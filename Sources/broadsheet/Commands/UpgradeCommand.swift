import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets

/// Replaces the process that serves a database with the program that is installed now.
struct UpgradeCommand: Command {
    static let name = "upgrade"
    static let summary = "Upgrades a running server to the installed binary without downtime."
    static let usage = "[options]"
    static let example = "broadsheet upgrade --database broadsheet.db"
    static let options =
        CommonOptions.ofDatabase + [
            Option(
                "from", "DATABASE",
                "Database that is served now, from which broadsheet migrate copies to --database."
            )
        ]

    let database: String
    /// The database that the server moves away from, if it is another one.
    let former: String?
    /// The old process may take as long as its `--grace`, which is at most an hour.
    private static let timeoutSeconds = 3_700

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        database = settings.database
        former = settings.text("from")
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let served = former ?? database
        let channel = try ControlChannel.open(
            ofDatabase: served,
            for: former == nil ? UpgradeMessage.protocolName : MigrationMessage.takeoverName,
            timeoutSeconds: Self.timeoutSeconds)
        guard let channel else {
            throw CommandFailure(
                .unavailable, "\(served): no server is running for this database")
        }
        let reply: UpgradeMessage?
        do throws(SystemError) {
            if former != nil {
                try channel.send(.to(MigrateCommand.absolute(database)))
            }
            reply = try channel.receiveLine().flatMap { UpgradeMessage($0) }
        } catch { throw CommandFailure(.unavailable, "\(served): \(error)") }
        switch reply {
        case .serving(let process): try Console.print("process \(process) serves")
        case .failed(let reason): throw CommandFailure(.unavailable, "\(served): \(reason)")
        case nil:
            throw CommandFailure(.unavailable, "\(served): the server exited during the upgrade")
        }
    }
}
