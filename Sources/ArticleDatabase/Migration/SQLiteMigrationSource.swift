import ArticleStore
import BroadsheetSQLite

/// A SQLite file whose rows are read, or that is filled with rows, without knowledge of their
/// meaning.
///
/// Used by one thread at a time.
final class SQLiteMigrationSource {
    let connection: Connection
    let database: SQLiteDatabase<StoreError>

    /// - Parameter connection: a connection to SQLite.
    init(_ connection: Connection) throws(StoreError) {
        guard case .sqlite(let file) = connection.engine else {
            throw .unavailable("the connection is not to a file")
        }
        self.connection = connection
        database = file.database
    }

    // MARK: Reading

    /// Begins a transaction that sees one committed state until `endRead`.
    func beginRead() throws(StoreError) {
        try connection.execute(SQL.begin)
        // The transaction begins with its first read.
        _ = try DatabaseSchema.version(on: connection)
        _ = try changeSequence()
    }

    func endRead() { if connection.isInTransaction { try? connection.execute(SQL.commit) } }

    /// Calls the body with each row, which is valid during the call.
    func read(
        _ table: MigratedTable, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try SQLiteRowStatement(
            "SELECT \(table.columnList) FROM \(table.name)", columns: table.columnKinds,
            on: database)
        var row: [UInt8] = []
        while try statement.step() {
            statement.read(into: &row)
            try row.lend(body)
        }
    }

    /// Calls the body with the rows that have these keys, as far as there are any.
    func read(
        _ table: MigratedTable, keys: [[UInt8]],
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try SQLiteRowStatement(
            "SELECT \(table.columnList) FROM \(table.name) WHERE \(table.keyCondition)",
            parameters: table.keyKinds, columns: table.columnKinds, on: database)
        var row: [UInt8] = []
        for key in keys {
            statement.reset()
            try statement.bind(key)
            guard try statement.step() else { continue }
            statement.read(into: &row)
            try row.lend(body)
        }
    }

    func digest(of table: MigratedTable) throws(StoreError) -> TableDigest {
        var digest = TableDigest()
        try read(table) { (row) throws(StoreError) in digest.add(row) }
        return digest
    }

    func count(of table: MigratedTable) throws(StoreError) -> Int {
        Int(try database.number("SELECT count(*) FROM \(table.name)") ?? 0)
    }

    func changeSequence() throws(StoreError) -> Int64 {
        try database.number("SELECT coalesce(max(sequence), 0) FROM changes") ?? 0
    }
}

extension [UInt8] {
    func lend(
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let result: Result<Void, StoreError> = withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try body(bytes) }
        }
        try result.get()
    }
}
