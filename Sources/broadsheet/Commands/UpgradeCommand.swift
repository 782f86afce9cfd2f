import Platform
import Sockets

/// Replaces the process that serves a database with the program that is installed now.
struct UpgradeCommand: Command {
    static let name = "upgrade"
    static let summary = "Upgrades a running server to the installed binary without downtime."
    static let usage = "[options]"
    static let example = "broadsheet upgrade --database broadsheet.db"
    static let options = [CommonOptions.database, CommonOptions.config]

    let path: String
    /// The old process may take as long as its `--grace`, which is at most an hour.
    private static let timeoutSeconds = 3_700

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        path = settings.database
    }

    func run() async throws(CommandFailure) {
        let channel = try ControlChannel.open(
            ofDatabase: path, for: UpgradeMessage.protocolName,
            timeoutSeconds: Self.timeoutSeconds)
        guard let channel else {
            throw CommandFailure(.unavailable, "\(path): no server is running for this database")
        }
        let reply: UpgradeMessage?
        do throws(SystemError) {
            reply = try channel.receiveLine().flatMap { UpgradeMessage($0) }
        } catch { throw CommandFailure(.unavailable, "\(path): \(error)") }
        switch reply {
        case .serving(let process): try Console.print("process \(process) serves")
        case .failed(let reason): throw CommandFailure(.unavailable, "\(path): \(reason)")
        case nil:
            throw CommandFailure(.unavailable, "\(path): the server exited during the upgrade")
        }
    }
}
