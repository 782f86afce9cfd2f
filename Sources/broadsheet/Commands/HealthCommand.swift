import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Checks that a database is being served and that its store responds.
///
/// It uses the control socket, so it does not depend on addresses, certificates or proxies.
struct HealthCommand: DatabaseCommand {
    static let name = "health"
    static let summary = "Checks whether the server of a database is ready; for health checks."
    static let example = "broadsheet health --database broadsheet.db"

    let database: String

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        guard let owner = await ControlClient(ofDatabase: database) else {
            throw CommandFailure(
                .unavailable, "\(database): no server is running for this database")
        }
        do throws(StoreError) {
            _ = try await owner.changeSequence()
        } catch { throw CommandFailure(error) }
        try Console.print("ready")
    }
}
