import ArticleAPI
public import ArticleStore
public import BroadsheetPlatform
import Synchronization

/// A store whose aggregates are rows of a database that understands SQL.
///
/// The engines have the SQL in common, and the conversion of its rows: both conform to
/// ``ArticleStore`` by the extensions of this protocol. Safe to use from any thread.
public protocol SQLStore: ArticleStore, StoreMaintenance {
    var core: StoreCore { get }

    /// The notices about the database for the operator.
    var notices: StoreNotices { get }

    /// Counters since the store was opened, and current queue lengths.
    var statistics: StoreStatistics { get }

    /// The sizes of the file and its log; `nil` if the store has no file.
    var fileBytes: (database: Int, log: Int)? { get }

    /// Closes the store, but waits for reads and for writes not longer than this: their threads are
    /// left behind, with their connections. Later calls throw `.unavailable`.
    func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing
}

/// The outcome of closing a store within a time.
public enum StoreClosing: Sendable {
    case closed
    /// Reads have not ended; the database is released.
    case readsAreLeft
    /// A write has not ended: the database is released when this process ends.
    case writeIsLeft
}

/// The treatment of a database that does not exist.
public enum StoreMode: Sendable {
    /// Creates it.
    case create
    /// Throws `.missing`, or `.unfinished` if there is a database without any tables.
    case existing
}

/// Knows whether this process is the leader of those that use the database.
protocol Leadership: Sendable {
    /// Throws unless the process leads: no other one does until this step is committed, or it has
    /// the writes of this step.
    func require(for step: WriteStep) throws(StoreError)
}

/// Reads articles that are requested at the same time together.
protocol BatchedArticleReads: Sendable {
    /// The article, as `Snapshot.edition`.
    func edition(
        of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> ArticleVersion
}

/// The parts that work the same for both engines: connections for reading, each with its thread,
/// and the queue of the only writer. See ``SQLStore``.
public struct StoreCore: Sendable {
    let readers: ReaderPool
    let exports: ExportReaders
    /// Exports of accounts, which do not wait for those of the operator, nor delay them.
    let accountExports: ExportReaders
    let writer: CommitQueue
    /// Set if it is better to read several articles at a time.
    let joinedReads: (any BatchedArticleReads)?
    /// `nil` if no other process can use the database.
    let leadership: (any Leadership)?
    let system: SystemEnvironment

    /// Waits for pending reads, finishes queued writes and closes all connections.
    func close() async {
        // The writer closes last: only it may checkpoint the log of a file.
        await exports.close()
        await accountExports.close()
        await readers.close()
        await writer.close()
    }

    /// Does the same, but leaves behind reads and writes that do not end in time.
    func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing {
        async let exportsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await exports.close()
        }
        async let accountsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await accountExports.close()
        }
        async let readsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await readers.close()
        }
        let readersEnd = await [exportsEnd, accountsEnd, readsEnd]
        guard await TimeLimit.finishes(withinSeconds: writeSeconds, { await writer.close() }) else {
            return .writeIsLeft
        }
        return readersEnd.allSatisfy { $0 } ? .closed : .readsAreLeft
    }

    func statistics(checkpoints: Int = 0) -> StoreStatistics {
        let counts = writer.counts
        return StoreStatistics(
            commits: counts.commits, writes: counts.writes, steps: counts.steps,
            fullSteps: counts.fullSteps, commitsBySharing: counts.commitsBySharing,
            checkpoints: checkpoints, waitingReads: readers.waiting,
            waitingWrites: writer.waiting,
            commitSeconds: writer.commitDuration / .seconds(1), commitDelay: writer.commitDelay)
    }
}

extension SQLStore {
    public func beginHistory() async throws(StoreError) {
        let epoch = core.system.newEpoch()
        try await submit { (step) throws(StoreError) in
            try step.connection.renewEpoch(to: epoch)
        }
    }

    /// Waits until the present write has ended, but not for longer than this. Others may follow.
    ///
    /// - Returns: True if it has ended.
    public func currentWriteEnds(withinSeconds seconds: Double) async -> Bool {
        let writer = core.writer
        return await TimeLimit.finishes(withinSeconds: seconds) { await writer.currentWorkEnds() }
    }

    public var workers: WorkerPool { core.readers.workers }

    public func observeChanges(_ observer: any ChangeObserver) {
        core.writer.announcer.add(observer)
    }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await core.readers.read(work)
    }

    /// Runs the step in a shared commit and returns when it is durable.
    ///
    /// - Parameter isKept: true to keep the step's changes; `false` for a dry run.
    func submit<Value: Sendable>(
        isKept: Bool = true, _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        try await core.writer.submit(isKept: isKept, work)
    }

    /// Runs a step that only the leader may take, as it depends on values that it has read before.
    func submitAsLeader<Value: Sendable>(
        _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        try await submit { [core] (step) throws(StoreError) in
            try core.leadership?.require(for: step)
            return try work(step)
        }
    }
}

extension StoreOpeningError {
    /// Creates the error with which a database with this version of the schema is rejected; `nil`
    /// if it is not.
    ///
    /// - Parameter versions: those that this program can open, from the lowest. Between them are
    ///   those of development versions.
    init?(version: Int, at path: String, supported versions: [Int]) {
        let known = versions.last ?? 0
        if version > known {
            self = .newer(path: path, version: version, known: known)
        } else if !versions.contains(version) {
            self = .unsupported(path: path, version: version)
        } else {
            return nil
        }
    }
}

