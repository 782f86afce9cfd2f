import Platform
import Sockets

/// Replaces the process that serves a database with the program that is installed now.
struct UpgradeCommand: DatabaseCommand {
    static let name = "upgrade"
    static let summary = "Upgrades a running server to the installed binary without downtime."
    static let example = "broadsheet upgrade --database broadsheet.db"

    let database: String
    /// The old process may take as long as its `--grace`, which is at most an hour.
    private static let timeoutSeconds = 3_700

    func run() async throws(CommandFailure) {
        let channel = try ControlChannel.open(
            ofDatabase: database, for: UpgradeMessage.protocolName,
            timeoutSeconds: Self.timeoutSeconds)
        guard let channel else {
            throw CommandFailure(
                .unavailable, "\(database): no server is running for this database")
        }
        let reply: UpgradeMessage?
        do throws(SystemError) {
            reply = try channel.receiveLine().flatMap { UpgradeMessage($0) }
        } catch { throw CommandFailure(.unavailable, "\(database): \(error)") }
        switch reply {
        case .serving(let process): try Console.print("process \(process) serves")
        case .failed(let reason): throw CommandFailure(.unavailable, "\(database): \(reason)")
        case nil:
            throw CommandFailure(.unavailable, "\(database): the server exited during the upgrade")
        }
    }
}
