import ArticleStore

/// Moves the database of a file to PostgreSQL.
///
/// Everything happens in one transaction there: until `commit`, the target is empty.
final class ServerMigration {
    private let target: FilledServer
    private let address: PostgresAddress
    private var tables: [MigratedTable] = []
    private let progress: (MigrationProgress) -> Void

    init(
        to address: PostgresAddress, progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) {
        target = try FilledServer(address)
        self.address = address
        self.progress = progress
    }

    /// Copies all rows of a file, which is in one committed state meanwhile.
    func copy(_ file: RowFile) throws(StoreError) {
        try target.begin()
        tables = try target.tables(with: file)
        try target.empty(tables)
        var counter = RowCounter(progress)
        for table in tables where !table.isDerived { counter.total += try file.count(of: table) }
        for table in tables where !table.isDerived {
            try target.write(table) { (write) throws(StoreError) in
                try file.read(table) { (row) throws(StoreError) in
                    counter.add()
                    try write(row)
                }
            }
        }
        progress(.indexing)
        try target.index()
    }

    /// Verifies that the target has the rows of the file.
    func verify(_ file: RowFile) throws(StoreError) -> MigrationReport {
        progress(.indexing)
        try target.complete(tables)
        progress(.verifying)
        return try MigrationReport(
            tables, sequences: (file.changeSequence(), target.changeSequence())
        ) { (table) throws(StoreError) in
            (try file.digest(of: table), try target.digest(of: table))
        }
    }

    func commit() throws(StoreError) { try target.commit(reconnecting: address) }
}

/// Counts rows, and reports some of the numbers.
struct RowCounter {
    var total = 0
    private var rows = 0
    private let progress: (MigrationProgress) -> Void
    private static let interval = 1_000

    init(_ progress: @escaping (MigrationProgress) -> Void) { self.progress = progress }

    mutating func add() {
        rows += 1
        if rows.isMultiple(of: Self.interval) { progress(.copying(rows: rows, of: total)) }
    }
}
