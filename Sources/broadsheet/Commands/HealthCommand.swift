import ArticleStore

/// Asks whether a database is being served, and its store answers.
///
/// It goes over the control socket: addresses, certificates and proxies do not matter to it.
struct HealthCommand: Command {
    static let name = "health"
    static let summary = "Asks the server of a database whether it is ready: for supervisors."
    static let usage = "[options]"
    static let example = "broadsheet health --database broadsheet.db"
    static let options = [CommonOptions.database, CommonOptions.config]

    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        path = settings.database
    }

    func run() async throws(CommandFailure) {
        guard let owner = await ControlClient(ofDatabase: path) else {
            throw CommandFailure(.unavailable, "\(path): no server answers for it")
        }
        do throws(StoreError) {
            _ = try await owner.changeSequence()
        } catch { throw CommandFailure(error) }
        try Console.print("ready")
    }
}
