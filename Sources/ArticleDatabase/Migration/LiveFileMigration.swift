import ArticleStore
import BroadsheetPlatform
import Glibc

/// Moves the file of a store that is in use to PostgreSQL.
///
/// A copy of the file, made between commits, is the source of the first rows. Changed rows are
/// those whose keys the writer's connection notes; they are read in one state of the file, that of
/// the moment when their keys are taken.
final class LiveFileMigration: OngoingMigration {
    private let store: SQLiteStore
    private let address: PostgresAddress
    private var migration: ServerMigration?
    private var reader: SQLiteMigrationSource?
    private var touched: ChangedRowKeys?
    private var isCommitted = false

    /// A value used by the writer's thread while this one waits.
    private struct BorrowedState<Value>: @unchecked Sendable {
        // Its owner waits until the borrower is done.
        let value: Value
    }

    init(_ store: SQLiteStore, to address: PostgresAddress) {
        self.store = store
        self.address = address
    }

    func copy(_ progress: @escaping MigrationReporter) throws(StoreError) {
        let reader = try SQLiteMigrationSource(
            Connection(readerOf: store.path, store.configuration))
        let migration = try ServerMigration(to: address, in: store.core.system) {
            [weak self] step throws(StoreError) in
            try progress(step)
            try self?.checkTouched(at: step)
        }
        self.migration = migration
        self.reader = reader
        let touched = ChangedRowKeys(of: try migration.begin(with: reader))
        self.touched = touched
        try betweenCommits { (connection) throws(StoreError) in
            try touched.begin(on: connection)
        }
        let file: TemporaryFile
        do throws(SystemError) { file = try TemporaryFile(store.path) } catch {
            throw .unavailable("the copy of the file: \(error)")
        }
        defer {
            unlink(file.path)
            close(file.descriptor)
        }
        try copyPages(to: file.path)
        try migration.copy(
            SQLiteMigrationSource(Connection(path: file.path, access: .readUnchanging)))
    }

    /// From time to time, ends a copy that cannot catch up any more.
    private func checkTouched(at step: MigrationProgress) throws(StoreError) {
        guard case .copying(let rows, _) = step, rows.isMultiple(of: 50_000), let touched else {
            return
        }
        try betweenCommits { (connection) throws(StoreError) in
            try touched.check(on: connection)
        }
    }

    /// Copies the file as it is at the end, some pages between any two commits.
    private func copyPages(to path: String) throws(StoreError) {
        let destination = try CopyDestination(path: path)
        let copy = BorrowedState(value: RunningCopy())
        var isDone = false
        while !isDone {
            isDone = try betweenCommits { (connection) throws(StoreError) in
                try copy.value.step(from: connection, to: destination)
            }
        }
    }

    /// A copy, begun with its first step. A box for the noncopyable value.
    private final class RunningCopy {
        private final class Box {
            let pages: PageCopy

            init(_ pages: consuming PageCopy) { self.pages = pages }
        }

        private var box: Box?

        /// Copies some pages; true if all are copied, and the destination is closed.
        func step(
            from connection: Connection, to destination: CopyDestination
        ) throws(StoreError) -> Bool {
            let running =
                if let box { box } else { Box(try connection.copy(to: destination.take())) }
            box = running
            guard try running.pages.step(pages: 64) else { return false }
            box = nil
            return true
        }
    }

    func follow() throws(StoreError) -> Int {
        guard let migration, let reader, let touched else { return 0 }
        let lent = BorrowedState(value: reader)
        let changes = try betweenCommits { (connection) throws(StoreError) in
            let changes = try touched.take(from: connection)
            try lent.value.beginRead()
            return changes
        }
        defer { reader.endRead() }
        for (table, keys) in changes { try migration.remove(keys, from: table) }
        for (table, keys) in changes { try migration.add(keys, of: table, from: reader) }
        return changes.reduce(0) { $0 + $1.keys.count }
    }

    func complete() throws(StoreError) -> MigrationReport {
        guard let migration, let reader else { throw .unavailable("there is no copy") }
        store.core.writer.reject(.moving)
        store.core.writer.waitUntilIdle()
        _ = try follow()
        try reader.beginRead()
        defer { reader.endRead() }
        let report = try migration.verify(reader)
        // Perhaps, if this fails.
        isCommitted = true
        try migration.commit()
        // The session owns the target.
        self.migration = nil
        return report
    }

    func abandon() {
        migration = nil
        if isCommitted { try? PostgresMigrationTarget.discard(address, in: store.core.system) }
        if let touched {
            try? betweenCommits { (connection) throws(StoreError) in
                try touched.end(on: connection)
            }
        }
        store.core.writer.reject(nil)
    }

    private func betweenCommits<Value: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try store.commits.betweenCommits(on: store.core.writer, work)
    }
}
