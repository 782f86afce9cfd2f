public import ArticleAPI
public import ArticleStore

/// The sessions of users, which are written without a change.
extension SQLStore {
    public func createSession(
        _ session: SessionRecord, expecting accessEpoch: Int
    ) async throws(StoreError) -> [String] {
        try await submit { (step) throws(StoreError) in
            try step.createSession(session, expecting: accessEpoch)
        }
    }

    public func session(_ id: String) async throws(StoreError) -> SessionRecord {
        try await read { (state) throws(StoreError) in
            guard let session = try state.session(id) else { throw .notFound }
            return session
        }
    }

    public func sessions(of user: UserRecord.ID) async throws(StoreError) -> [SessionRecord] {
        try await read { (state) throws(StoreError) in try state.sessions(of: user) }
    }

    public func allSessions(
        after id: String?, limit: Int
    ) async throws(StoreError) -> Slice<SessionRecord, String> {
        try await read { (state) throws(StoreError) in
            try state.allSessions(after: id, limit: limit)
        }
    }

    public func rotateSession(
        _ id: String, from digest: [UInt8], to tokens: TokenRecord, at time: Timestamp
    ) async throws(StoreError) -> SessionRotation {
        try await submit { (step) throws(StoreError) in
            try step.rotateSession(id, from: digest, to: tokens, at: time)
        }
    }

    public func recordTokenUse(
        ofSession id: String, _ refreshDigest: [UInt8], at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            let row = try step.connection.statement(SQL.recordTokenUse)
            try row.bind(1, id)
            try row.bind(2, refreshDigest)
            try row.bind(3, time)
            try row.run()
        }
    }

    public func endSession(_ id: String) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            guard try step.endSession(id) else { throw .notFound }
        }
    }

    public func endSessions(
        of user: UserRecord.ID, except kept: String?
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            guard let number = try step.state.userNumber(user) else { return }
            try step.endSessions(of: number, user, except: kept)
        }
    }

    public func endAllSessions() async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            step.connection.effects.add(.all)
            try step.connection.execute(SQL.endAllSessions)
        }
    }

    public func touchSessions(_ uses: [SessionUse]) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            for use in uses { try step.touchSession(use) }
        }
    }

    public func removeExpiredSessions(before time: Timestamp) async throws(StoreError) -> Int {
        try await submit { (step) throws(StoreError) in
            try step.removeExpiredSessions(before: time)
        }
    }
}

extension SQL {
    static let session: StaticString = """
        SELECT sessions.id, users.id, access_digest, refresh_digest, access_expires_at,
            expires_at, previous_digest, tokens_used_at, device, address, sessions.created_at,
            used_at
        FROM sessions JOIN users ON users.number = "user" WHERE sessions.id = ?1
        """
    static let sessionsOfUser: StaticString = """
        SELECT sessions.id, users.id, access_digest, refresh_digest, access_expires_at,
            expires_at, previous_digest, tokens_used_at, device, address, sessions.created_at,
            used_at
        FROM users JOIN sessions ON "user" = users.number WHERE users.id = ?1
        ORDER BY used_at DESC, sessions.id DESC
        """
    // LEFT JOIN keeps the order of the loops: sessions by their ids. Each has a user.
    static let sessionsAfter: StaticString = """
        SELECT sessions.id, users.id, access_digest, refresh_digest, access_expires_at,
            expires_at, previous_digest, tokens_used_at, device, address, sessions.created_at,
            used_at
        FROM sessions LEFT JOIN users ON users.number = "user" WHERE sessions.id > ?1
        ORDER BY sessions.id LIMIT ?2
        """
    static let sessionsByUse: StaticString = """
        SELECT id FROM sessions WHERE "user" = ?1 ORDER BY used_at DESC, id DESC
        """
    fileprivate static let insertSession: StaticString = """
        INSERT INTO sessions (id, "user", access_digest, refresh_digest, previous_digest,
            tokens_used_at, device, address, created_at, used_at, access_expires_at, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """
    static let rotateSession: StaticString = """
        UPDATE sessions SET access_digest = ?2, refresh_digest = ?3, access_expires_at = ?4,
            expires_at = ?5, previous_digest = ?7, tokens_used_at = NULL,
            used_at = CASE WHEN used_at < ?6 THEN ?6 ELSE used_at END
        WHERE id = ?1
        """
    static let recordTokenUse: StaticString = """
        UPDATE sessions SET tokens_used_at = ?3
        WHERE id = ?1 AND refresh_digest = ?2 AND previous_digest IS NOT NULL
            AND tokens_used_at IS NULL
        """
    static let touchSession: StaticString =
        "UPDATE sessions SET used_at = ?2, address = ?3 WHERE id = ?1 AND used_at <= ?2"
    static let endSession: StaticString = "DELETE FROM sessions WHERE id = ?1"
    static let endSessionsOfUser: StaticString = """
        DELETE FROM sessions WHERE "user" = ?1 AND id IS DISTINCT FROM ?2
        """
    static let endAllSessions: StaticString = "DELETE FROM sessions"
    static let removeExpiredSessions: StaticString = """
        DELETE FROM sessions WHERE id IN (
            SELECT id FROM sessions WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1000)
        """
}

extension SessionRecord {
    /// Reads the columns of `SQL.session`.
    fileprivate init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            id: row.text(0), user: try row.identifier(1),
            tokens: TokenRecord(
                accessDigest: row.bytes(2), refreshDigest: row.bytes(3),
                accessExpiresAt: row.time(4), expiresAt: row.time(5)),
            device: row.text(8), address: row.text(9), createdAt: row.time(10))
        previousRefreshDigest = row.isNull(6) ? nil : row.bytes(6)
        tokensUsedAt = row.optionalTime(7)
        usedAt = row.time(11)
    }
}

