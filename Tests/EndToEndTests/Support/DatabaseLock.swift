import BroadsheetTestSupport

/// A lock in a PostgreSQL database that somebody else holds, in a session of `psql`.
final class DatabaseLock {
    private let session: RunningProgram
    private let database: String
    private let name: String

    /// Takes the lock.
    ///
    /// - Parameter statement: takes it.
    init(_ statement: String, in database: String) throws {
        self.database = database
        name = try PostgresServer.shared.newName()
        session = try RunningProgram(
            "/usr/bin/env",
            [
                "psql", "-X", "-q", "\(database)&application_name=\(name)", "-c", "BEGIN",
                "-c", statement, "-c", #"\warn held"#, "-c", "SELECT pg_sleep(3600)",
            ])
        guard session.errors.next() == "held" else { throw TestFailure("there is no lock") }
    }

    deinit { try? release() }

    /// Returns true if another session waits for it.
    func isAwaited() throws -> Bool {
        let program = try RunningProgram(
            "/usr/bin/env",
            [
                "psql", "-X", "-q", "-t", "-A", database, "-c",
                """
                SELECT 'awaited' FROM pg_stat_activity AS holder, pg_stat_activity AS waiting
                WHERE holder.application_name = '\(name)'
                    AND holder.pid = ANY (pg_blocking_pids(waiting.pid))
                """,
            ])
        return program.output.next() == "awaited"
    }

    /// Ends the session.
    func release() throws {
        try PostgresServer.shared.run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE application_name = '\(name)'
            """)
    }
}
