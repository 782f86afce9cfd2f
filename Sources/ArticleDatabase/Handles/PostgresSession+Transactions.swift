import ArticleStore

/// A commit in the history of a database, by its number and by the mark that proves it. The number
/// of a commit that the database lost is given again.
struct NumberedCommit: Hashable {
    var number: Int64 = 0
    /// 0 if it is not known.
    var mark: Int64 = 0
}

/// Transactions, each begun in one round trip with the values that have to be known first.
extension PostgresSession {
    /// Begins a transaction that sees one committed state. Returns the commit before it.
    func beginRead() throws(StoreError) -> NumberedCommit {
        let result = try run(
            """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SELECT commits, mark FROM commit_clock WHERE number = 1
            """)
        return try commit(result)
    }

    /// Begins a transaction that excludes all other writers, of this and of other programs: it
    /// waits for the row of the clock. Statements after this see the commits of the writers before
    /// it. Returns the commit before it.
    func beginWrite() throws(StoreError) -> NumberedCommit {
        let result = try run(
            """
            BEGIN ISOLATION LEVEL READ COMMITTED;
            SELECT commits, mark FROM commit_clock WHERE number = 1 FOR UPDATE
            """)
        return try commit(result)
    }

    /// Commits the transaction of `beginWrite`, as the commit with this number.
    ///
    /// It has no time limit: that of statements does not apply to COMMIT, which waits for a
    /// synchronous standby.
    ///
    /// - Parameters:
    ///   - mark: a random number, which distinguishes it from others.
    ///   - notes: the notes for other processes (`CommitPayload`), without quotes.
    func commitWrite(_ number: Int64, mark: Int64, notes: String?) throws(StoreError) {
        let notes = notes.map { "'\($0)'" } ?? "NULL"
        _ = try run(
            """
            UPDATE commit_clock SET commits = \(number), mark = \(mark) WHERE number = 1;
            INSERT INTO commit_marks (number, mark, notes) VALUES (\(number), \(mark), \(notes));
            DELETE FROM commit_marks WHERE number <= \(number - Self.keptMarks);
            SELECT pg_notify(\(Self.channel), '\(number)'); COMMIT
            """)
    }

    /// The number of marks kept: far more commits than can follow one while its writer asks for its
    /// outcome, or another process reads its notes.
    static let keptMarks: Int64 = 10_000
    /// The channel on which each commit announces its number, as an expression: one of this schema.
    static let channel = "'broadsheet_' || hashtext(current_schema())"

    /// Returns true if there was a commit with this number and mark, once the transaction that may
    /// have made it has ended.
    func hasCommit(_ number: Int64, mark: Int64) throws(StoreError) -> Bool {
        // Its transaction has the row of the clock until it ends.
        _ = try beginWrite()
        let found = try value("SELECT mark FROM commit_marks WHERE number = \(number)")
        _ = try run("ROLLBACK")
        return found == String(mark)
    }

    /// Returns the outcome of a transaction whose connection was lost (`pg_xact_status`):
    /// `committed`, `aborted`, or `in progress`; `nil` if it is too long ago.
    func status(ofTransaction id: String) throws(StoreError) -> String? {
        let result = try run("SELECT pg_xact_status('\(id)'::xid8)")
        return result.rows == 1 && !result.isNull(0, 0) ? result.text(0, 0) : nil
    }

    private func commit(_ result: PostgresResult) throws(StoreError) -> NumberedCommit {
        guard result.rows == 1, let number = Int64(result.text(0, 0)) else {
            throw .corrupt("the clock of commits is missing")
        }
        return NumberedCommit(number: number, mark: Int64(result.text(0, 1)) ?? 0)
    }

    /// The first column of the first row; `nil` if there is none.
    func value(_ text: String) throws(StoreError) -> String? {
        let result = try run(text)
        return result.rows > 0 && !result.isNull(0, 0) ? result.text(0, 0) : nil
    }
}
