public import ArticleStore

extension PostgresStore {
    /// The maximum wait for a lock of others, and the time limit of one statement with several.
    private static let lockSettings = [("lock_timeout", "4000"), ("statement_timeout", "5000")]

    /// Finds out whether a process that opens the database now would wait: for the turn of a
    /// writer, which a write keeps that waits itself, or for a table that is locked.
    ///
    /// Call it in a process that is about to take over from another one, which serves meanwhile.
    ///
    /// - Throws: `.unreachable` if it would, or the database does not respond.
    public static func expectNoLocks(in address: PostgresAddress) throws(StoreOpeningError) {
        do throws(StoreError) {
            let session = try PostgresSession(address, settings: lockSettings)
            guard try PostgresSchema.version(of: session) > 0 else { return }
            do throws(StoreError) { try session.takeLocks() } catch {
                guard ["55P03", "57014"].contains(session.lastState) else { throw error }
                throw .rejected(
                    StoreOpeningError.unreachable(
                        path: address.text,
                        reason: "writes or reads wait for a lock that another session of "
                            + "PostgreSQL holds (pg_blocking_pids tells which); try again"))
            }
        } catch {
            throw StoreOpeningError(error, of: address)
        }
    }
}

extension PostgresSession {
    /// Takes the locks of a write and of reads of all tables, and gives them back.
    fileprivate func takeLocks() throws(StoreError) {
        _ = try beginWrite()
        // Nobody waits for this session while it waits for tables.
        _ = try run("ROLLBACK")
        let tables = try value(
            """
            SELECT string_agg(quote_ident(relname), ', ' ORDER BY relname)
            FROM pg_catalog.pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
                AND has_table_privilege(oid, 'SELECT')
            """)
        guard let tables else { return }
        _ = try run("BEGIN")
        _ = try run("LOCK TABLE \(tables) IN ACCESS SHARE MODE")
        _ = try run("ROLLBACK")
    }
}
