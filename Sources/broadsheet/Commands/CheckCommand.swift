import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform

/// Verifies a database.
struct CheckCommand: DatabaseCommand {
    static let name = "check"
    static let summary = "Verifies the integrity of a database."
    static let example = "broadsheet check --database broadsheet.db"

    let database: String

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let report = try await report(in: system)
        for finding in report.findings { try Console.print(finding) }
        guard report.findings.isEmpty else {
            throw CommandFailure(
                .dataError, "\(database): \(report.findings.count.counted("finding"))")
        }
        let counts =
            "\(report.articles.counted("article")), "
            + "\(report.revisions.counted("revision")), \(report.changes.counted("change"))"
        try Console.print("\(database): ok (\(counts))")
    }

    /// Checks the database in this process, or in the one that serves it.
    private func report(in system: SystemEnvironment) async throws(CommandFailure) -> CheckReport {
        let isOnServer = PostgresAddress.isAddress(database)
        // Both can read it, but only its owner can build the index of the search again.
        if isOnServer, let owner = await ControlClient(ofDatabase: database) {
            return try await report(of: owner)
        }
        let found = try await Database.find(database, in: system) { () throws(StoreOpeningError) in
            isOnServer
                ? try PostgresStore.check(PostgresAddress(database))
                : try SQLiteStore.check(path: database)
        }
        switch found {
        case .opened(let report): return report
        case .served(let owner): return try await report(of: owner)
        }
    }

    private func report(of owner: ControlClient) async throws(CommandFailure) -> CheckReport {
        do throws(StoreError) { return try await owner.check() } catch {
            throw CommandFailure(error)
        }
    }
}