extension Snapshot {
    fileprivate func session(_ id: String) throws(StoreError) -> SessionRecord? {
        let row = try connection.statement(SQL.session)
        try row.bind(1, id)
        return try row.step() ? SessionRecord(row) : nil
    }

    func sessions(of user: UserRecord.ID) throws(StoreError) -> [SessionRecord] {
        let row = try connection.statement(SQL.sessionsOfUser)
        try row.bind(1, user)
        var sessions: [SessionRecord] = []
        while try row.step() { sessions.append(try SessionRecord(row)) }
        return sessions
    }

    fileprivate func allSessions(
        after id: String?, limit: Int
    ) throws(StoreError) -> Slice<SessionRecord, String> {
        let limit = min(max(limit, 1), 1_000)
        let row = try connection.statement(SQL.sessionsAfter)
        try row.bind(1, id ?? "")
        try row.bind(2, limit + 1)
        var page = Slice<SessionRecord, String>(items: [], next: nil)
        while try row.step() {
            guard page.items.count < limit else {
                page.next = page.items.last?.id
                break
            }
            page.items.append(try SessionRecord(row))
        }
        return page
    }
}

extension WriteStep {
    fileprivate func createSession(
        _ session: SessionRecord, expecting accessEpoch: Int
    ) throws(StoreError) -> [String] {
        let user = try state.user(session.user)
        guard !user.record.isDisabled else { throw .notFound }
        guard user.record.accessEpoch == accessEpoch else {
            throw .preconditionFailed(current: user.record.accessEpoch)
        }
        guard try state.session(session.id) == nil else { throw .idTaken }
        let ended = try leastUsedSessions(of: user.number)
        for id in ended { _ = try endSession(id) }
        try insert(session, of: user.number)
        return ended
    }

    /// The sessions that have to end so that the user can have one more.
    private func leastUsedSessions(of user: Int64) throws(StoreError) -> [String] {
        let row = try connection.statement(SQL.sessionsByUse)
        try row.bind(1, user)
        var ids: [String] = []
        while try row.step() { ids.append(row.text(0)) }
        return Array(ids.dropFirst(max(state.limits.sessionsPerUser - 1, 0)))
    }

    private func insert(_ session: SessionRecord, of user: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.insertSession)
        try row.bind(1, session.id)
        try row.bind(2, user)
        try row.bind(3, session.tokens.accessDigest)
        try row.bind(4, session.tokens.refreshDigest)
        if let previous = session.previousRefreshDigest { try row.bind(5, previous) }
        try row.bind(6, session.tokensUsedAt)
        try row.bind(7, session.device)
        try row.bind(8, session.address)
        try row.bind(9, session.createdAt)
        try row.bind(10, session.usedAt)
        try row.bind(11, session.tokens.accessExpiresAt)
        try row.bind(12, session.tokens.expiresAt)
        try row.run()
    }

    fileprivate func rotateSession(
        _ id: String, from digest: [UInt8], to tokens: TokenRecord, at time: Timestamp
    ) throws(StoreError) -> SessionRotation {
        guard var session = try state.session(id), session.tokens.expiresAt > time else {
            throw .notFound
        }
        if session.tokens.refreshDigest != digest {
            guard session.previousRefreshDigest == digest else { return .reused }
            guard session.tokensUsedAt == nil,
                session.tokens.refreshDigest == tokens.refreshDigest
            else { return .isPrevious(session) }
            // Nothing has to be written while the client can use what it gets.
            guard session.tokens.accessExpiresAt <= time else { return .rotated(session) }
        }
        session.previousRefreshDigest = digest
        session.tokensUsedAt = nil
        session.tokens = tokens
        session.usedAt = max(session.usedAt, time)
        let row = try connection.statement(SQL.rotateSession)
        try row.bind(1, id)
        try row.bind(2, tokens.accessDigest)
        try row.bind(3, tokens.refreshDigest)
        try row.bind(4, tokens.accessExpiresAt)
        try row.bind(5, tokens.expiresAt)
        try row.bind(6, time)
        try row.bind(7, digest)
        try row.run()
        connection.effects.add(.renewal(ofSession: id))
        return .rotated(session)
    }

    /// Returns whether there was such a session.
    fileprivate func endSession(_ id: String) throws(StoreError) -> Bool {
        // Nobody else has to know who is signed in to a file.
        if connection.isRemote, let session = try state.session(id) {
            connection.effects.add(.session(id, of: session.user))
        }
        let row = try connection.statement(SQL.endSession)
        try row.bind(1, id)
        try row.run()
        return connection.changedRows > 0
    }

    /// Ends the sessions of the user with this row and id.
    func endSessions(
        of number: Int64, _ user: UserRecord.ID, except kept: String?
    ) throws(StoreError) {
        connection.effects.add(.user(user, keeping: kept))
        let row = try connection.statement(SQL.endSessionsOfUser)
        try row.bind(1, number)
        try row.bind(2, kept)
        try row.run()
    }

    fileprivate func touchSession(_ use: SessionUse) throws(StoreError) {
        let row = try connection.statement(SQL.touchSession)
        try row.bind(1, use.session)
        try row.bind(2, use.time)
        try row.bind(3, use.address)
        try row.run()
    }

    fileprivate func removeExpiredSessions(before time: Timestamp) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.removeExpiredSessions)
        try row.bind(1, time)
        try row.run()
        return Int(connection.changedRows)
    }
}
