public import ArticleStore
import BroadsheetPlatform
import Dispatch

extension PostgresStore {
    public func rewrite() async throws(StoreError) {
        // Never longer than readers wait: all others queue up behind a lock.
        try await maintain { [system = core.system] (session) throws(StoreError) in
            try session.rewriteTables(in: system)
        }
    }

    /// A step is a table, whose rows others read and write meanwhile.
    public func vacuum(_ progress: VacuumProgress) async throws(StoreError) -> VacuumProgress {
        try await maintain { [system = core.system] (session) throws(StoreError) in
            try session.vacuumTable(after: progress, in: system)
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
    /// The tables that contain texts, or values derived from them.
    static let textTables = [
        "revisions", "bodies", "renderings", "slugs", "imports", "comments", "facets",
        "kept_writes", "search_blocks", "search_terms", "actors", "authors", "identities",
        "sessions", "sources", "users",
    ]
    private static let attempts = 5

    /// A plain VACUUM leaves removed rows in the pages of a table until others need their place.
    fileprivate func rewriteTables(in system: SystemEnvironment) throws(StoreError) {
        try waitForOlderTransactions(in: system)
        for table in Self.textTables {
            try vacuum(table, "FULL, ANALYZE", in: system)
            try removeSamplesIfEmpty(table, in: system)
        }
        // It has samples of columns; those that have just been replaced are also removed rows. A
        // role that may not do this gets a warning only.
        try waitForOlderTransactions(ofCatalogs: true, in: system)
        try vacuum("pg_catalog.pg_statistic", "FULL", in: system)
    }

    /// ANALYZE leaves those of a table that has no rows any more. Setting the type that a column
    /// has removes them, and rewrites nothing.
    private func removeSamplesIfEmpty(
        _ table: String, in system: SystemEnvironment
    ) throws(StoreError) {
        let columns = try run(
            """
            SELECT format('ALTER TABLE \(table) ALTER COLUMN %I TYPE %s%s', attname,
                atttypid::regtype, ' COLLATE ' || quote_ident(collname))
            FROM pg_catalog.pg_attribute LEFT JOIN pg_catalog.pg_collation AS collations
                ON collations.oid = attcollation
            WHERE attrelid = '\(table)'::regclass AND attnum > 0 AND NOT attisdropped
                AND (atttypid = 'text'::regtype OR attname IN ('data', 'first', 'item'))
                AND NOT EXISTS (SELECT 1 FROM \(table))
            """)
        for row in 0..<columns.rows {
            try run(columns.text(row, 0), on: table, in: system)
        }
    }

    /// Waits for older transactions: VACUUM keeps removed rows that a transaction from before their
    /// removal may still see.
    ///
    /// - Parameter catalogs: true for tables of the system, of which logical replication also needs
    ///   old rows.
    private func waitForOlderTransactions(
        ofCatalogs catalogs: Bool = false, in system: SystemEnvironment
    ) throws(StoreError) {
        // All later ones have a greater number, and see the removals until now.
        let present = try value("SELECT txid_current() & 4294967295") ?? "0"
        for attempt in 1...Self.attempts * 60 {
            // Twice: a snapshot may be taken while the others are looked at.
            var other = try transaction(olderThan: present, ofCatalogs: catalogs)
            if other == nil { other = try transaction(olderThan: present, ofCatalogs: catalogs) }
            guard let other else { return }
            guard attempt < Self.attempts * 60 else {
                throw .unavailable("\(other) has been open since before the removal")
            }
            system.blockThread(.milliseconds(100))
        }
    }

    /// As long as a transaction with an older number runs in any database, new snapshots reach as
    /// far back. Ages are counted from the next transaction, so that older ones have greater ages.
    /// Those of VACUUM see no rows of others.
    private func transaction(
        olderThan number: String, ofCatalogs catalogs: Bool
    ) throws(StoreError) -> String? {
        try value(
            """
            SELECT name FROM (
                SELECT greatest(age(backend_xid), CASE
                        WHEN datname IS NULL OR datname = current_database()
                            THEN age(backend_xmin) END) AS age,
                    format('a transaction of process %s (%s)', pid, application_name) AS name
                FROM pg_catalog.pg_stat_activity
                WHERE pid <> pg_backend_pid()
                    AND pid NOT IN (SELECT pid FROM pg_catalog.pg_stat_progress_vacuum)
                UNION ALL
                SELECT age(transaction), format('the prepared transaction %s', gid)
                FROM pg_catalog.pg_prepared_xacts
                UNION ALL
                SELECT greatest(age(xmin), CASE WHEN \(catalogs) THEN age(catalog_xmin) END),
                    format('the replication slot %s', slot_name)
                FROM pg_catalog.pg_replication_slots
            ) AS transactions WHERE age > age('\(number)'::xid) ORDER BY age DESC LIMIT 1
            """)
    }

    fileprivate func vacuumTable(
        after progress: VacuumProgress, in system: SystemEnvironment
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
        try vacuum(names[progress.done], "ANALYZE", in: system)
        return VacuumProgress(done: progress.done + 1, total: names.count)
    }

    private func vacuum(
        _ table: String, _ options: String, in system: SystemEnvironment
    ) throws(StoreError) {
        try run("VACUUM (\(options)) \(table)", on: table, in: system)
    }

    /// Runs a statement that needs a table for itself.
    private func run(
        _ sql: String, on table: String, in system: SystemEnvironment
    ) throws(StoreError) {
        for attempt in 1...Self.attempts {
            do throws(StoreError) {
                _ = try run(sql)
                return
            } catch {
                guard lastState == "55P03" else { throw error }
                guard attempt < Self.attempts else {
                    throw .unavailable("other sessions use the table \(table) all the time")
                }
                system.blockThread(.seconds(1))
            }
        }
    }
}
