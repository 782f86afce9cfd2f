import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Begins another history of a database, after it was set back.
struct RenewCommand: DatabaseCommand {
    static let name = "renew"
    static let summary = "Makes all clients sync from scratch, after the database was rolled back."
    static let example = "broadsheet renew --database broadsheet.db"

    let database: String

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try await Database.with(database, mode: .existing, in: system) {
            (found) throws(CommandFailure) in
            do throws(StoreError) {
                switch found {
                case .opened(let store): try await store.beginHistory()
                case .served(let owner): try await owner.beginHistory()
                }
            } catch { throw CommandFailure(error) }
        }
        try Console.print("\(database): a new history has begun; clients fetch everything again")
    }
}
