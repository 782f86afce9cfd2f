import ArticleAPI
import ArticleClient
import ArticleOperations
import ArticleServices
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetPlatform

/// Prints a link that signs the operator in to the console of a running server.
struct ConsoleCommand: DatabaseCommand {
    static let name = "console"
    static let summary = "Prints a link that signs you in to the console of a running server."
    static let example = "broadsheet console --database broadsheet.db"

    let database: String

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        guard let owner = await ControlClient(ofDatabase: database) else {
            throw CommandFailure(
                .unavailable, "\(database): no server is running for this database")
        }
        let link: ConsoleLink
        do throws(BackendError) {
            link = try await owner.backend.send(CreateConsoleLinkRequest())
        } catch { throw failure(error) }
        try Console.print(link.url)
    }

    private func failure(_ error: BackendError) -> CommandFailure {
        switch error {
        case .problem(let problem) where problem.status == HTTPStatus.notFound.code:
            CommandFailure(.unavailable, "\(database): the server has no console")
        case .problem(let problem):
            CommandFailure(
                .unavailable, "\(database): \(problem.errors.first?.detail ?? problem.title)")
        default: CommandFailure(.unavailable, "\(database): \(error)")
        }
    }
}
