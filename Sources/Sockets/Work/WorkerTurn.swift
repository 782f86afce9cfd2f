/// A client's turn on the threads of a `WorkerPool`: the executor of what is done in it
/// (`withTaskExecutorPreference`), and the holder of the room for what that makes.
///
/// It begins when the pool comes to it, and ends when nobody holds it any more, or by `end`.
public final class WorkerTurn: TaskExecutor, Sendable {
    enum Phase { case waiting, begun, refused, ended }

    let demand: WorkerPool.Demand
    private let pool: WorkerPool
    // Touched under the pool's lock alone.
    nonisolated(unsafe) var phase = Phase.waiting
    // Touched under the pool's lock alone.
    nonisolated(unsafe) var heldBytes = 0

    init(_ demand: WorkerPool.Demand, in pool: WorkerPool) {
        self.demand = demand
        self.pool = pool
    }

    deinit { pool.end(self) }

    public func enqueue(_ job: consuming ExecutorJob) {
        pool.add(WorkerPool.Item(turn: self, work: .job(UnownedJob(job))))
    }

    /// Whether others have taken the place of this turn: nothing is to be done but to say so.
    public var isRefused: Bool { pool.isRefused(self) }

    /// What was made takes so many bytes until the turn ends.
    public func settle(bytes: Int) { pool.settle(self, bytes: bytes) }

    /// Gives the room back: what was made is sent, or will not be.
    public func end() { pool.end(self) }
}
