public import ArticleStore

extension PostgresStore {
    /// Checks a database that may be served meanwhile: the store's invariants in one committed
    /// state. Only reads. The server's own tools check that pages are intact (`pg_amcheck`).
    public static func check(_ address: PostgresAddress) throws(StoreOpeningError) -> CheckReport {
        let version: Int
        do throws(StoreError) {
            let session = try PostgresSession(
                address, settings: PostgresConfiguration().exportSettings)
            try session.check()
            version = try PostgresSchema.version(of: session)
            if version == schemaVersion { return try Connection(.postgres(session)).examineState() }
        } catch {
            throw StoreOpeningError(error, of: address)
        }
        guard version > 0 else { throw .unfinished(path: address.text) }
        let fault = StoreOpeningError(
            version: version, at: address.text, supported: PostgresSchema.bundled.versions)
        throw fault ?? .older(path: address.text, version: version)
    }

    /// Checks a committed state concurrently with other operations.
    public func check() async throws(StoreError) -> CheckReport {
        try await core.exports.read { (connection) throws(StoreError) in
            try connection.examineState()
        }
    }
}

extension Connection {
    /// Checks one committed state of a PostgreSQL database.
    fileprivate func examineState() throws(StoreError) -> CheckReport {
        do throws(StoreError) {
            return try readTransaction(StoreLimits()) { (state) throws(StoreError) in
                try state.examine()
            }
        } catch {
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw error
        }
    }
}

extension Snapshot {
    /// Checks this state of a PostgreSQL database.
    func examine() throws(StoreError) -> CheckReport {
        var findings: [String] = []
        for query in try connection.lines(of: Self.references) {
            findings += try connection.lines(of: query)
        }
        findings += try connection.violations(of: Invariants(in: .postgres))
        findings += try searchFindings()
        return try connection.report(findings)
    }

    /// A query for each constraint, which returns a line of text for each row that refers to a
    /// missing one. The server guarantees that there are none, unless this was disabled, as some
    /// tools do while they restore.
    private static let references = """
        SELECT format(
            'SELECT %L || child.%I FROM %s AS child LEFT JOIN %s AS parent ON parent.%I = child.%I '
                'WHERE child.%I IS NOT NULL AND parent.%I IS NULL LIMIT 20',
            conrelid::regclass || ' refers to a missing row in ' || confrelid::regclass || ': ',
            child.attname, conrelid::regclass, confrelid::regclass, parent.attname, child.attname,
            child.attname, parent.attname)
        FROM pg_catalog.pg_constraint
        JOIN pg_catalog.pg_attribute AS child
            ON child.attrelid = conrelid AND child.attnum = conkey[1]
        JOIN pg_catalog.pg_attribute AS parent
            ON parent.attrelid = confrelid AND parent.attnum = confkey[1]
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
        ORDER BY conname
        """
}
