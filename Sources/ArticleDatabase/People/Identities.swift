public import ArticleAPI
public import ArticleStore

/// The identities of users, which are written without a change.
extension SQLStore {
    public func user(
        identifiedBy identity: IdentityRecord
    ) async throws(StoreError) -> UserRecord {
        try await read { (state) throws(StoreError) in
            guard let user = try state.user(identifiedBy: identity) else { throw .notFound }
            return user
        }
    }

    public func createUser(
        _ user: UserRecord, using invitation: String?, identity: IdentityRecord,
        at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            guard try step.state.user(identifiedBy: identity) == nil else {
                throw .identityTaken
            }
            let number = try step.createUser(user, using: invitation, at: time)
            try step.insert(identity, of: number)
        }
    }

    public func useIdentityToken(
        _ digest: [UInt8], until expiry: Timestamp, at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.useToken(digest, until: expiry, at: time)
        }
    }
}

extension SQL {
    static let userByIdentity: StaticString = """
        SELECT users.number, id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch
        FROM identities JOIN users ON users.number = "user" WHERE issuer = ?1 AND subject = ?2
        """
    fileprivate static let insertIdentity: StaticString = """
        INSERT INTO identities (issuer, subject, "user") VALUES (?1, ?2, ?3)
        """
    static let forgetIdentities: StaticString = """
        DELETE FROM identities WHERE "user" = ?1
        """
    static let forgetUsedTokens: StaticString = "DELETE FROM used_tokens WHERE expires_at <= ?1"
    static let isUsedToken: StaticString = "SELECT 1 FROM used_tokens WHERE digest = ?1"
    static let usedTokenCount: StaticString =
        "SELECT value FROM used_token_count WHERE number = 1"
    fileprivate static let insertUsedToken: StaticString =
        "INSERT INTO used_tokens (digest, expires_at) VALUES (?1, ?2)"
}

extension Snapshot {
    func user(identifiedBy identity: IdentityRecord) throws(StoreError) -> UserRecord? {
        let row = try connection.statement(SQL.userByIdentity)
        try row.bind(1, identity.issuer)
        try row.bind(2, identity.subject)
        return try row.step() ? StoredUser(row).record : nil
    }
}

extension WriteStep {
    func insert(
        _ identity: IdentityRecord, of user: Int64
    ) throws(StoreError) {
        let row = try connection.statement(SQL.insertIdentity)
        try row.bind(1, identity.issuer)
        try row.bind(2, identity.subject)
        try row.bind(3, user)
        try row.run()
    }

    /// The user with this row no longer has any identities.
    func forgetIdentities(of user: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.forgetIdentities)
        try row.bind(1, user)
        try row.run()
    }

    fileprivate func useToken(
        _ digest: [UInt8], until expiry: Timestamp, at time: Timestamp
    ) throws(StoreError) {
        let used = try connection.statement(SQL.isUsedToken)
        try used.bind(1, digest)
        // One that has expired would be forgotten by the next use, and could be used again.
        guard try !used.step(), time < expiry else { throw .tokenUsed }
        let expired = try connection.statement(SQL.forgetUsedTokens)
        try expired.bind(1, time)
        try expired.run()
        let count = try connection.statement(SQL.usedTokenCount)
        guard try count.step() else { throw .corrupt("the number of used tokens is missing") }
        guard count.integer(0) < state.limits.usedTokens else {
            throw .tooMany("used identity tokens")
        }
        let row = try connection.statement(SQL.insertUsedToken)
        try row.bind(1, digest)
        try row.bind(2, expiry)
        try row.run()
    }
}
