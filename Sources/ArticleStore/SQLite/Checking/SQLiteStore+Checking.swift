extension SQLiteStore {
    /// Examines a file that nobody else has: whether SQLite finds it whole, and whether it holds
    /// what a store promises. Reads only.
    public static func check(path: String) throws(StoreOpeningError) -> CheckReport {
        let file = try DatabaseFile(path: path, mayCreate: false)
        try file.verify(.bundled, mode: .existing)
        var report = CheckReport(articles: 0, revisions: 0, changes: 0, findings: [])
        do throws(StoreError) {
            let connection = try Connection(readerOf: file.path, SQLiteConfiguration())
            // Sorting a large file's rows belongs on the disk.
            try connection.execute(script: "PRAGMA temp_store = FILE")
            let version = try DatabaseSchema.version(on: connection)
            guard version == DatabaseSchema.bundled.version else {
                throw .unavailable("schema version \(version) is older; serve it once")
            }
            report.findings = try connection.lines(of: SQL.integrity).filter { $0 != "ok" }
            report.findings += try connection.lines(of: SQL.foreignKeys)
            for invariant in SQL.invariants {
                report.findings += try connection.lines(of: invariant)
            }
            report.articles = try connection.number("SELECT count(*) FROM articles")
            report.revisions = try connection.number("SELECT count(*) FROM revisions")
            report.changes = try connection.number("SELECT count(*) FROM changes")
        } catch {
            guard case .corrupt(let text) = error else {
                throw .failed(path: file.path, reason: error.reason)
            }
            report.findings.append(text)
        }
        return report
    }
}

extension Connection {
    fileprivate func lines(of sql: StaticString) throws(StoreError) -> [String] {
        let row = try statement(sql)
        var lines: [String] = []
        while try row.step() { lines.append(row.text(0)) }
        return lines
    }

    fileprivate func number(_ sql: StaticString) throws(StoreError) -> Int {
        let row = try statement(sql)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}
