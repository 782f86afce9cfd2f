import ArticleStore
import BroadsheetPlatform
import Glibc

/// Moves the PostgreSQL database of a store that is in use to a file, which gets its name when it
/// is complete.
final class LiveServerMigration: OngoingMigration {
    private let store: PostgresStore
    private var place: DatabaseReplacement?
    private let path: String
    private var file: TemporaryFile?
    private var migration: FileMigration?
    /// The report of the verification, once the file is at its place.
    private var report: MigrationReport?

    init(_ store: PostgresStore, to place: DatabaseReplacement) {
        self.store = store
        self.place = place
        path = place.path
    }

    deinit { removeFile() }

    func copy(_ progress: @escaping MigrationReporter) throws(StoreError) {
        guard place?.isTaken == false else { throw .rejected(MigrationError.occupied(path)) }
        TemporaryFile.removeAbandoned(path)
        let file: TemporaryFile
        do throws(SystemError) { file = try TemporaryFile(path) } catch {
            throw .unavailable("\(path): \(error)")
        }
        self.file = file
        let session = try PostgresSession(
            store.address, settings: PostgresConfiguration().migrationSettings)
        try checkIsAlone(session)
        let migration = try FileMigration(
            session, to: Connection(path: file.path, access: .write), progress: progress)
        self.migration = migration
        try migration.copy()
        migration.endRead()
    }

    /// Checks that no other server uses the database: its writes cannot be stopped.
    private func checkIsAlone(_ session: PostgresSession) throws(StoreError) {
        guard try session.countOfUsers() <= 1 else {
            throw .rejected(StoreOpeningError.owned(path: store.address.text))
        }
    }

    func follow() throws(StoreError) -> Int {
        guard let migration else { return 0 }
        defer { migration.endRead() }
        return try migration.follow()
    }

    func complete() throws(StoreError) -> MigrationReport {
        guard let migration, let file, let place else { throw .unavailable("there is no copy") }
        store.core.writer.reject(.moving)
        store.core.writer.waitUntilIdle()
        try checkIsAlone(
            PostgresSession(
                store.address, settings: PostgresConfiguration().migrationSettings))
        _ = try migration.follow()
        let report = try migration.complete()
        // The file is closed before it is moved.
        self.migration = nil
        do throws(StoreOpeningError) {
            try place.put(file.path, keepingOldAs: path + ".empty")
        } catch { throw .rejected(error) }
        self.report = report
        // It can be served from now on.
        self.place = nil
        removeFile()
        return report
    }

    func abandon() {
        migration = nil
        if let report { removeTarget(report) }
        removeFile()
        store.core.writer.reject(nil)
    }

    /// Removes the complete file, unless it has been written to since, or is in use.
    private func removeTarget(_ report: MigrationReport) {
        guard let place = try? DatabaseReplacement(path: path),
            let connection = try? place.file.reader(),
            let sequence = try? SQLiteMigrationSource(connection).changeSequence(),
            sequence == report.sequence
        else { return }
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
    }

    private func removeFile() {
        guard let file else { return }
        for ending in ["", "-journal"] { unlink(file.path + ending) }
        close(file.descriptor)
        self.file = nil
    }
}
