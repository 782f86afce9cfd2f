import BroadsheetTestSupport

@testable import ArticleDatabase

/// Schemas of PostgreSQL for tests that are not about creating one.
///
/// When a test is done with a schema, its rows are replaced by those of a new one, which takes a
/// twentieth of the CPU time of the DDL. It is also renamed, because the store's advisory locks and
/// notifications belong to a schema's name.
actor EmptySchemas {
    static let shared = EmptySchemas()

    private var free: [String] = []
    private var reset: SchemaReset?

    /// The name of an empty schema: without tables, if no test has finished yet.
    func take() throws -> String { try free.popLast() ?? PostgresServer.shared.newSchemaName() }

    /// Empties a schema for the next test. The store that used it is closed.
    func giveBack(_ schema: String) throws {
        let reset = try reset ?? SchemaReset(PostgresServer.shared)
        self.reset = reset
        free.append(try reset(schema))
    }
}

/// Gives schemas the rows and sequences of one that was migrated and never used.
final class SchemaReset {
    /// The name of the schema that was never used.
    let original: String
    private let server: PostgresServer
    private let session: PostgresSession
    /// Statements with the placeholder `{used}` for the name of a used schema.
    private var script = ""

    init(_ server: PostgresServer) throws {
        self.server = server
        original = try server.newSchemaName()
        let address = try server.address(ofSchema: original)
        try PostgresSchema.bundled.migrate(PostgresSession(address, settings: []))
        // Neither references nor triggers apply: the rows are those of a whole schema.
        session = try PostgresSession(
            address, settings: [("session_replication_role", "replica")])
        for table in try names(ofKind: "r") {
            script += "DELETE FROM {used}.\(table);"
            if try session.value("SELECT 1 FROM \(table) LIMIT 1") != nil {
                script += "INSERT INTO {used}.\(table) OVERRIDING SYSTEM VALUE TABLE \(table);"
            }
        }
        for sequence in try names(ofKind: "S") {
            script += "SELECT setval('{used}.\(sequence)', last_value, is_called) FROM \(sequence);"
        }
    }

    /// Empties a schema; returns its new name.
    func callAsFunction(_ schema: String) throws -> String {
        let name = server.newName()
        // One transaction (`PQexec`).
        _ = try session.run(
            script.replacing("{used}", with: schema) + "ALTER SCHEMA \(schema) RENAME TO \(name)")
        return name
    }

    /// The tables (`r`) or sequences (`S`) of a schema (`pg_class.relkind`).
    func names(ofKind kind: String) throws -> [String] {
        let names = try session.value(
            """
            SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
            WHERE relnamespace = '\(original)'::regnamespace AND relkind = '\(kind)'
            """)
        return (names ?? "").split(separator: " ").map(String.init)
    }
}
