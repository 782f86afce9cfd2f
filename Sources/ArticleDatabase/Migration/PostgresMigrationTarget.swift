import ArticleStore
import BroadsheetPlatform

/// An empty PostgreSQL database that is filled with the rows of a file, in one transaction:
/// whatever happens before its end, the database stays empty.
final class PostgresMigrationTarget {
    private let session: PostgresSession
    private let rows: PostgresMigrationSource
    /// The statements that create the secondary indexes, which are made when the rows are there.
    private var indexes: [String] = []
    /// The statements that add the foreign keys, which are added when nothing is missing any more.
    private var references: [String] = []
    private var transaction = ""
    private let address: PostgresAddress
    private let system: SystemEnvironment

    /// Connects to the database, which no other process may serve from now on.
    ///
    /// - Throws: `.rejected` with a `MigrationError` if it is not empty.
    init(
        _ address: PostgresAddress, _ system: SystemEnvironment
    ) throws(StoreError) {
        session = try PostgresSession(
            address, settings: PostgresConfiguration().migrationSettings)
        self.address = address
        self.system = system
        rows = PostgresMigrationSource(session)
        try session.check()
        try session.own(waitingFor: address, in: system)
        let relations = try session.value(
            """
            SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            """)
        guard relations == "0" else {
            throw .rejected(MigrationError.occupied(address.text))
        }
    }

    func tables(with file: SQLiteMigrationSource) throws(StoreError) -> [MigratedTable] {
        try MigratedTable.all(of: file.database, and: session)
    }

    /// Creates the schema, without foreign keys and secondary indexes, and the common content of
    /// any new database.
    func begin() throws(StoreError) {
        _ = try session.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        transaction = try session.value("SELECT pg_current_xact_id()") ?? ""
        try PostgresSchema.bundled.create(in: session)
        let keys = try session.run(
            """
            SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
                    pg_get_constraintdef(oid))
            FROM pg_constraint
            WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY oid
            """)
        for row in 0..<keys.rows {
            references.append(keys.text(row, 1))
            _ = try session.run(keys.text(row, 0))
        }
        let others = try session.run(
            """
            SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
            FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE relnamespace = current_schema()::regnamespace
                AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
            ORDER BY indexrelid
            """)
        for row in 0..<others.rows {
            indexes.append(others.text(row, 1))
            _ = try session.run(others.text(row, 0))
        }
    }

    /// Removes the rows of a new database.
    func empty(_ tables: [MigratedTable]) throws(StoreError) {
        for table in tables where !table.isDerived {
            _ = try session.run("DELETE FROM \(table.name)")
        }
    }

    /// Adds rows: those that the body passes on.
    func write(
        _ table: MigratedTable,
        _ body: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        try session.write(rowsTo: "\(table.name) (\(table.columnList))", body)
    }

    /// Removes the rows with these keys.
    func remove(_ keys: [[UInt8]], from table: MigratedTable) throws(StoreError) {
        _ = try session.run(
            """
            CREATE TEMP TABLE IF NOT EXISTS gone_\(table.name) AS
                SELECT \(table.keyList) FROM \(table.name) WITH NO DATA;
            DELETE FROM gone_\(table.name)
            """)
        try session.write(rowsTo: "gone_\(table.name) (\(table.keyList))") {
            (write) throws(StoreError) in
            for key in keys { try key.lend(write) }
        }
        let isSame = table.comparison(of: "gone", with: "kept")
        _ = try session.run(
            "DELETE FROM \(table.name) AS kept USING gone_\(table.name) AS gone WHERE \(isSame)")
    }

    /// Makes the indexes, once the bulk of the rows is there.
    func index() throws(StoreError) {
        for index in indexes { _ = try session.run(index) }
        indexes = []
    }

    /// Adds the foreign keys, which checks them, and sets the next numbers of new rows.
    func complete(_ tables: [MigratedTable]) throws(StoreError) {
        try index()
        for reference in references { _ = try session.run(reference) }
        references = []
        let counters = try session.run(
            """
            SELECT format(
                'SELECT setval(%L, greatest(coalesce(max(%I), 0) + 1, %s), false) FROM %s',
                sequence, attname, seqstart, relation)
            FROM (
                SELECT attname, attrelid::regclass AS relation,
                    pg_get_serial_sequence(attrelid::regclass::text, attname) AS sequence
                FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                WHERE relnamespace = current_schema()::regnamespace AND attidentity <> ''
            ) AS numbered JOIN pg_sequence ON seqrelid = sequence::regclass
            """)
        for row in 0..<counters.rows { _ = try session.run(counters.text(row, 0)) }
        for table in tables { _ = try session.run("ANALYZE \(table.name)") }
    }

    /// Makes it a database that can be served. If the connection is lost during that, the server is
    /// asked for the outcome of the transaction.
    func commit() throws(StoreError) {
        do throws(StoreError) { _ = try session.run("COMMIT") } catch {
            guard session.isLost else { throw error }
            for _ in 0..<Self.attempts {
                let session = try? PostgresSession(address, settings: [])
                let status = try? session?.status(ofTransaction: transaction)
                // A standby that became the primary may have given the id to another transaction.
                if status == "committed", let session,
                    try PostgresSchema.version(of: session) > 0
                {
                    return
                }
                if status == "aborted" { throw error }
                // The server does not respond, or has not noticed yet that the connection is lost.
                system.blockThread(Self.pause)
            }
            throw error
        }
    }

    private static let attempts = 50
    private static let pause = Duration.milliseconds(200)

    /// Removes the committed data, unless it has been written to since.
    static func discard(
        _ address: PostgresAddress, in system: SystemEnvironment
    ) throws(StoreError) {
        let session = try PostgresSession(
            address, settings: PostgresConfiguration().migrationSettings)
        try session.own(waitingFor: address, in: system)
        guard try session.value("SELECT commits FROM commit_clock") == "0" else { return }
        // Functions are those of triggers, and of columns' defaults.
        let things = try session.run(
            """
            WITH tables AS (
                SELECT oid FROM pg_class
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            )
            SELECT format('DROP TABLE %s CASCADE', oid::regclass) FROM tables
            UNION ALL
            SELECT format('DROP FUNCTION %s', oid::regprocedure) FROM pg_proc WHERE oid IN (
                SELECT tgfoid FROM pg_trigger JOIN tables ON tables.oid = tgrelid
                    WHERE NOT tgisinternal
                UNION SELECT refobjid FROM pg_depend
                    JOIN pg_attrdef ON pg_attrdef.oid = objid JOIN tables ON tables.oid = adrelid
                    WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_proc'::regclass)
            """)
        _ = try session.run("BEGIN")
        for row in 0..<things.rows { _ = try session.run(things.text(row, 0)) }
        _ = try session.run("COMMIT")
    }

    func digest(of table: MigratedTable) throws(StoreError) -> TableDigest {
        try rows.digest(of: table)
    }

    func changeSequence() throws(StoreError) -> Int64 { try rows.changeSequence() }
}

extension PostgresSession {
    /// Becomes the owner of the database. A program that has just ended may still be its owner, for
    /// as long as the server takes to notice.
    ///
    /// - Throws: `.rejected` with `StoreOpeningError.owned`.
    func own(
        waitingFor address: PostgresAddress, in system: SystemEnvironment
    ) throws(StoreError) {
        for _ in 0..<30 {
            if try own() { return }
            system.blockThread(.milliseconds(100))
        }
        throw .rejected(StoreOpeningError.owned(path: address.text))
    }
}
