import ArticleStore
import BroadsheetSQLite

/// The common checks of both engines.
extension Connection {
    func violations(of invariants: Invariants) throws(StoreError) -> [String] {
        var findings: [String] = []
        for query in invariants.queries { findings += try lines(of: query) }
        return findings
    }

    /// Returns the report with these findings, and the numbers of rows.
    func report(_ findings: [String]) throws(StoreError) -> CheckReport {
        CheckReport(
            articles: try count("articles"), revisions: try count("revisions"),
            changes: try count("changes"), findings: findings)
    }

    /// The first column of the rows of a statement that is used once.
    func lines(of text: String) throws(StoreError) -> [String] {
        switch engine {
        case .sqlite(let file): return try file.database.texts(text)
        case .postgres(let session):
            let result = try session.run(text)
            return (0..<result.rows).map { result.text($0, 0) }
        }
    }

    private func count(_ table: String) throws(StoreError) -> Int {
        try lines(of: "SELECT count(*) FROM \(table)").first.flatMap { Int($0) } ?? 0
    }
}

extension CheckReport {
    /// The report for a database that cannot be read; `nil` for any other failure.
    init?(ofCorrupt error: StoreError) {
        guard case .corrupt(let text) = error else { return nil }
        self.init(articles: 0, revisions: 0, changes: 0, findings: [text])
    }
}
