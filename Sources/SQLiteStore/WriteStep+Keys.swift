import ArticleAPI
import ArticleStore

extension WriteStep {
    func createKey(_ key: KeyRecord) throws(StoreError) {
        guard try self.key(key.id) == nil else { throw .idTaken }
        let count = try connection.statement(SQL.liveKeyCount)
        try count.bind(1, key.createdAt)
        guard try count.step(), count.integer(0) < state.configuration.liveKeys else {
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
        try row.run()
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
        return key
    }

    /// The secret with this name; created with 32 bytes of the system's random generator if it does
    /// not exist.
    func secret(named name: String) throws(StoreError) -> [UInt8] {
        if let secret = try state.secret(named: name) { return secret }
        var random = SystemRandomNumberGenerator()
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let row = try connection.statement(SQL.insertSecret)
        try row.bind(1, name)
        try row.bind(2, secret)
        try row.run()
        return secret
    }

    private func key(_ id: String) throws(StoreError) -> KeyRecord? {
        let row = try connection.statement(SQL.key)
        try row.bind(1, id)
        return try row.step() ? KeyRecord(row) : nil
    }
}
