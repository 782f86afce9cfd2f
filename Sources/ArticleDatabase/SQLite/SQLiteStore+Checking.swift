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
            return try await core.exports.read { (connection) throws(StoreError) in
                try connection.examine()
            }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw error
        }
    }
}

extension Connection {
    /// - Parameter promises: true to check also the invariants of this schema version.
    func examine(promises: Bool = true) throws(StoreError) -> CheckReport {
        // A large file's rows are sorted on disk.
        try execute(script: "PRAGMA temp_store = FILE")
        var findings = try lines(of: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        findings += try lines(
            of: """
                SELECT "table" || ' ' || ifnull(rowid, '') || ' refers to a missing row in '
                    || parent
                FROM pragma_foreign_key_check LIMIT 20
                """)
        guard promises else { return try report(findings) }
        findings += try violations(of: Invariants(in: .sqlite))
        findings += try readTransaction(StoreLimits()) { (state) throws(StoreError) in
            try state.searchFindings()
        }
        return try report(findings)
    }
}
