import ArticleStore
import Platform
import Synchronization

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
