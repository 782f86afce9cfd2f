import Dispatch

/// Runs work that blocks (files, databases, hashing) away from event loops, with bounds: at most
/// `width` at once, at most `depth` waiting.
public final class BlockingPool: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var head = 0
        var running = 0

        var count: Int { waiting.count - head }

        mutating func next() -> (@Sendable () -> Void)? {
            guard head < waiting.count else { return nil }
            let work = waiting[head]
            head += 1
            // The array is compacted once half of it is gone: constant cost for each piece of work.
            if head > 64, head * 2 > waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return work
        }
    }

    /// The queue was full; nothing was queued.
    public struct Full: Error, Sendable {
        public init() {}
    }

    private let queue: DispatchQueue
    private let width: Int
    private let depth: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - label: of the Dispatch queue, for debuggers.
    ///   - width: how many threads work at once.
    ///   - depth: how much may wait.
    public init(label: String, width: Int, depth: Int) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
        self.width = width
        self.depth = depth
    }

    /// How much is waiting now.
    public var waiting: Int { state.withLock { $0.count } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async throws(Full) -> Result {
        let result: Result? = await withUnsafeContinuation { continuation in
            let isQueued = enqueue { continuation.resume(returning: work()) }
            if !isQueued { continuation.resume(returning: nil) }
        }
        guard let result else { throw Full() }
        return result
    }

    private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isQueued, startsDrainer) = state.withLock { state in
            guard state.count < depth else { return (false, false) }
            state.waiting.append(work)
            guard state.running < width else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        if startsDrainer { queue.async { self.drain() } }
        return isQueued
    }

    private func drain() {
        while let work = next() { work() }
    }

    /// The next piece of work; without one, this drainer has ended.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.next()
            if work == nil { state.running -= 1 }
            return work
        }
    }
}
