import ArticleDatabase
import ArticleStore

/// Verifies a database file.
struct CheckCommand: DatabaseCommand {
    static let name = "check"
    static let summary = "Verifies the integrity of a database file."
    static let example = "broadsheet check --database broadsheet.db"

    let database: String

    func run() async throws(CommandFailure) {
        try Database.requireFile(database, to: "verify a database")
        let report = try await report()
        for finding in report.findings { try Console.print(finding) }
        guard report.findings.isEmpty else {
            throw CommandFailure(.dataError, "\(database): \(report.findings.count) findings")
        }
        let counts =
            "\(report.articles) articles, \(report.revisions) revisions, \(report.changes) changes"
        try Console.print("\(database): ok (\(counts))")
    }

    /// Checks the file in this process, or in the one that serves it.
    private func report() async throws(CommandFailure) -> CheckReport {
        do throws(StoreOpeningError) {
            return try SQLiteStore.check(path: database)
        } catch {
            guard case .owned = error, let owner = await ControlClient(ofDatabase: database) else {
                throw CommandFailure(error)
            }
            do throws(StoreError) { return try await owner.check() } catch {
                throw CommandFailure(error)
            }
        }
    }
}
