public import ArticleStore
import Dispatch
import Glibc

extension PostgresStore {
    public func rewrite() async throws(StoreError) {
        // Never longer than readers wait: all others queue up behind a lock.
        try await maintain { (session) throws(StoreError) in try session.rewriteTables() }
    }

    /// A step is a table, whose rows others read and write meanwhile.
    public func vacuum(_ progress: VacuumProgress) async throws(StoreError) -> VacuumProgress {
        try await maintain { (session) throws(StoreError) in
            try session.vacuumTable(after: progress)
        }
    }

    /// Runs the work with a session of its own, without a transaction.
    private func maintain<Value: Sendable>(
        _ work: @escaping @Sendable (PostgresSession) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let address = address
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        try work(
                            PostgresSession(
                                address,
                                settings: [("statement_timeout", "0"), ("lock_timeout", "3s")]))
                    })
            }
        }
        return try result.get()
    }
}

extension PostgresSession {
    /// What has texts, or what was made of them. A plain VACUUM leaves removed rows in the pages of
    /// a table until others need their place.
    private static let textTables = [
        "revisions", "bodies", "renderings", "slugs", "imports", "comments", "facets",
        "kept_writes", "search_blocks", "search_terms",
    ]
    private static let attempts = 5

    fileprivate func rewriteTables() throws(StoreError) {
        try waitForOlderReaders()
        for table in Self.textTables { try rewrite(table, with: "FULL, ANALYZE") }
        // It has samples of columns. A role that may not do this gets a warning only.
        try rewrite("pg_catalog.pg_statistic", with: "FULL")
    }

    /// Rows that a transaction of somebody else may still see would be kept.
    private func waitForOlderReaders() throws(StoreError) {
        let present = try value("SELECT txid_current() & 4294967295") ?? "0"
        for _ in 0..<Self.attempts * 60 {
            let older = try value(
                """
                SELECT count(*) FROM pg_catalog.pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND age(backend_xmin) > age('\(present)'::xid)
                """)
            if older == "0" { return }
            usleep(100_000)
        }
        throw .busy
    }

    fileprivate func vacuumTable(
        after progress: VacuumProgress
    ) throws(StoreError) -> VacuumProgress {
        let tables = try run(
            """
            SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
            ORDER BY tablename
            """)
        let names = (0..<tables.rows).map { tables.text($0, 0) }
        guard names.indices.contains(progress.done) else {
            return VacuumProgress(done: names.count, total: names.count)
        }
        try rewrite(names[progress.done], with: "ANALYZE")
        return VacuumProgress(done: progress.done + 1, total: names.count)
    }

    private func rewrite(_ table: String, with options: String) throws(StoreError) {
        for attempt in 1...Self.attempts {
            do throws(StoreError) {
                _ = try run("VACUUM (\(options)) \(table)")
                return
            } catch {
                guard lastState == "55P03" else { throw error }
                guard attempt < Self.attempts else { throw .busy }
                sleep(1)
            }
        }
    }
}
