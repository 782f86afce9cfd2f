import Dispatch

/// Runs blocking work (files, databases, hashing) off the event loops: at most `width` items at
/// once, with at most `depth` waiting. Work starts in the order of its arrival.
public final class BlockingPool: Sendable {
    /// Work of the worker with this index, from 0 on.
    private typealias Work = @Sendable (Int) -> Void

    private struct State {
        var waiting = FIFO<Work>()
        /// The idle workers.
        var idle: [Int]
        /// Accepted but not finished.
        var inFlight = 0
    }

    /// The queue was full; nothing was queued.
    public struct Full: Error, Sendable {
        public init() {}
    }

    // A serial queue gets its own thread when it needs one. A concurrent queue would share as many
    // threads as there are cores with every other pool, so that a blocked one would hold up the
    // rest.
    private let queues: [DispatchQueue]
    private let limit: Int
    private let state: Lock<State>
    private let whenIdle: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - label: The label of the Dispatch queues, for debuggers.
    ///   - width: The number of threads; at least 1.
    ///   - depth: The maximum items of work that wait while all of them are busy.
    ///   - whenIdle: Called by a worker that becomes idle, with its index, to release resources
    ///     kept between items.
    public init(
        label: String, width: Int, depth: Int,
        whenIdle: @escaping @Sendable (_ worker: Int) -> Void = { _ in }
    ) {
        let width = max(1, width)
        queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
        limit = width + max(0, depth)
        self.whenIdle = whenIdle
        state = Lock(State(idle: Array((0..<width).reversed())))
    }

    /// The number of waiting items.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async throws(Full) -> Result {
        try await run { _ in work() }
    }

    /// Runs the work on a thread of the pool and suspends until it is done.
    /// - Parameter work: Called with the index of the worker that runs it, below `width`; a worker
    ///   does one item at a time.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable (_ worker: Int) -> Result
    ) async throws(Full) -> Result {
        let result: Result? = await withUnsafeContinuation { continuation in
            let isQueued = enqueue { [self] worker in
                let result = work(worker)
                finishOne()
                continuation.resume(returning: result)
            }
            if !isQueued { continuation.resume(returning: nil) }
        }
        guard let result else { throw Full() }
        return result
    }

    /// Runs the work on a thread of the pool soon, without waiting for it.
    public func start(_ work: @escaping @Sendable () -> Void) throws(Full) {
        let isQueued = enqueue { [self] _ in
            work()
            finishOne()
        }
        guard isQueued else { throw Full() }
    }

    /// Runs this once on each worker, after its current item.
    public func runOnEachThread(_ work: @escaping @Sendable (_ worker: Int) -> Void) async {
        for (worker, queue) in queues.enumerated() {
            await withUnsafeContinuation { continuation in
                queue.async {
                    work(worker)
                    continuation.resume()
                }
            }
        }
    }

    private func enqueue(_ work: @escaping Work) -> Bool {
        let (isQueued, startsOn): (Bool, Int?) = state.withLock { state in
            guard state.inFlight < limit else { return (false, nil) }
            state.inFlight += 1
            state.waiting.append(work)
            return (true, state.idle.popLast())
        }
        if let startsOn { queues[startsOn].async { self.drain(startsOn) } }
        return isQueued
    }

    private func drain(_ worker: Int) {
        repeat {
            while let work = state.withLock({ $0.waiting.popFirst() }) { work(worker) }
            whenIdle(worker)
        } while !rest(worker)
    }

    /// Makes the worker idle unless new work has arrived.
    private func rest(_ worker: Int) -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty else { return false }
            state.idle.append(worker)
            return true
        }
    }

    /// Done before the caller resumes, so that sequential callers never find a full pool.
    private func finishOne() {
        state.withLock { $0.inFlight -= 1 }
    }
}
