import ArticleStore
import BroadsheetSQLite

/// The keys of the rows of a file that are changed while it is being migrated. Temporary triggers
/// of the connection that writes note them, in its memory: the file contains nothing of this, and
/// nothing is left if the program ends.
///
/// Used on the writer's thread, between commits.
struct ChangedRowKeys: Sendable {
    /// The maximum number of keys that are kept until they are taken.
    static let limit = 1_000_000

    private let tables: [MigratedTable]

    init(of tables: [MigratedTable]) { self.tables = tables.filter { !$0.isDerived } }

    /// Notes changes from now on.
    func begin(on connection: Connection) throws(StoreError) {
        try end(on: connection)
        for table in tables {
            let old = Self.insertion(of: "OLD", into: table)
            let new = Self.insertion(of: "NEW", into: table)
            try connection.execute(
                script: """
                    CREATE TEMP TABLE touched_\(table.name) (
                        \(table.keyDeclarations), PRIMARY KEY (\(table.keyList))) WITHOUT ROWID;
                    CREATE TEMP TRIGGER inserting_\(table.name) AFTER INSERT ON main.\(table.name)
                    BEGIN \(new) END;
                    CREATE TEMP TRIGGER updating_\(table.name) AFTER UPDATE ON main.\(table.name)
                    BEGIN \(old) \(new) END;
                    CREATE TEMP TRIGGER deleting_\(table.name) AFTER DELETE ON main.\(table.name)
                    BEGIN \(old) END;
                    """)
        }
    }

    /// Returns an insertion without `INSERT OR IGNORE`: the statement that fires a trigger decides
    /// the treatment of conflicts there (https://www.sqlite.org/lang_createtrigger.html).
    private static func insertion(of row: String, into table: MigratedTable) -> String {
        let values = table.keys.map { "\(row).\(MigratedTable.quoted($0.name))" }
        let condition = table.comparison(of: "touched_\(table.name)", with: row)
        return "INSERT INTO touched_\(table.name) SELECT \(values.joined(separator: ", ")) "
            + "WHERE NOT EXISTS (SELECT 1 FROM touched_\(table.name) WHERE \(condition));"
    }

    /// Stops noting changes.
    func end(on connection: Connection) throws(StoreError) {
        for table in tables {
            for event in ["inserting", "updating", "deleting"] {
                try connection.execute(script: "DROP TRIGGER IF EXISTS temp.\(event)_\(table.name)")
            }
            try connection.execute(script: "DROP TABLE IF EXISTS temp.touched_\(table.name)")
        }
    }

    /// - Throws: `.rejected` with ``MigrationError/overtaken`` if there are too many keys.
    func check(on connection: Connection) throws(StoreError) {
        let database = try SQLiteMigrationSource(connection).database
        var count = 0
        for table in tables {
            let rows = try database.number("SELECT count(*) FROM temp.touched_\(table.name)")
            count += Int(rows ?? 0)
        }
        guard count <= Self.limit else { throw .rejected(MigrationError.overtaken) }
    }

    /// Returns the keys that were noted since the last time, with their tables.
    ///
    /// - Throws: `.rejected` with ``MigrationError/overtaken`` if there are too many.
    func take(
        from connection: Connection
    ) throws(StoreError) -> [(table: MigratedTable, keys: [[UInt8]])] {
        try check(on: connection)
        let database = try SQLiteMigrationSource(connection).database
        var taken: [(table: MigratedTable, keys: [[UInt8]])] = []
        for table in tables {
            var keys: [[UInt8]] = []
            do {
                let row = try SQLiteRowStatement(
                    "SELECT \(table.keyList) FROM temp.touched_\(table.name)",
                    columns: table.keyKinds, on: database)
                var key: [UInt8] = []
                while try row.step() {
                    row.read(into: &key)
                    keys.append(key)
                }
            }
            guard !keys.isEmpty else { continue }
            try database.execute(script: "DELETE FROM temp.touched_\(table.name)")
            taken.append((table, keys))
        }
        return taken
    }
}
