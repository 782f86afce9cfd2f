public import ArticleStore
public import BroadsheetPlatform

/// Moves databases that are not served from one engine to the other.
///
/// Everything is kept: histories, users, keys, sessions, secrets, the epoch. So tokens, cursors and
/// entity tags that clients have are still valid.
public enum EngineMigration {
    /// Copies a file into an empty PostgreSQL database. Neither of both can be served meanwhile. If
    /// this fails, or this process ends, the database is still empty.
    ///
    /// - Throws: ``StoreOpeningError``, ``MigrationError`` or ``StoreError``.
    public static func copy(
        file path: String, to address: PostgresAddress, system: SystemEnvironment,
        progress: @escaping MigrationReporter
    ) throws -> MigrationReport {
        let file = try DatabaseFile(path: path, mayCreate: false, isForReading: true)
        try file.verify(.bundled, mode: .existing)
        if file.hasJournal { throw StoreOpeningError.unfinished(path: file.path) }
        let connection = try file.reader()
        try connection.configureReader(SQLiteConfiguration())
        let version = try DatabaseSchema.version(on: connection)
        guard version == DatabaseSchema.bundled.version else {
            throw StoreOpeningError.older(path: file.path, version: version)
        }
        let rows = try SQLiteMigrationSource(connection)
        return try unwrapped { () throws(StoreError) in
            let migration = try ServerMigration(to: address, in: system, progress: progress)
            try rows.beginRead()
            _ = try migration.begin(with: rows)
            try migration.copy(rows)
            let report = try migration.verify(rows)
            try migration.commit()
            return report
        }
    }

    /// Copies a PostgreSQL database into an empty file, which is complete and flushed by its owner
    /// when this returns.
    ///
    /// - Parameter isOwned: true if no other process may serve the database meanwhile; otherwise,
    ///   the copy has the state at its beginning.
    /// - Throws: ``StoreOpeningError``, ``MigrationError`` or ``StoreError``.
    public static func copy(
        _ address: PostgresAddress, to destination: CopyDestination, isOwned: Bool,
        system: SystemEnvironment, progress: @escaping MigrationReporter
    ) throws -> MigrationReport {
        try unwrapped { () throws(StoreError) in
            let session = try PostgresSession(
                address, settings: PostgresConfiguration().migrationSettings)
            try session.checkSchema(of: address)
            if isOwned { try session.own(waitingFor: address, in: system) }
            let migration = try FileMigration(session, to: destination.take(), progress: progress)
            try migration.copy()
            return try migration.complete()
        }
    }

    /// Throws the reason of a rejection itself.
    private static func unwrapped<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws -> Value {
        do throws(StoreError) { return try body() } catch {
            if case .rejected(let reason) = error { throw reason }
            throw error
        }
    }
}

extension PostgresSession {
    /// Rejects a database that has not the schema of this version.
    fileprivate func checkSchema(of address: PostgresAddress) throws(StoreError) {
        try check()
        let (version, schema) = (try PostgresSchema.version(of: self), PostgresSchema.bundled)
        if version == 0 { throw .rejected(StoreOpeningError.missing(path: address.text)) }
        let fault = StoreOpeningError(
            version: version, at: address.text, supported: schema.versions)
        if let fault { throw .rejected(fault) }
        if version < schema.version {
            throw .rejected(StoreOpeningError.older(path: address.text, version: version))
        }
    }
}

extension PostgresStore {
    /// Opens the empty file for a copy of the database as of one committed state, which can be
    /// served like any other file.
    public func copy(into path: String) throws(StoreError) -> any StoreCopy {
        PostgresCopy(destination: try CopyDestination(path: path), exports: core.exports)
    }
}

/// A copy that is made beside reads and writes.
private struct PostgresCopy: StoreCopy {
    let destination: CopyDestination
    let exports: ExportReaders

    func make(
        progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError) {
        try await exports.read { (connection) throws(StoreError) in
            guard case .postgres(let session) = connection.engine else { return }
            let migration = try FileMigration(session, to: destination.take()) { step in
                guard case .copying(let rows, let total) = step else { return }
                progress(CopyProgress(pages: rows, total: total))
            }
            try migration.copy()
            _ = try migration.complete()
        }
    }
}