/// One of the read-only connections.
///
/// A read begins a transaction, or reuses that of the previous read if nothing was committed since
/// then, as a new one would see the same state.
final class Reader: @unchecked Sendable {
    // Mutable state is only accessed by the pool's worker with the same number.
    private var connection: Connection?
    private var isClosed = false
    /// The server of the connection, counted by the clock.
    private var server: UInt64 = 0
    /// The commit sequence before the open transaction began; `nil` if the transaction must end.
    private var time: UInt64?
    private let open: @Sendable () throws(StoreError) -> Connection
    private let limits: StoreLimits
    private let clock: CommitSequence

    init(
        _ limits: StoreLimits, _ clock: CommitSequence,
        open: @escaping @Sendable () throws(StoreError) -> Connection
    ) throws(StoreError) {
        self.open = open
        connection = try open()
        self.limits = limits
        self.clock = clock
    }

    func read<Value>(
        _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try readOnce(work)
        } catch {
            // Rows read so far are forgotten, so that they can be read again.
            guard let connection, connection.isLost else { throw error }
            self.connection = nil
            return try readOnce(work)
        }
    }

    private func readOnce<Value>(
        _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let connection = try connected()
        let now = clock.time
        if now == nil || now != time {
            release()
            try connection.beginRead()
        }
        time = nil
        let value = try work(connection.snapshot(limits))
        time = now
        return value
    }

    private func connected() throws(StoreError) -> Connection {
        let server = clock.server
        if let connection, self.server == server { return connection }
        guard !isClosed else { throw Self.closed }
        connection = nil
        let connection = try open()
        self.server = server
        self.connection = connection
        time = nil
        return connection
    }

    /// Ends the transaction, as an open one prevents the log from being truncated, and old rows
    /// from being removed.
    func release() {
        time = nil
        connection?.endRead()
    }

    func close() {
        isClosed = true
        connection = nil
    }

    static let closed = StoreError.unavailable("the store is closed")
}

extension SQL {
    fileprivate static let dataVersion: StaticString = "PRAGMA data_version"
}

extension Connection {
    /// Runs the work in a new read transaction.
    func readTransaction<Value>(
        _ limits: StoreLimits, _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        defer { endRead() }
        try beginRead()
        return try work(snapshot(limits))
    }

    /// Begins a read transaction, which fixes the visible state. A read-only connection keeps its
    /// name cache between transactions until others commit.
    func beginRead() throws(StoreError) {
        switch engine {
        case .sqlite:
            try execute(SQL.begin)
            let row = try statement(SQL.dataVersion)
            guard try row.step() else { throw .corrupt("the data version is missing") }
            names.move(to: row.integer(0))
        case .postgres(let session): names.move(to: try session.beginRead().number)
        }
    }

    fileprivate func endRead() {
        // The results are complete, so nothing depends on how the transaction ends.
        if isInTransaction { try? execute(SQL.commit) }
        if isInTransaction { try? execute(SQL.rollback) }
    }

    fileprivate func snapshot(_ limits: StoreLimits) -> Snapshot {
        Snapshot(self, limits, names: names, ahead: isRemote ? ReadAhead() : nil)
    }
}

/// A few read-only connections, each with its own thread.
final class ReaderPool: Sendable {
    /// The threads of the connections; a task that has a turn there can read immediately.
    let workers: WorkerPool
    private let readers: [Reader]
    private let isClosed = Atomic(false)

    /// - Parameter open: opens a connection for reading.
    init(
        _ limits: StoreLimits, _ clock: CommitSequence,
        open: @escaping @Sendable () throws(StoreError) -> Connection
    ) throws(StoreError) {
        var readers: [Reader] = []
        for _ in 0..<max(limits.readers, 1) {
            readers.append(try Reader(limits, clock, open: open))
        }
        self.readers = readers
        workers = WorkerPool(
            label: "broadsheet.store.readers", width: readers.count,
            depth: limits.readQueueDepth, limitBytes: limits.responseBytes
        ) { [readers] worker in readers[worker].release() }
    }

    /// Number of reads waiting for a connection.
    var waiting: Int { workers.waiting }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        // A task that has a turn is already on the thread of a connection.
        if !isClosed.load(ordering: .relaxed), let worker = workers.currentWorker {
            return try readers[worker].read(work)
        }
        return try await withUnsafeContinuation { continuation in
            submit(work) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Runs the read like `read`, without waiting for its result.
    func submit<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value,
        then use: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        guard !isClosed.load(ordering: .relaxed) else { return use(.failure(Reader.closed)) }
        workers.submit { [readers] worker in
            guard let worker else { return use(.failure(.busy)) }
            use(Result { () throws(StoreError) in try readers[worker].read(work) })
        }
    }

    /// Waits for pending reads and closes all connections.
    func close() async {
        isClosed.store(true, ordering: .relaxed)
        await workers.runOnEachThread { [readers] worker in readers[worker].close() }
    }
}

/// Lets readers detect commits: as long as the sequence does not change, an open read transaction
/// is as current as a new one.
final class CommitSequence: Sendable {
    /// Odd during a commit.
    private let count = Atomic<UInt64>(0)
    private let reconnections = Atomic<UInt64>(0)

    /// The current count; `nil` during a commit.
    var time: UInt64? {
        let count = count.load(ordering: .acquiring)
        return count & 1 == 0 ? count : nil
    }

    /// The number of servers that had the database. Readers leave the one before: it may not have
    /// later commits.
    var server: UInt64 { reconnections.load(ordering: .acquiring) }

    /// Called when the writer has connected again.
    func reconnect() { reconnections.add(1, ordering: .sequentiallyConsistent) }

    /// Runs an operation that changes the state that readers see, or requires them to end their
    /// transactions. Only called by one thread at a time.
    func advance<Result>(
        _ change: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.add(1, ordering: .sequentiallyConsistent) }
        return try change()
    }

    /// Called after others have changed the state that readers see.
    func advance() { count.add(2, ordering: .sequentiallyConsistent) }
}
