import ArticleStore

/// A PostgreSQL database whose rows are read without knowledge of their meaning.
///
/// Used by one thread at a time.
final class PostgresMigrationSource {
    let session: PostgresSession

    init(_ session: PostgresSession) { self.session = session }

    // MARK: States

    /// Begins a transaction that sees one committed state until `endRead`, and returns the oldest
    /// transaction that it may not see: rows that were written since have no older one.
    func beginRead() throws(StoreError) -> String {
        _ = try session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let oldest = try session.value(
            "SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text")
        guard let oldest else { throw .corrupt("there is no snapshot") }
        return oldest
    }

    func endRead() { if session.isInTransaction { _ = try? session.run("COMMIT") } }

    // MARK: Rows

    /// Calls the body with each row, which is valid during the call.
    ///
    /// - Parameter oldest: only rows that were written by this transaction or later ones. Some
    ///   older ones may be among them.
    func read(
        _ table: MigratedTable, since oldest: String? = nil,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let condition = Self.condition(oldest)
        try session.read(
            rowsOf: "SELECT \(table.columnList) FROM \(table.name)\(condition)", body)
    }

    /// The same with the primary keys alone.
    func readKeys(
        of table: MigratedTable, since oldest: String? = nil,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let condition = Self.condition(oldest)
        try session.read(
            rowsOf: "SELECT \(table.keyList) FROM \(table.name)\(condition)", body)
    }

    /// Transactions have numbers of 32 bits, which are compared by their distance.
    private static func condition(_ oldest: String?) -> String {
        oldest.map { " WHERE age(xmin) <= age('\($0)'::xid)" } ?? ""
    }

    func count(of table: MigratedTable) throws(StoreError) -> Int {
        try session.value("SELECT count(*) FROM \(table.name)").flatMap { Int($0) } ?? 0
    }

    /// The number of rows, and of those among them that this transaction or later ones wrote.
    func counts(
        of table: MigratedTable, since oldest: String
    ) throws(StoreError) -> (all: Int, changed: Int) {
        let result = try session.run(
            """
            SELECT count(*), count(*) FILTER (\(Self.condition(oldest))) FROM \(table.name)
            """)
        return (Int(result.text(0, 0)) ?? 0, Int(result.text(0, 1)) ?? 0)
    }

    func digest(of table: MigratedTable) throws(StoreError) -> TableDigest {
        var digest = TableDigest()
        try read(table) { (row) throws(StoreError) in digest.add(row) }
        return digest
    }

    func changeSequence() throws(StoreError) -> Int64 {
        try session.value("SELECT coalesce(max(sequence), 0) FROM changes")
            .flatMap { Int64($0) } ?? 0
    }
}
