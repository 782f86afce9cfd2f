import ArticleStore

/// Checks that a database is being served and that its store responds.
///
/// It uses the control socket, so it does not depend on addresses, certificates or proxies.
struct HealthCommand: Command {
    static let name = "health"
    static let summary = "Checks whether the server of a database is ready; for health checks."
    static let usage = "[options]"
    static let example = "broadsheet health --database broadsheet.db"
    static let options = [CommonOptions.database, CommonOptions.config]

    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        path = settings.database
    }

    func run() async throws(CommandFailure) {
        guard let owner = await ControlClient(ofDatabase: path) else {
            throw CommandFailure(.unavailable, "\(path): no server is running for this database")
        }
        do throws(StoreError) {
            _ = try await owner.changeSequence()
        } catch { throw CommandFailure(error) }
        try Console.print("ready")
    }
}
