import Dispatch

/// Runs work that blocks (files, databases, hashing) away from event loops, with bounds: at most
/// `width` at once, at most `depth` waiting beside them. Work begins in the order of its arrival.
public final class BlockingPool: Sendable {
    private struct State {
        var waiting: [(@Sendable () -> Void)?] = []
        var head = 0
        /// The queues on which nothing drains.
        var idle: [Int]
        /// Accepted and not done yet.
        var inFlight = 0

        var count: Int { waiting.count - head }

        mutating func next() -> (@Sendable () -> Void)? {
            guard head < waiting.count else { return nil }
            // What the work holds on to ends with it, not with the array.
            let work = waiting[head].take()
            head += 1
            // The array is compacted once half of it is gone: constant cost for each piece of work.
            if head == waiting.count || (head > 64 && head * 2 > waiting.count) {
                waiting.removeSubrange(..<head)
                head = 0
            }
            return work
        }
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

    /// - Parameters:
    ///   - label: of the Dispatch queues, for debuggers.
    ///   - width: how many threads work at once; at least 1.
    ///   - depth: how much may wait while all of them work.
    public init(label: String, width: Int, depth: Int) {
        let width = max(1, width)
        queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
        limit = width + max(0, depth)
        state = Lock(State(idle: Array((0..<width).reversed())))
    }

    /// How much is waiting now.
    public var waiting: Int { state.withLock { $0.count } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async throws(Full) -> Result {
        let result: Result? = await withUnsafeContinuation { continuation in
            let isQueued = enqueue { [self] in
                let result = work()
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
        let isQueued = enqueue { [self] in
            work()
            finishOne()
        }
        guard isQueued else { throw Full() }
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isQueued, startsOn): (Bool, Int?) = state.withLock { state in
            guard state.inFlight < limit else { return (false, nil) }
            state.inFlight += 1
            state.waiting.append(work)
            return (true, state.idle.popLast())
        }
        if let startsOn { queues[startsOn].async { self.drain(startsOn) } }
        return isQueued
    }

    private func drain(_ queue: Int) {
        while let work = next(for: queue) { work() }
    }

    /// The next piece of work; without one, the queue's drainer has ended.
    private func next(for queue: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.next()
            if work == nil { state.idle.append(queue) }
            return work
        }
    }

    /// Before the caller hears of it, so that who runs one piece after another never finds it full.
    private func finishOne() {
        state.withLock { $0.inFlight -= 1 }
    }
}
