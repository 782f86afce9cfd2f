public import ArticleStore

extension SQLiteStore {
    /// Checks a file that is not in use: whether SQLite finds it intact, and whether the store's
    /// invariants hold. Does not write.
    public static func check(path: String) throws(StoreOpeningError) -> CheckReport {
        let file = try DatabaseFile(path: path, mayCreate: false, isForReading: true)
        try file.verify(.bundled, mode: .existing)
        if file.hasJournal { throw .unfinished(path: file.path) }
        let connection = try file.reader()
        let version: Int
        do throws(StoreError) {
            try connection.configureReader(SQLiteConfiguration())
            version = try DatabaseSchema.version(on: connection)
            if version == DatabaseSchema.bundled.version { return try connection.examine() }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw StoreOpeningError(error, at: file.path)
        }
        throw .older(path: file.path, version: version)
    }

    /// Checks a snapshot of the file concurrently with other operations.
    public func check() async throws(StoreError) -> CheckReport {
        do throws(StoreError) {
            return try await exports.read { (connection) throws(StoreError) in
                try connection.examine()
            }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw error
        }
    }
}

extension CheckReport {
    /// The report for a file that cannot be read; `nil` for any other failure.
    init?(ofCorrupt error: StoreError) {
        guard case .corrupt(let text) = error else { return nil }
        self.init(articles: 0, revisions: 0, changes: 0, findings: [text])
    }
}

extension Connection {
    /// - Parameter promises: whether to check the invariants of this schema version, too.
    func examine(promises: Bool = true) throws(StoreError) -> CheckReport {
        // A large file's rows are sorted on disk.
        try execute(script: "PRAGMA temp_store = FILE")
        var findings = try lines(of: SQL.integrity).filter { $0 != "ok" }
        findings += try lines(of: SQL.foreignKeys)
        for invariant in SQL.invariants where promises { findings += try lines(of: invariant) }
        return CheckReport(
            articles: try number("SELECT count(*) FROM articles"),
            revisions: try number("SELECT count(*) FROM revisions"),
            changes: try number("SELECT count(*) FROM changes"), findings: findings)
    }

    private func lines(of sql: StaticString) throws(StoreError) -> [String] {
        let row = try statement(sql)
        var lines: [String] = []
        while try row.step() { lines.append(row.text(0)) }
        return lines
    }

    private func number(_ sql: StaticString) throws(StoreError) -> Int {
        let row = try statement(sql)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}
