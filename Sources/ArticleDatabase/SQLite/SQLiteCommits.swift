import ArticleStore
import BroadsheetPlatform
import Dispatch
import Synchronization

/// Commits to a SQLite file: they are flushed to the write-ahead log, which is checkpointed when it
/// has grown. Copies are made between them.
///
/// `@unchecked`: except for its counter, errands and `copy`, it is only used on the commit queue's
/// thread.
final class SQLiteCommits: CommitEngine, @unchecked Sendable {
    private let configuration: SQLiteConfiguration
    private let clock: CommitSequence
    /// Interrupts long-running readers to release the log.
    private let stopLongReaders: @Sendable () -> Void
    private let checkpointCount = Atomic(0)
    private var connection: Connection?
    /// The file beside which the last change is noted now and then; `nil` once the store is closed.
    private var file: DatabaseFile?
    /// Log size in bytes from which writes wait for readers to release the log.
    private var waitingBytes: Int
    /// Copies made between commits, one at a time.
    private var copies: [CopyJob] = []
    /// Work to be done between two commits, with the connection unless it is closed.
    private let pendingMaintenance = Lock<[@Sendable (Connection?) -> Void]>([])

    init(
        _ connection: sending Connection, _ configuration: SQLiteConfiguration,
        _ clock: CommitSequence, _ file: DatabaseFile,
        stopLongReaders: @escaping @Sendable () -> Void
    ) {
        self.connection = connection
        self.configuration = configuration
        self.clock = clock
        self.file = file
        self.stopLongReaders = stopLongReaders
        waitingBytes = configuration.logLimitBytes
    }

    /// Number of checkpoints of the log.
    var checkpoints: Int { checkpointCount.load(ordering: .relaxed) }

    func begin() throws(StoreError) -> Connection {
        guard let connection else { throw Self.closed }
        do throws(StoreError) { try connection.execute(SQL.beginImmediate) } catch {
            connection.rollBack()
            throw error
        }
        return connection
    }

    // `make walks` sees by its call where a transaction ends.
    @inline(never)
    func commit(_ connection: Connection) throws(StoreError) {
        try connection.execute(SQL.commit)
    }

    func afterCommit(_ connection: Connection) { boundLog(connection) }

    /// A failed flush may have left a complete but unacknowledged commit in the log, which would be
    /// recovered after a crash. A small commit in its place breaks the chain of its checksums.
    func afterFailedCommit(_ connection: Connection) {
        guard let version = try? DatabaseSchema.version(on: connection) else { return }
        try? connection.execute(script: "PRAGMA user_version = \(version)")
    }

    func restBetweenCommits() {
        stepCopy()
        runMaintenance()
    }

    func becomeIdle() {
        if let connection, connection.logBytes > configuration.logBytes {
            checkpoint(connection, truncating: true)
        }
    }

    /// Checkpoints the log and closes the file.
    func close() {
        for copy in copies { copy.end(Self.closed) }
        copies = []
        // A read that does not end is not waited for.
        try? connection?.setBusyTimeout(milliseconds: 0)
        _ = try? connection?.checkpoint(truncating: true)
        noteLastChange()
        connection = nil
        file = nil
    }

    private func noteLastChange() {
        guard let connection, let file, !connection.isInTransaction else { return }
        let state = Snapshot(connection, configuration.limits, names: connection.names)
        if let last = try? RecordedChange(lastOf: state) { file.note(last) }
    }

    // MARK: Errands

