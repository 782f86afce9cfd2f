public import ArticleAPI
public import ArticleStore

/// The changes to API keys when a backup replaces a database.
public struct RestoredKeys: Sendable {
    /// Keys that were revoked in the replaced database after the backup, and are therefore revoked
    /// in the restored one.
    public fileprivate(set) var revoked: [KeyRecord] = []
    /// Keys that are valid in the restored database but unknown in the replaced one.
    public fileprivate(set) var revived: [KeyRecord] = []
    /// Whether the replaced database's keys could be read.
    public fileprivate(set) var areKnown = true
}

extension DatabasePlace {
    /// Revokes keys in the copy that are revoked in the database that it replaces: a backup must
    /// not reactivate revoked keys.
    ///
    /// - Parameter time: the current time; expired keys are ignored.
    public func carryRevocations(
        into copy: String, at time: Timestamp
    ) throws(StoreOpeningError) -> RestoredKeys {
        var result = RestoredKeys()
        guard isTaken else { return result }
        let replaced = replacedKeys()
        result.areKnown = replaced != nil
        do throws(StoreError) {
            let connection = try Connection(path: copy, access: .write)
            try connection.execute(script: "PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
            for key in try connection.keys() where key.revokedAt == nil {
                guard let known = replaced?.first(where: { $0.digest == key.digest }) else {
                    if key.expiresAt.map({ $0 > time }) ?? true { result.revived.append(key) }
                    continue
                }
                guard let revokedAt = known.revokedAt else { continue }
                try connection.revoke(key.id, at: revokedAt)
                result.revoked.append(known)
            }
            try connection.execute(script: "COMMIT")
        } catch { throw StoreOpeningError(error, at: copy) }
        return result
    }

    /// `nil` if the file to be replaced is damaged or is not a Broadsheet database.
    private func replacedKeys() -> [KeyRecord]? {
        guard let connection = try? file.reader() else { return nil }
        return try? connection.keys()
    }
}

extension Connection {
    fileprivate func keys() throws(StoreError) -> [KeyRecord] {
        let row = try statement(SQL.keys)
        var keys: [KeyRecord] = []
        while try row.step() { keys.append(KeyRecord(row)) }
        return keys
    }

    fileprivate func revoke(_ id: String, at time: Timestamp) throws(StoreError) {
        let row = try statement(SQL.revokeKey)
        try row.bind(1, id)
        try row.bind(2, time)
        try row.run()
    }
}
