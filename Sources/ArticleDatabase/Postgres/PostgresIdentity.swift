import ArticleStore

/// The server that has a database. Another one may lack commits: the database was restored there,
/// or a standby was promoted that had not received them.
struct PostgresIdentity: Hashable {
    /// `pg_control_system()`: the same for a server and its physical replicas.
    let system: Int64
    /// Increases with each promotion, and with each recovery to an earlier time.
    let timeline: Int64

    /// `nil` if the role may not know it.
    init?(of session: PostgresSession) {
        let timeline =
            "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"
        guard
            let row = try? session.run(
                "SELECT system_identifier, \(timeline) FROM pg_control_system()"),
            row.rows == 1, let system = Int64(row.text(0, 0)), let number = Int64(row.text(0, 1))
        else { return nil }
        (self.system, self.timeline) = (system, number)
    }

    /// Returns true if this server had the database before, or none is known; this one is then
    /// recorded.
    func isKnown(to session: PostgresSession) throws(StoreError) -> Bool {
        let found = try session.run("SELECT system, timeline FROM commit_clock WHERE number = 1")
        guard found.rows == 1, !found.isNull(0, 0) else {
            _ = try session.run(
                "UPDATE commit_clock SET system = \(system), timeline = \(timeline)")
            return true
        }
        return found.text(0, 0) == "\(system)" && found.text(0, 1) == "\(timeline)"
    }
}

extension SQL {
    // Only PostgreSQL has a clock of commits.
    fileprivate static let identity: StaticString =
        "SELECT system, timeline FROM commit_clock WHERE number = 1"
    fileprivate static let setIdentity: StaticString =
        "UPDATE commit_clock SET system = ?1, timeline = ?2 WHERE number = 1"
}

extension WriteStep {
    /// Notes the server of the database; `false` if another one had it before.
    func note(_ identity: PostgresIdentity) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.identity)
        guard try row.step() else { throw .corrupt("the clock of commits is missing") }
        let isKnown = !row.isNull(0)
        if isKnown, row.integer(0) == identity.system, row.integer(1) == identity.timeline {
            return true
        }
        let update = try connection.statement(SQL.setIdentity)
        try update.bind(1, identity.system)
        try update.bind(2, identity.timeline)
        try update.run()
        return !isKnown
    }
}
