/// A client's slot on the threads of a `WorkerPool`: the executor of the work done in it
/// (`withTaskExecutorPreference`), and the owner of the memory reserved for its output.
///
/// It begins when the pool schedules it, and ends when it is released or by `end`.
public final class WorkSlot: TaskExecutor, Sendable {
    enum Phase { case waiting, begun, rejected, ended }

    let demand: WorkerPool.Demand
    private let pool: WorkerPool
    // Accessed only under the pool's lock.
    nonisolated(unsafe) var phase = Phase.waiting
    // Accessed only under the pool's lock.
    nonisolated(unsafe) var heldBytes = 0

    init(_ demand: WorkerPool.Demand, in pool: WorkerPool) {
        self.demand = demand
        self.pool = pool
    }

    deinit { pool.end(self) }

    public func enqueue(_ job: consuming ExecutorJob) {
        pool.add(WorkerPool.Item(slot: self, work: .job(UnownedJob(job))))
    }

    /// True if the slot was rejected in favour of others: the task should only report that.
    public var isRejected: Bool { pool.isRejected(self) }

    /// Records the bytes that the output takes until the slot ends.
    public func accountForOutput(bytes: Int) { pool.accountForOutput(self, bytes: bytes) }

    /// Releases the memory: the output was sent, or will not be.
    public func end() { pool.end(self) }
}
