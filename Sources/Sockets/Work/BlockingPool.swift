import Dispatch

/// Runs work that blocks (files, databases, hashing) away from event loops, with bounds: at most
/// `width` at once, at most `depth` waiting beside them. Work begins in the order of its arrival.
public final class BlockingPool: Sendable {
    /// Work of the worker with this number, from 0 on.
    private typealias Work = @Sendable (Int) -> Void

    private struct State {
        var waiting = FIFO<Work>()
        /// The workers that do nothing.
        var idle: [Int]
        /// Accepted and not done yet.
        var inFlight = 0
    }

    /// The queue was full; nothing was queued.
    public struct Full: Error, Sendable {
        public init() {}
    }

    // A serial queue has a thread of its own when it needs one; a concurrent one would share as
    // many threads as there are cores with every other pool, and one that blocks would hold up the
    // rest.
    private let queues: [DispatchQueue]
    private let limit: Int
    private let state: Lock<State>
    private let whenIdle: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - label: of the Dispatch queues, for debuggers.
    ///   - width: how many threads work at once; at least 1.
    ///   - depth: how much may wait while all of them work.
    ///   - whenIdle: called by a worker that finds nothing more to do, with its number: what it
    ///     kept from one piece of work to the next goes.
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

    /// How much is waiting now.
    public var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async throws(Full) -> Result {
        try await run { _ in work() }
    }

    /// Runs the work on a thread of the pool and suspends until it is done.
    /// - Parameter work: gets the number of the worker that runs it, from 0 to below `width`; a
    ///   worker does one thing at a time.
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

    /// Runs the work on a thread of the pool, soon, and waits for nothing.
    public func start(_ work: @escaping @Sendable () -> Void) throws(Full) {
        let isQueued = enqueue { [self] _ in
            work()
            finishOne()
        }
        guard isQueued else { throw Full() }
    }

    /// Runs this once by each worker, behind what the worker does at the moment.
    public func runByEach(_ work: @escaping @Sendable (_ worker: Int) -> Void) async {
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

    /// Lets the worker do nothing, unless something came meanwhile.
    private func rest(_ worker: Int) -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty else { return false }
            state.idle.append(worker)
            return true
        }
    }

    /// Before the caller hears of it, so that who runs one piece after another never finds it full.
    private func finishOne() {
        state.withLock { $0.inFlight -= 1 }
    }
}
