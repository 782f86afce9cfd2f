import ArticleStore

/// Copies a PostgreSQL database to a file, which is not visible before it is complete.
final class FileMigration {
    private let source: PostgresMigrationSource
    private let target: SQLiteMigrationTarget
    private let tables: [MigratedTable]
    private let progress: MigrationReporter
    /// The oldest transaction that the last one of the source may not have seen.
    private var oldest = ""

    /// - Parameters:
    ///   - session: of a database with the current schema.
    ///   - file: a connection to an empty file.
    init(
        _ session: PostgresSession, to file: Connection,
        progress: @escaping MigrationReporter
    ) throws(StoreError) {
        source = PostgresMigrationSource(session)
        target = try SQLiteMigrationTarget(file)
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
                    try counter.add()
                    try write(row)
                }
            }
        }
        try progress(.indexing)
        try target.index()
    }

    /// Lets go of the state that was copied.
    func endRead() { source.endRead() }

    /// Copies the commits since the last state, as of a new one, and returns the number of changed
    /// rows.
    ///
    /// A row that was removed leaves nothing behind. But once the changed rows are removed from the
    /// file, it has those that have not changed, and these others: if there are any, the numbers of
    /// rows differ, and only then are all keys compared.
    func follow() throws(StoreError) -> Int {
        let last = oldest
        oldest = try source.beginRead()
        var changes = 0
        var changed: [MigratedTable] = []
        for table in tables where !table.isDerived {
            let (all, count) = try source.counts(of: table, since: last)
            if count > 0 {
                try target.remove(from: table) { (remove) throws(StoreError) in
                    try source.readKeys(of: table, since: last, remove)
                }
                changed.append(table)
            }
            let excess = target.count(of: table) - (all - count)
            if excess > 0 {
                try target.keepOnly(in: table) { (keep) throws(StoreError) in
                    try source.readKeys(of: table, keep)
                }
            }
            changes += count + max(excess, 0)
        }
        for table in changed {
            try target.write(table) { (write) throws(StoreError) in
                try source.read(table, since: last, write)
            }
        }
        return changes
    }

    /// Verifies that the file has the rows of the state that was copied, and completes it.
    func complete() throws(StoreError) -> MigrationReport {
        try progress(.verifying)
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
