public import ArticleAPI
public import ArticleStore
import BroadsheetPlatform

/// API keys, and the store's own secrets.
extension SQLStore {
    public func keys() async throws(StoreError) -> [KeyRecord] {
        try await read { (state) throws(StoreError) in try state.keys() }
    }

    public func createKey(_ key: KeyRecord) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in try step.createKey(key) }
    }

    public func revokeKey(
        _ id: String, at time: Timestamp
    ) async throws(StoreError) -> KeyRecord {
        try await submit { (step) throws(StoreError) in
            try step.revokeKey(id, at: time)
        }
    }

    public func secret(named name: String) async throws(StoreError) -> [UInt8] {
        let found = try await read { (state) throws(StoreError) in
            try state.secret(named: name)
        }
        if let found { return found }
        let secret = core.system.randomBytes(32)
        return try await submit { (step) throws(StoreError) in
            try step.secret(named: name, else: secret)
        }
    }
}

extension SQL {
    static let keys: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at, owner FROM keys
        ORDER BY created_at, id
        """
    /// Without owners, so that it can be read before the file is migrated.
    static let keysOfAnyVersion: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at, NULL FROM keys
        ORDER BY created_at, id
        """
    fileprivate static let key: StaticString = """
        SELECT id, digest, name, role, created_at, expires_at, revoked_at, owner FROM keys
        WHERE id = ?1
        """
    fileprivate static let liveKeyCount: StaticString = """
        SELECT count(*) FROM keys
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)
        """
    fileprivate static let insertKey: StaticString = """
        INSERT INTO keys (id, digest, name, role, created_at, expires_at, revoked_at, owner)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    static let revokeKey: StaticString = "UPDATE keys SET revoked_at = ?2 WHERE id = ?1"
    fileprivate static let secret: StaticString = "SELECT value FROM secrets WHERE name = ?1"
    fileprivate static let insertSecret: StaticString =
        "INSERT INTO secrets (name, value) VALUES (?1, ?2)"
}

extension KeyRecord {
    /// Reads the columns of `SQL.keys`.
    init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            id: row.text(0), digest: row.bytes(1), name: row.text(2), role: row.text(3),
            createdAt: row.time(4), expiresAt: row.optionalTime(5), revokedAt: row.optionalTime(6),
            owner: row.isNull(7) ? nil : try row.identifier(7))
    }
}

extension Snapshot {
    func keys() throws(StoreError) -> [KeyRecord] {
        let row = try connection.statement(SQL.keys)
        var keys: [KeyRecord] = []
        while try row.step() { keys.append(try KeyRecord(row)) }
        return keys
    }

    func secret(named name: String) throws(StoreError) -> [UInt8]? {
        let row = try connection.statement(SQL.secret)
        try row.bind(1, name)
        return try row.step() ? row.bytes(0) : nil
    }
}

extension WriteStep {
    func createKey(_ key: KeyRecord) throws(StoreError) {
        guard try self.key(key.id) == nil else { throw .idTaken }
        let count = try connection.statement(SQL.liveKeyCount)
        try count.bind(1, key.createdAt)
        guard try count.step(), count.integer(0) < state.limits.liveKeys else {
            throw .tooMany("keys")
        }
        let row = try connection.statement(SQL.insertKey)
        try row.bind(1, key.id)
        try row.bind(2, key.digest)
        try row.bind(3, key.name)
        try row.bind(4, key.role)
        try row.bind(5, key.createdAt)
        try row.bind(6, key.expiresAt)
        try row.bind(7, key.revokedAt)
        if let owner = key.owner { try row.bind(8, owner) }
        try row.run()
        connection.effects.add(.key(key.id))
        // It may name an actor from an export.
        connection.names.forgetActors()
    }

    func revokeKey(_ id: String, at time: Timestamp) throws(StoreError) -> KeyRecord {
        guard var key = try key(id) else { throw .notFound }
        if key.revokedAt != nil { return key }
        key.revokedAt = time
        let row = try connection.statement(SQL.revokeKey)
        try row.bind(1, id)
        try row.bind(2, time)
        try row.run()
        connection.effects.add(.key(id))
        return key
    }

    /// The secret with this name; `secret` if it does not exist.
    func secret(named name: String, else secret: [UInt8]) throws(StoreError) -> [UInt8] {
        if let secret = try state.secret(named: name) { return secret }
        let row = try connection.statement(SQL.insertSecret)
        try row.bind(1, name)
        try row.bind(2, secret)
        try row.run()
        return secret
    }

    private func key(_ id: String) throws(StoreError) -> KeyRecord? {
        let row = try connection.statement(SQL.key)
        try row.bind(1, id)
        return try row.step() ? try KeyRecord(row) : nil
    }
}
