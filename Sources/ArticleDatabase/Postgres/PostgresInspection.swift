public import ArticleStore

/// The facts about a PostgreSQL database that is not served by this process.
public struct PostgresInspection: Sendable {
    /// The version of the server.
    public let server: String
    /// The version of the database's schema; 0 if it has none.
    public let schema: Int
    /// The tables that the role may not read and write.
    public let forbiddenTables: [String]
    /// True if the role may create and change the tables, as `serve` has to if there are none or
    /// they are of an older version.
    public let mayMigrate: Bool

    /// Connects to the database, and reads only.
    ///
    /// - Throws: `.failed` if it does not respond, or cannot be used.
    public init(of address: PostgresAddress) throws(StoreOpeningError) {
        do throws(StoreError) {
            let session = try PostgresSession(
                address, settings: PostgresConfiguration().readerSettings)
            try session.check()
            server = try session.value("SHOW server_version") ?? "of unknown version"
            schema = try PostgresSchema.version(of: session)
            let tables = try session.value(
                """
                SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema() AND c.relkind = 'r'
                    AND c.relname <> 'schema_version'
                    AND NOT (has_table_privilege(c.oid, 'SELECT')
                        AND has_table_privilege(c.oid, 'INSERT')
                        AND has_table_privilege(c.oid, 'UPDATE')
                        AND has_table_privilege(c.oid, 'DELETE'))
                """)
            mayMigrate =
                try session.value(
                    """
                    SELECT has_schema_privilege(current_schema(), 'CREATE') AND NOT EXISTS (
                        SELECT FROM pg_catalog.pg_class c
                        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                        WHERE n.nspname = current_schema() AND c.relname = 'schema_version'
                            AND NOT pg_has_role(c.relowner, 'USAGE'))
                    """) == "t"
            forbiddenTables =
                schema == 0 ? [] : (tables ?? "").split(separator: " ").map(String.init)
        } catch {
            throw StoreOpeningError(error, of: address)
        }
    }
}

extension PostgresSession {
    /// Rejects servers that this engine cannot use, or that lose commits.
    func check() throws(StoreError) {
        guard serverVersion >= 140_000 else {
            throw .unusable("its server is older than PostgreSQL 14")
        }
        guard try value("SHOW server_encoding") == "UTF8" else {
            throw .unusable(
                "its encoding is not UTF8; createdb --encoding UTF8 --template template0 makes one "
                    + "that is")
        }
        for setting in ["synchronous_commit", "fsync", "full_page_writes"] {
            if try value("SHOW \(setting)") == "off" {
                throw .unusable(
                    "\(setting) is off: writes that were acknowledged could be lost")
            }
        }
    }

    /// Becomes the only user of the database, until the session ends; `false` if there are others.
    ///
    /// It waits a little: the server ends a session some time after its program has closed it.
    func own() throws(StoreError) -> Bool {
        _ = try run("SET lock_timeout = '2s'")
        do throws(StoreError) {
            _ = try run("SELECT pg_advisory_lock(\(PostgresLock.ownership))")
        } catch {
            guard lastState == "55P03" else { throw error }
            _ = try run("RESET lock_timeout")
            return false
        }
        _ = try run("RESET lock_timeout")
        return true
    }

    /// Lets others use the database again.
    func disown() throws(StoreError) {
        _ = try run("SELECT pg_advisory_unlock(\(PostgresLock.ownership))")
    }

    /// The number of processes that use the database.
    func countOfUsers() throws(StoreError) -> Int {
        let count = try value("SELECT \(PostgresLock.userCount)")
        return count.flatMap { Int($0) } ?? 0
    }

    /// Becomes one of the users of the database, until the session ends; `false` if somebody else
    /// is its only one.
    func shareOwnership() throws(StoreError) -> Bool {
        try value("SELECT pg_try_advisory_lock_shared(\(PostgresLock.ownership))") == "t"
    }
}