    /// Runs the work on the queue's thread when no transaction is open, and waits for it on another
    /// thread.
    func betweenCommits<Value: Sendable>(
        on queue: CommitQueue,
        _ work: @escaping @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let outcome = Lock<Result<Value, StoreError>>(.failure(Self.closed))
        let isDone = DispatchSemaphore(value: 0)
        betweenCommits(on: queue, work) { result in
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        return try outcome.withLock { $0 }.get()
    }

    private func betweenCommits<Value>(
        on queue: CommitQueue,
        _ work: @escaping @Sendable (Connection) throws(StoreError) -> Value,
        then use: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        pendingMaintenance.withLock { pendingMaintenance in
            pendingMaintenance.append { connection in
                use(
                    Result { () throws(StoreError) in
                        guard let connection else { throw Self.closed }
                        return try work(connection)
                    })
            }
        }
        queue.perform { self.runMaintenance() }
    }

    private static let closed = StoreError.unavailable("the store is closed")

    private func runMaintenance() {
        let pendingMaintenance = pendingMaintenance.withLock { pendingMaintenance in
            defer { pendingMaintenance = [] }
            return pendingMaintenance
        }
        for job in pendingMaintenance { job(connection) }
    }

    // MARK: Copies

    /// Copies the database to an empty file and returns when the copy is complete.
    func copy(
        to destination: CopyDestination, on queue: CommitQueue,
        _ progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError) {
        let failure: StoreError? = await withCheckedContinuation { continuation in
            let job = CopyJob(destination, progress, continuation)
            queue.perform {
                self.copies.append(job)
                if self.copies.count == 1 { self.continueCopies(on: queue) }
            }
        }
        if let failure { throw failure }
    }

    /// Continues as long as there is something to copy; queued writes run before the next step.
    private func continueCopies(on queue: CommitQueue) {
        stepCopy()
        if !copies.isEmpty { queue.perform { self.continueCopies(on: queue) } }
    }

    private func stepCopy() {
        guard let copy = copies.first else { return }
        guard let connection else {
            copies.removeFirst()
            return copy.end(Self.closed)
        }
        if copy.step(from: connection) { copies.removeFirst() }
    }

    // MARK: Free pages

    /// 256 KiB, as a step of a copy.
    private static let freedPages = 64

    /// Moves some pages to free ones before them, so that the file gets shorter; `nil` if the file
    /// has to be rewritten first, as it does not record the references to each page
    /// (https://www.sqlite.org/pragma.html#pragma_auto_vacuum).
    func freePages(
        after progress: VacuumProgress, on queue: CommitQueue
    ) async throws(StoreError) -> VacuumProgress? {
        let result: Result<VacuumProgress?, StoreError> = await withCheckedContinuation {
            continuation in
            betweenCommits(on: queue) { (connection) throws(StoreError) in
                try self.freePages(after: progress, on: connection)
            } then: {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }

    private func freePages(
        after progress: VacuumProgress, on connection: Connection
    ) throws(StoreError) -> VacuumProgress? {
        guard try connection.number("PRAGMA auto_vacuum") == 2 else {
            // It takes effect when the file is rewritten.
            try connection.execute(script: "PRAGMA auto_vacuum = INCREMENTAL")
            return nil
        }
        guard copies.isEmpty else { throw .unavailable("a backup is being made") }
        let free = try connection.number("PRAGMA freelist_count")
        try clock.advance { () throws(StoreError) in
            try connection.execute(script: "PRAGMA incremental_vacuum(\(Self.freedPages))")
        }
        let rest = try connection.number("PRAGMA freelist_count")
        let done = progress.done + free - rest
        guard rest > 0, rest < free else {
            checkpoint(
                connection, truncating: true, patience: configuration.logPatienceMilliseconds)
            return VacuumProgress(done: done, total: done)
        }
        boundLog(connection)
        return VacuumProgress(done: done, total: done + rest)
    }

    // MARK: Rewriting

    /// Rewrites the file and empties the log, once no copy is being made.
    func rewrite(on queue: CommitQueue) async throws(StoreError) {
        let failure: StoreError? = await withCheckedContinuation { continuation in
            rewrite(on: queue) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    private func rewrite(
        on queue: CommitQueue, _ done: @escaping @Sendable (StoreError?) -> Void
    ) {
        queue.perform {
            // Its steps are also queued.
            guard self.copies.isEmpty else { return self.rewrite(on: queue, done) }
            do throws(StoreError) {
                try self.rewrite()
                done(nil)
            } catch { done(error) }
        }
    }

    private func rewrite() throws(StoreError) {
        guard let connection else { throw Self.closed }
        // Its notes are in temporary tables, which a change of their place removes.
        guard try connection.lines(of: "SELECT name FROM temp.sqlite_schema").isEmpty else {
            throw .moving
        }
        stopLongReaders()
        // SQLite makes the new file there, and it may be larger than the memory.
        try connection.execute(script: "PRAGMA temp_store = FILE")
        defer { try? connection.execute(script: "PRAGMA temp_store = MEMORY") }
        try clock.advance { () throws(StoreError) in
            try connection.execute(script: "VACUUM")
        }
        checkpoint(connection, truncating: true, patience: configuration.logPatienceMilliseconds)
        guard connection.logBytes == 0 else {
            throw .unavailable("a read needs the write-ahead log")
        }
    }

    // MARK: The log

    /// Checkpoints the log when it has grown. While readers need it, it may grow up to the limit:
    /// then a write waits for them, and long-running ones are interrupted. If a reader is stuck
    /// nevertheless, the next wait happens when the log has grown by the limit again.
    private func boundLog(_ connection: Connection) {
        let bytes = connection.logBytes
        guard bytes > waitingBytes else {
            if bytes > configuration.logBytes { checkpoint(connection, truncating: false) }
            return
        }
        stopLongReaders()
        checkpoint(connection, truncating: true, patience: configuration.logPatienceMilliseconds)
        waitingBytes = connection.logBytes + configuration.logLimitBytes
    }

    /// A failed checkpoint loses nothing: the log is complete, and the next checkpoint tries again.
    private func checkpoint(_ connection: Connection, truncating: Bool, patience: Int = 0) {
        try? connection.setBusyTimeout(milliseconds: patience)
        let isDone = try? clock.advance { () throws(StoreError) in
            try connection.checkpoint(truncating: truncating)
        }
        if isDone == true, truncating {
            waitingBytes = configuration.logLimitBytes
        }
        try? connection.setBusyTimeout(milliseconds: Connection.busyMilliseconds)
        checkpointCount.add(1, ordering: .relaxed)
        noteLastChange()
    }
}

extension Connection {
    /// The number that a pragma returns.
    fileprivate func number(_ pragma: String) throws(StoreError) -> Int {
        try lines(of: pragma).first.flatMap { Int($0) } ?? 0
    }
}
