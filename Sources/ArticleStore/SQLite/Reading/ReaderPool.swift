import Network
import Synchronization

/// A few connections that only read, one for each of as many threads.
final class ReaderPool: Sendable {
    private let readers: [Reader]
    private let pool: BlockingPool
    private let isClosed = Atomic(false)

    init(
        path: String, _ configuration: SQLiteConfiguration, _ clock: CommitClock
    ) throws(StoreError) {
        var readers: [Reader] = []
        for _ in 0..<max(configuration.readers, 1) {
            readers.append(try Reader(of: path, configuration, clock))
        }
        self.readers = readers
        pool = BlockingPool(
            label: "broadsheet.store.readers", width: readers.count,
            depth: configuration.readQueueDepth
        ) { [readers] worker in readers[worker].letGo() }
    }

    /// Reads that wait for a connection.
    var waiting: Int { pool.waiting }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .relaxed) else { throw Reader.closed }
        let result: Result<Value, StoreError>
        do {
            result = try await pool.run { [readers] worker in
                Result { () throws(StoreError) in try readers[worker].read(work) }
            }
        } catch { throw .busy }
        return try result.get()
    }

    /// Waits for the reads that were asked for, and closes all connections.
    func close() async {
        isClosed.store(true, ordering: .relaxed)
        await pool.runByEach { [readers] worker in readers[worker].close() }
    }
}
