import ArticleStore

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
        var lines: [String] = []
        switch engine {
        case .sqlite(let database):
            let row = try SQLiteRowStatement(text, on: database)
            while try row.step() { lines.append(row.text(0)) }
        case .postgres(let session):
            let result = try session.run(text)
            for row in 0..<result.rows { lines.append(result.text(row, 0)) }
        }
        return lines
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
