import ArticleStore

/// Transactions, each begun in one round trip with what has to be known first.
extension PostgresSession {
    /// Begins a transaction that sees one committed state. Returns the number of commits before it.
    func beginRead() throws(StoreError) -> Int64 {
        let result = try run(
            """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SELECT commits FROM commit_clock WHERE number = 1
            """)
        return try commits(result)
    }

    /// Begins a transaction that excludes all other writers, of this and of other programs: it
    /// waits for the row of the clock. Statements after this see what the writers before it have
    /// committed.
    func beginWrite() throws(StoreError) -> (commits: Int64, transaction: String) {
        let result = try run(
            """
            BEGIN ISOLATION LEVEL READ COMMITTED;
            SELECT commits, pg_current_xact_id() FROM commit_clock WHERE number = 1 FOR UPDATE
            """)
        return (try commits(result), result.text(0, 1))
    }

    /// Commits the transaction of `beginWrite`.
    func commitWrite() throws(StoreError) {
        _ = try run("UPDATE commit_clock SET commits = commits + 1 WHERE number = 1; COMMIT")
    }

    /// What became of a transaction whose connection was lost (`pg_xact_status`): `committed`,
    /// `aborted`, or `in progress`; `nil` if it is too long ago.
    func status(ofTransaction id: String) throws(StoreError) -> String? {
        let result = try run("SELECT pg_xact_status('\(id)'::xid8)")
        return result.rows == 1 && !result.isNull(0, 0) ? result.text(0, 0) : nil
    }

    private func commits(_ result: PostgresResult) throws(StoreError) -> Int64 {
        guard result.rows == 1, let commits = Int64(result.text(0, 0)) else {
            throw .corrupt("the clock of commits is missing")
        }
        return commits
    }

    /// The first column of the first row; `nil` if there is none.
    func value(_ text: String) throws(StoreError) -> String? {
        let result = try run(text)
        return result.rows > 0 && !result.isNull(0, 0) ? result.text(0, 0) : nil
    }
}
