import ArticleStore
import Platform
import Synchronization

/// One of the read-only connections.
///
/// A read begins a transaction, or reuses that of the previous read if nothing was committed since
/// then, as a new one would see the same state.
final class Reader: @unchecked Sendable {
    // Mutable state is only accessed by the pool's worker with the same number.
    private var connection: Connection?
    /// The commit sequence before the open transaction began; `nil` if the transaction must end.
    private var time: UInt64?
    private let configuration: SQLiteConfiguration
    private let clock: CommitSequence

    init(
        of path: String, _ configuration: SQLiteConfiguration, _ clock: CommitSequence
    ) throws(StoreError) {
        connection = try Connection(readerOf: path, configuration)
        self.configuration = configuration
        self.clock = clock
    }

    func read<Value>(
        _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let connection else { throw Self.closed }
        let now = clock.time
        if now == nil || now != time {
            release()
            try connection.beginRead()
        }
        time = nil
        let value = try work(connection.snapshot(configuration))
        time = now
        return value
    }

    /// Ends the transaction, as an open one prevents the log from being truncated.
    func release() {
        time = nil
        connection?.endRead()
    }

    func close() { connection = nil }

    static let closed = StoreError.unavailable("the store is closed")
}

extension SQL {
    fileprivate static let dataVersion: StaticString = "PRAGMA data_version"
}

extension Connection {
    /// Runs the work in a new read transaction.
    func readTransaction<Value>(
        _ configuration: SQLiteConfiguration, _ work: (Snapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        defer { endRead() }
        try beginRead()
        return try work(snapshot(configuration))
    }

    /// Begins a read transaction, which fixes the visible state. A read-only connection keeps its
    /// name cache between transactions until others commit.
    fileprivate func beginRead() throws(StoreError) {
        try execute(SQL.begin)
        let row = try statement(SQL.dataVersion)
        guard try row.step() else { throw .corrupt("the data version is missing") }
        names.move(to: row.integer(0))
    }

    fileprivate func endRead() {
        // The results are complete, so nothing depends on how the transaction ends.
        if isInTransaction { try? execute(SQL.commit) }
        if isInTransaction { try? execute(SQL.rollback) }
    }

    fileprivate func snapshot(_ configuration: SQLiteConfiguration) -> Snapshot {
        Snapshot(self, configuration, names: names)
    }
}

/// A few read-only connections, each with its own thread.
final class ReaderPool: Sendable {
    /// The threads of the connections; a task that has a turn there can read immediately.
    let workers: WorkerPool
    private let readers: [Reader]
    private let isClosed = Atomic(false)

    init(
        path: String, _ configuration: SQLiteConfiguration, _ clock: CommitSequence
    ) throws(StoreError) {
        var readers: [Reader] = []
        for _ in 0..<max(configuration.readers, 1) {
            readers.append(try Reader(of: path, configuration, clock))
        }
        self.readers = readers
        workers = WorkerPool(
            label: "broadsheet.store.readers", width: readers.count,
            depth: configuration.readQueueDepth, limitBytes: configuration.responseBytes
        ) { [readers] worker in readers[worker].release() }
    }

    /// Number of reads waiting for a connection.
    var waiting: Int { workers.waiting }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw Reader.closed }
        // A task that has a turn is already on the thread of a connection.
        if let worker = workers.currentWorker { return try readers[worker].read(work) }
        let result: Result<Value, StoreError>
        do {
            result = try await workers.run { [readers] worker in
                Result { () throws(StoreError) in try readers[worker].read(work) }
            }
        } catch { throw .busy }
        return try result.get()
    }

    /// Waits for pending reads and closes all connections.
    func close() async {
        isClosed.store(true, ordering: .relaxed)
        await workers.runByEach { [readers] worker in readers[worker].close() }
    }
}

/// Lets readers detect commits: as long as the sequence does not change, an open read transaction
/// is as current as a new one.
final class CommitSequence: Sendable {
    /// Odd during a commit.
    private let count = Atomic<UInt64>(0)

    /// The current count; `nil` during a commit.
    var time: UInt64? {
        let count = count.load(ordering: .acquiring)
        return count & 1 == 0 ? count : nil
    }

    /// Runs an operation that changes what readers see, or requires them to end their transactions.
    /// Only called by one thread.
    func advance<Result>(
        _ change: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.add(1, ordering: .sequentiallyConsistent) }
        return try change()
    }
}
