import ArticleAPI
public import ArticleStore

/// Invitations, which are written without a change.
extension SQLStore {
    public func createInvitation(_ invitation: InvitationRecord) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.createInvitation(invitation)
        }
    }

    public func invitations() async throws(StoreError) -> [InvitationRecord] {
        try await read { (state) throws(StoreError) in try state.invitations() }
    }

    public func invitation(
        withDigest digest: [UInt8]
    ) async throws(StoreError) -> InvitationRecord {
        try await read { (state) throws(StoreError) in
            guard let found = try state.invitation(withDigest: digest) else { throw .notFound }
            return found
        }
    }

    public func revokeInvitation(_ id: String) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in try step.revokeInvitation(id) }
    }
}

extension SQL {
    // There are few: both kinds are limited.
    fileprivate static let invitations: StaticString = """
        SELECT invitations.id, digest, invitations.role, created_by, invitations.created_at,
            expires_at, used_at, users.id
        FROM invitations LEFT JOIN users ON users.number = used_by
        ORDER BY invitations.created_at, invitations.id
        """
    static let invitationByDigest: StaticString = """
        SELECT invitations.id, digest, invitations.role, created_by, invitations.created_at,
            expires_at, used_at, users.id
        FROM invitations LEFT JOIN users ON users.number = used_by WHERE digest = ?1
        """
    static let invitationOfUser: StaticString = """
        SELECT invitations.id, digest, invitations.role, created_by, invitations.created_at,
            expires_at, used_at, users.id
        FROM invitations JOIN users ON users.number = used_by WHERE used_by = ?1
        """
    static let isInvitation: StaticString = "SELECT 1 FROM invitations WHERE id = ?1"
    static let usableInvitation: StaticString =
        "SELECT 1 FROM invitations WHERE id = ?1 AND used_at IS NULL AND expires_at > ?2"
    static let removeExpiredInvitations: StaticString =
        "DELETE FROM invitations WHERE used_at IS NULL AND expires_at <= ?1"
    static let unusedInvitationCount: StaticString =
        "SELECT count(*) FROM invitations WHERE used_at IS NULL AND expires_at > ?1"
    fileprivate static let insertInvitation: StaticString = """
        INSERT INTO invitations (id, digest, role, created_by, created_at, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """
    static let useInvitation: StaticString =
        "UPDATE invitations SET used_at = ?2, used_by = ?3 WHERE id = ?1"
    static let removeOldInvitations: StaticString = """
        DELETE FROM invitations WHERE rowid IN (
            SELECT rowid FROM invitations WHERE used_at IS NOT NULL
            ORDER BY used_at DESC, rowid DESC LIMIT 1000000000 OFFSET ?1)
        """
    static let revokeInvitation: StaticString =
        "DELETE FROM invitations WHERE id = ?1 AND used_at IS NULL"
    static let revokeAllInvitations: StaticString =
        "DELETE FROM invitations WHERE used_at IS NULL"
    static let forgetInvited: StaticString =
        "UPDATE invitations SET used_by = NULL WHERE used_by = ?1"
}

extension InvitationRecord {
    /// Reads the columns of `SQL.invitations`.
    fileprivate init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            id: row.text(0), digest: row.bytes(1), role: row.text(2), createdBy: row.text(3),
            createdAt: row.time(4), expiresAt: row.time(5))
        usedAt = row.optionalTime(6)
        usedBy = row.isNull(7) ? nil : try row.identifier(7)
    }
}

extension Snapshot {
    fileprivate func invitations() throws(StoreError) -> [InvitationRecord] {
        let row = try connection.statement(SQL.invitations)
        var invitations: [InvitationRecord] = []
        while try row.step() { invitations.append(try InvitationRecord(row)) }
        return invitations
    }

    /// The invitation that was used for the user with this row, if it is kept.
    func invitation(usedFor user: Int64) throws(StoreError) -> InvitationRecord? {
        let row = try connection.statement(SQL.invitationOfUser)
        try row.bind(1, user)
        return try row.step() ? InvitationRecord(row) : nil
    }

    fileprivate func invitation(
        withDigest digest: [UInt8]
    ) throws(StoreError) -> InvitationRecord? {
        let row = try connection.statement(SQL.invitationByDigest)
        try row.bind(1, digest)
        return try row.step() ? InvitationRecord(row) : nil
    }
}

extension WriteStep {
    fileprivate func createInvitation(_ invitation: InvitationRecord) throws(StoreError) {
        let sameID = try connection.statement(SQL.isInvitation)
        try sameID.bind(1, invitation.id)
        guard try !sameID.step(), try state.invitation(withDigest: invitation.digest) == nil else {
            throw .idTaken
        }
        let count = try connection.statement(SQL.unusedInvitationCount)
        try count.bind(1, invitation.createdAt)
        guard try count.step(), count.integer(0) < state.limits.unusedInvitations else {
            throw .tooMany("invitations")
        }
        let expired = try connection.statement(SQL.removeExpiredInvitations)
        try expired.bind(1, invitation.createdAt)
        try expired.run()
        let row = try connection.statement(SQL.insertInvitation)
        try row.bind(1, invitation.id)
        try row.bind(2, invitation.digest)
        try row.bind(3, invitation.role)
        try row.bind(4, invitation.createdBy)
        try row.bind(5, invitation.createdAt)
        try row.bind(6, invitation.expiresAt)
        try row.run()
    }

    /// Throws `.notFound` unless the invitation can be used.
    func checkInvitation(_ id: String, at time: Timestamp) throws(StoreError) {
        let row = try connection.statement(SQL.usableInvitation)
        try row.bind(1, id)
        try row.bind(2, time)
        guard try row.step() else { throw .notFound }
    }

    /// Uses up the invitation for the user with this row.
    func useInvitation(
        _ id: String, for user: Int64, at time: Timestamp
    ) throws(StoreError) {
        let row = try connection.statement(SQL.useInvitation)
        try row.bind(1, id)
        try row.bind(2, time)
        try row.bind(3, user)
        try row.run()
        let old = try connection.statement(SQL.removeOldInvitations)
        try old.bind(1, state.limits.usedInvitations)
        try old.run()
    }

    fileprivate func revokeInvitation(_ id: String) throws(StoreError) {
        let row = try connection.statement(SQL.revokeInvitation)
        try row.bind(1, id)
        try row.run()
        guard connection.changedRows > 0 else { throw .notFound }
    }

    /// Invitations that were used for the user with this row no longer name the user.
    func forgetInvited(_ user: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.forgetInvited)
        try row.bind(1, user)
        try row.run()
    }
}
