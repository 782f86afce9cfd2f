import ArticleStore
import BroadsheetResources

/// The versions of a PostgreSQL database's schema. They have the numbers of SQLite's: the first
/// migration creates the schema of a version.
struct PostgresSchema: Sendable {
    /// In order; each is applied once, leads to a version, and is never changed once it is
    /// released.
    let migrations: [(version: Int, script: String)]

    var version: Int { migrations.last?.version ?? 0 }

    /// The migrations embedded in the binary.
    static let bundled: PostgresSchema = {
        let table = broadsheet_postgres_migrations()
        let files = UnsafeBufferPointer(start: table.first, count: table.count)
        return PostgresSchema(
            migrations: files.map { (version: $0.leadingNumber, script: $0.text) })
    }()

    /// Those of databases that can be opened.
    var versions: [Int] { [0] + migrations.map(\.version) }

    /// The version of a database; 0 if it has none.
    static func version(of session: PostgresSession) throws(StoreError) -> Int {
        // `to_regclass` may not know yet the tables that others have created while this session
        // waited for a lock within a transaction. A query sees the committed state.
        let table = try session.value(
            """
            SELECT 1 FROM pg_catalog.pg_class
            WHERE relname = 'schema_version' AND pg_catalog.pg_table_is_visible(oid)
            """)
        guard table != nil else { return 0 }
        let version = try session.value("SELECT version FROM schema_version WHERE number = 1")
        guard let number = version.flatMap({ Int($0) }) else {
            throw .corrupt("the version of the schema is missing")
        }
        return number
    }

    /// Migrates the database to this version, in one transaction: it is migrated as a whole, or not
    /// at all. Programs that start at once do so one after the other, and the first one does it. A
    /// role that may not change the schema can open a database of this version.
    func migrate(_ session: PostgresSession) throws(StoreError) {
        guard try Self.version(of: session) < version else { return }
        do throws(StoreError) {
            // It waits for others, and takes as long as it takes.
            _ = try session.run("BEGIN; SET LOCAL statement_timeout = 0")
            try create(in: session)
            _ = try session.run("COMMIT")
        } catch {
            if session.isInTransaction { _ = try? session.run("ROLLBACK") }
            throw error
        }
    }

    /// Creates or migrates the schema in the open transaction.
    func create(in session: PostgresSession) throws(StoreError) {
        _ = try session.run("SELECT pg_advisory_xact_lock(\(PostgresLock.migration))")
        let current = try Self.version(of: session)
        if current == 0 { try createVersion(session) }
        for step in migrations where step.version > current { _ = try session.run(step.script) }
        _ = try session.run("UPDATE schema_version SET version = \(version)")
    }

    private func createVersion(_ session: PostgresSession) throws(StoreError) {
        _ = try session.run(
            """
            CREATE TABLE schema_version (
                number integer PRIMARY KEY CHECK (number = 1),
                version integer NOT NULL
            );
            INSERT INTO schema_version VALUES (1, 0)
            """)
    }
}

/// Advisory locks, which are different for each schema of a database.
enum PostgresLock {
    /// Held while a program migrates the schema.
    static let migration = "1112754260, hashtext(current_schema())"
    /// Shared by the processes that use the database, or held by one that excludes all others.
    static let ownership = "1112754261, hashtext(current_schema())"
    /// Shared by the processes that serve the database.
    static let service = "1112754263, hashtext(current_schema())"
    /// The lock held by the process that does the work which only one process may do.
    static let leadership = "1112754262, hashtext(current_schema())"

    /// The number of processes that use the database, and of those that serve it, as expressions.
    static let userCount = countOfHolders(1_112_754_261)
    static let serverCount = countOfHolders(1_112_754_263)

    private static func countOfHolders(_ number: Int) -> String {
        """
        (SELECT count(*) FROM pg_locks
            WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted
                AND classid = \(number)
                AND objid::bigint = hashtext(current_schema())::bigint & 4294967295
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        """
    }
}
