import ArticleClient
import ArticleDatabase
import ArticleOperations
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Returns the space of removed data to the file system, even while the database is being served.
struct VacuumCommand: DatabaseCommand {
    static let name = "vacuum"
    static let summary =
        "Returns the space of removed history to the file system, even while serving."
    static let example = "broadsheet vacuum --database broadsheet.db"

    let database: String

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try await Database.with(database, mode: .existing, in: system) {
            (database) async throws(CommandFailure) in
            let backend = try await database.backend(in: system)
            var (bar, progress) = (ProgressBar(), VacuumProgress())
            defer { bar.clear() }
            while !progress.isComplete {
                do throws(BackendError) {
                    progress = try await backend.send(VacuumRequest(progress))
                } catch { throw CommandFailure(StoreError(ofOwner: error)) }
                bar.show(progress.done, of: progress.total, "freeing")
            }
        }
        try Console.print("\(database): vacuumed")
    }
}
