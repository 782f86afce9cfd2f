import ArticleStore
import BroadsheetPlatform

/// Moves the database of a file to PostgreSQL.
///
/// Everything happens in one transaction there: until `commit`, the target is empty.
final class ServerMigration {
    private let target: PostgresMigrationTarget
    private var tables: [MigratedTable] = []
    private let progress: MigrationReporter

    init(
        to address: PostgresAddress, in system: SystemEnvironment,
        progress: @escaping MigrationReporter
    ) throws(StoreError) {
        target = try PostgresMigrationTarget(address, system)
        self.progress = progress
    }

    /// Creates the tables, which are those of the file.
    func begin(with file: SQLiteMigrationSource) throws(StoreError) -> [MigratedTable] {
        try target.begin()
        tables = try target.tables(with: file)
        try target.empty(tables)
        return tables
    }

    /// Copies all rows of a file, which is in one committed state meanwhile.
    func copy(_ file: SQLiteMigrationSource) throws(StoreError) {
        var counter = RowCounter(progress)
        for table in tables where !table.isDerived { counter.total += try file.count(of: table) }
        for table in tables where !table.isDerived {
            try target.write(table) { (write) throws(StoreError) in
                try file.read(table) { (row) throws(StoreError) in
                    try counter.add()
                    try write(row)
                }
            }
        }
        try progress(.indexing)
        try target.index()
    }

    /// Removes the rows with these keys.
    func remove(_ keys: [[UInt8]], from table: MigratedTable) throws(StoreError) {
        try target.remove(keys, from: table)
    }

    /// Copies the rows with these keys, as far as the file has any.
    func add(
        _ keys: [[UInt8]], of table: MigratedTable, from file: SQLiteMigrationSource
    ) throws(StoreError) {
        try target.write(table) { (write) throws(StoreError) in
            try file.read(table, keys: keys, write)
        }
    }

    /// Verifies that the target has the rows of the file.
    func verify(_ file: SQLiteMigrationSource) throws(StoreError) -> MigrationReport {
        try progress(.indexing)
        try target.complete(tables)
        try progress(.verifying)
        return try MigrationReport(
            tables, sequences: (file.changeSequence(), target.changeSequence())
        ) { (table) throws(StoreError) in
            (try file.digest(of: table), try target.digest(of: table))
        }
    }

    func commit() throws(StoreError) { try target.commit() }
}

/// Counts rows, and reports some of the numbers.
struct RowCounter {
    var total = 0
    private var rows = 0
    private let progress: MigrationReporter
    private static let interval = 1_000

    init(_ progress: @escaping MigrationReporter) { self.progress = progress }

    mutating func add() throws(StoreError) {
        rows += 1
        if rows.isMultiple(of: Self.interval) { try progress(.copying(rows: rows, of: total)) }
    }
}
