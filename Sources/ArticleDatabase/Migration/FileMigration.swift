import ArticleStore

/// Copies a PostgreSQL database to a file, of which nobody knows before it is complete.
final class FileMigration {
    private let source: RowServer
    private let target: FilledFile
    private let tables: [MigratedTable]
    private let progress: (MigrationProgress) -> Void
    /// What the last transaction of the source may not have seen.
    private var oldest = ""

    /// - Parameters:
    ///   - session: of a database with the current schema.
    ///   - file: a connection to an empty file.
    init(
        _ session: PostgresSession, to file: Connection,
        progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) {
        source = RowServer(session)
        target = try FilledFile(file)
        self.progress = progress
        tables = try target.tables(with: session)
    }

    /// Copies all rows as of one committed state, which is kept until `endRead`.
    func copy() throws(StoreError) {
        oldest = try source.beginRead()
        try target.begin(tables)
        var counter = RowCounter(progress)
        for table in tables where !table.isDerived { counter.total += try source.count(of: table) }
        for table in tables where !table.isDerived {
            try target.write(table) { (write) throws(StoreError) in
                try source.read(table) { (row) throws(StoreError) in
                    counter.add()
                    try write(row)
                }
            }
        }
        progress(.indexing)
        try target.index()
    }

    /// Verifies that the file has the rows of the state that was copied, and completes it.
    func complete() throws(StoreError) -> MigrationReport {
        progress(.verifying)
        let report = try MigrationReport(
            tables, sequences: (source.changeSequence(), target.changeSequence())
        ) { (table) throws(StoreError) in
            (try source.digest(of: table), try target.digest(of: table))
        }
        source.endRead()
        try target.complete()
        return report
    }
}
