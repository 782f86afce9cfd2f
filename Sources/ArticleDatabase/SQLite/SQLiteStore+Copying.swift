public import ArticleAPI
public import ArticleStore

extension SQLiteStore {
    public func copy(into path: String) throws(StoreError) -> any StoreCopy {
        SQLiteCopy(
            destination: try CopyDestination(path: path), commits: commits, writer: core.writer)
    }

    /// Copies a database that is not being served, without changing it.
    public static func copy(
        _ path: String, to destination: CopyDestination, progress: (CopyProgress) -> Void
    ) throws(StoreOpeningError) {
        let file = try DatabaseFile(path: path, mayCreate: false, isForReading: true)
        try file.verify(.bundled, mode: .existing)
        if file.hasJournal { throw .unfinished(path: file.path) }
        let connection = try file.reader()
        do throws(StoreError) {
            try connection.configureReader(SQLiteConfiguration())
            try connection.readTransaction(StoreLimits()) { (state) throws(StoreError) in
                // The transaction begins with its first read.
                _ = try DatabaseSchema.version(on: connection)
                let copy = try connection.copy(to: destination.take())
                while try !copy.step(pages: 256) { progress(copy.progress) }
                progress(copy.progress)
            }
        } catch .full { throw .noRoom } catch {
            throw .failed(path: file.path, reason: error.reason)
        }
    }

    /// Converts a copy to a standalone file without a write-ahead log and checks it.
    ///
    /// The copy's epoch is deleted: serving it begins a new history. Its sessions are deleted,
    /// too: some of them may end after the copy was made.
    ///
    /// - Throws: `.foreign` if the file is not a Broadsheet database, `.newer` or `.unsupported`
    ///   if its schema is not known.
    public static func settle(copy path: String) throws(StoreOpeningError) -> CheckReport {
        do throws(StoreError) {
            let connection = try Connection(path: path, access: .write)
            try connection.configure(cacheBytes: SQLiteConfiguration().readerCacheBytes)
            // In this order, no shared-memory file is created.
            try connection.execute(
                script: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE")
            let version = try DatabaseSchema.version(on: connection)
            let isOurs =
                try DatabaseSchema.application(on: connection) == DatabaseSchema.applicationID
            guard isOurs, version > 0 else {
                throw .rejected(StoreOpeningError.foreign(path: path))
            }
            let schema = DatabaseSchema.bundled
            if let fault = StoreOpeningError(
                version: version, at: path, supported: schema.versions)
            {
                throw .rejected(fault)
            }
            let report = try connection.examine(promises: version == schema.version)
            // A damaged file is reported, not changed.
            if report.findings.isEmpty {
                if version >= DatabaseSchema.firstVersionWithAccounts {
                    // Those that are used or revoked later would be valid again.
                    try connection.execute(SQL.endAllSessions)
                    try connection.execute(SQL.revokeAllInvitations)
                }
                try connection.execute(SQL.dropEpoch)
            }
            return report
        } catch .full { throw .noRoom } catch {
            if case .rejected(let error as StoreOpeningError) = error { throw error }
            if let report = CheckReport(ofCorrupt: error) { return report }
            throw StoreOpeningError(error, at: path)
        }
    }
}

/// A copy that the writer creates between its commits.
private struct SQLiteCopy: StoreCopy {
    let destination: CopyDestination
    let commits: SQLiteCommits
    let writer: CommitQueue

    func make(
        progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError) {
        try await commits.copy(to: destination, on: writer, progress)
    }
}

/// The changes to API keys when a backup replaces a database.
public struct RestoredKeys: Sendable {
    /// Keys that were revoked in the replaced database after the backup, and are therefore revoked
    /// in the restored one.
    public fileprivate(set) var revoked: [KeyRecord] = []
    /// Keys that are valid in the restored database but unknown in the replaced one.
    public fileprivate(set) var revived: [KeyRecord] = []
    /// True if the replaced database's keys could be read.
    public fileprivate(set) var areKnown = true
}

extension DatabaseReplacement {
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
        let row = try statement(SQL.keysOfAnyVersion)
        var keys: [KeyRecord] = []
        while try row.step() { keys.append(try KeyRecord(row)) }
        return keys
    }

    fileprivate func revoke(_ id: String, at time: Timestamp) throws(StoreError) {
        let row = try statement(SQL.revokeKey)
        try row.bind(1, id)
        try row.bind(2, time)
        try row.run()
    }
}
