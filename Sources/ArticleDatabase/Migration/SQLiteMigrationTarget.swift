import ArticleStore
import BroadsheetSQLite

/// An empty file that is filled with the rows of a PostgreSQL database, and is of no use before it
/// is complete: the process that fills it moves it to its place then, or deletes it.
final class SQLiteMigrationTarget {
    private let file: SQLiteMigrationSource
    private var database: SQLiteDatabase<StoreError> { file.database }
    /// The statements that create the secondary indexes, which are made when the rows are there.
    private var indexes: [String] = []
    /// The number of rows of each table: counting them would read all.
    private var counts: [String: Int] = [:]

    /// - Parameter connection: to an empty file.
    init(_ connection: Connection) throws(StoreError) {
        file = try SQLiteMigrationSource(connection)
        try connection.execute(
            script: """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA synchronous = OFF;
                PRAGMA temp_store = FILE;
                PRAGMA cache_size = -65536;
                """)
        try DatabaseSchema.bundled.migrate(connection)
        // Rows refer to rows that are not there yet.
        try connection.execute(script: "PRAGMA foreign_keys = OFF")
    }

    func tables(with session: PostgresSession) throws(StoreError) -> [MigratedTable] {
        try MigratedTable.all(of: database, and: session)
    }

    /// Begins to fill it: removes the rows of a new database.
    func begin(_ tables: [MigratedTable]) throws(StoreError) {
        indexes = try database.texts(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        let names = try database.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        try database.execute(script: "BEGIN")
        for name in names { try database.execute(script: "DROP INDEX \(name)") }
        for table in tables where !table.isDerived {
            try database.execute(script: "DELETE FROM \(table.name)")
        }
    }

    /// Adds rows: those that the body passes on.
    func write(
        _ table: MigratedTable,
        _ body: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        let places = (1...table.columns.count).map { "?\($0)" }.joined(separator: ", ")
        let statement = try SQLiteRowStatement(
            "INSERT INTO \(table.name) (\(table.columnList)) VALUES (\(places))",
            parameters: table.columnKinds, on: database)
        try body { (row) throws(StoreError) in
            try statement.run(with: row)
            counts[table.name, default: 0] += 1
        }
    }

    /// Removes the rows with the keys that the body passes on.
    func remove(
        from table: MigratedTable,
        _ body: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try SQLiteRowStatement(
            "DELETE FROM \(table.name) WHERE \(table.keyCondition)",
            parameters: table.keyKinds, on: database)
        try body { (key) throws(StoreError) in
            try statement.run(with: key)
            counts[table.name, default: 0] -= database.changedRows
        }
    }

    /// Removes the rows with other keys than those that the body passes on.
    func keepOnly(
        in table: MigratedTable,
        _ body: ((UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        try database.execute(
            script: """
                CREATE TEMP TABLE present (\(table.keyDeclarations), PRIMARY KEY (\(table.keyList)))
                    WITHOUT ROWID
                """)
        let places = (1...table.keys.count).map { "?\($0)" }.joined(separator: ", ")
        do {
            let statement = try SQLiteRowStatement(
                "INSERT INTO present VALUES (\(places))", parameters: table.keyKinds, on: database)
            try body { (key) throws(StoreError) in try statement.run(with: key) }
        }
        let isSame = table.comparison(of: "present", with: table.name)
        try database.execute(
            script: """
                DELETE FROM \(table.name)
                    WHERE NOT EXISTS (SELECT 1 FROM present WHERE \(isSame))
                """)
        counts[table.name, default: 0] -= database.changedRows
        try database.execute(script: "DROP TABLE present")
    }

    /// Makes the indexes.
    func index() throws(StoreError) {
        for index in indexes { try database.execute(script: index) }
        indexes = []
    }

    /// Checks that rows refer to rows, and commits.
    func complete() throws(StoreError) {
        try index()
        let violations = try database.texts(
            """
            SELECT "table" || ' refers to a missing row in ' || parent
            FROM pragma_foreign_key_check LIMIT 1
            """
        )
        if let violation = violations.first { throw .corrupt(violation) }
        try database.execute(script: "COMMIT")
    }

    func digest(of table: MigratedTable) throws(StoreError) -> TableDigest {
        try file.digest(of: table)
    }

    func count(of table: MigratedTable) -> Int { counts[table.name] ?? 0 }

    func changeSequence() throws(StoreError) -> Int64 { try file.changeSequence() }
}
