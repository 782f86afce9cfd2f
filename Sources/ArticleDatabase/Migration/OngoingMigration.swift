public import ArticleStore

/// The migration of a store that is in use.
///
/// Its functions are called on one thread, in this order; `follow` repeatedly. They block it.
public protocol OngoingMigration: AnyObject {
    /// Copies everything that was committed before the end of the copy, or later.
    ///
    /// - Throws: ``StoreError``.
    func copy(_ progress: @escaping MigrationReporter) throws(StoreError)

    /// Copies the commits since, and returns the number of changed rows.
    func follow() throws(StoreError) -> Int

    /// Rejects further writes, copies the rest, verifies everything, and makes the target a
    /// database that can be served.
    ///
    /// - Throws: as `copy`; the store still rejects writes, until `abandon`.
    func complete() throws(StoreError) -> MigrationReport

    /// Removes the target, and makes the store accept writes again: they go where they went before.
    func abandon()
}

extension SQLStore {
    /// Prepares to move the store to a value of `--database`: a PostgreSQL database if it is a
    /// file, a file if it is a PostgreSQL database.
    ///
    /// - Throws: `.rejected` with the reason why this is impossible.
    public func migration(to target: String) throws(StoreError) -> any OngoingMigration {
        do throws(StoreOpeningError) {
            switch self {
            case let store as SQLiteStore where PostgresAddress.isAddress(target):
                return LiveFileMigration(store, to: try PostgresAddress(target))
            case let store as PostgresStore where !PostgresAddress.isAddress(target):
                return LiveServerMigration(store, to: try DatabaseReplacement(path: target))
            default: break
            }
        } catch { throw .rejected(error) }
        throw .rejected(MigrationError.sameEngine)
    }
}
