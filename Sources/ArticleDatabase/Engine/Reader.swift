import ArticleStore
import BroadsheetPlatform
import Synchronization

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
