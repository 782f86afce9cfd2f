import Glibc

/// Threads for long computations that must not slow down anything else: they have the lowest
/// priority of the scheduler (nice 19, `setpriority(2)`).
///
/// It is fair: clients take turns, whatever number of items each has. It is bounded: at most
/// `width` items run and `depth` wait. Items of cancelled tasks leave the queue. The threads are
/// its own, since a thread cannot get its priority back, and exist only while there is work.
///
/// Safe to use from any thread.
public final class BackgroundPool: Sendable {
    /// Why work was not done.
    public enum Failure: Error, Sendable {
        /// Too much work is waiting.
        case full
        /// The task was cancelled before the work began.
        case cancelled
    }

    private struct Item: Sendable {
        let number: UInt64
        let client: UInt64
        /// Called exactly once: with `nil` to do the work, or with the reason why it is not done.
        let finish: @Sendable (Failure?) -> Void
    }

    private struct State {
        var queue = FairQueue<Item>()
        var lastNumber: UInt64 = 0
        /// The number of threads, and of those that are doing an item.
        var threads = 0
        var running = 0

        /// Every item counts as much as any other, so that clients simply take turns.
        private static let cost: Int64 = 1_000_000

        mutating func next() -> Item? {
            queue.next(where: { _ in true }, estimate: { _ in Self.cost })
        }

        mutating func charge(_ client: UInt64) {
            queue.charge(Self.cost, estimate: Self.cost, to: client)
        }
    }

    private let width: Int
    private let depth: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - width: How many items run at a time; at least 1.
    ///   - depth: How many may wait meanwhile.
    public init(width: Int, depth: Int) {
        self.width = max(1, width)
        self.depth = max(0, depth)
    }

    /// The number of waiting items.
    public var waiting: Int { state.withLock { $0.queue.count } }

    /// The number of items that are running.
    public var running: Int { state.withLock { $0.running } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    ///
    /// In a full pool, the newest item of the client with the most items makes room for a client
    /// with fewer.
    ///
    /// - Parameters:
    ///   - client: Identifies the client that takes turns with others.
    ///   - work: Runs to its end even if the task is cancelled meanwhile.
    public func run<Result: Sendable>(
        for client: UInt64, _ work: @escaping @Sendable () -> Result
    ) async throws(Failure) -> Result {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let item = Item(number: number, client: client) { [self] failure in
                    if let failure { return continuation.resume(returning: .failure(failure)) }
                    let result = work()
                    finishOne(of: client)
                    continuation.resume(returning: .success(result))
                }
                add(item)
                // A task that was cancelled before has not found the item in the queue.
                if Task.isCancelled { cancel(number, of: client) }
            }
        } onCancel: {
            cancel(number, of: client)
        }
        return try result.get()
    }

    private func add(_ item: Item) {
        let (rejected, startsThread) = state.withLock { state -> (Item?, Bool) in
            var rejected: Item?
            if state.queue.count >= depth + width - state.running {
                rejected = state.queue.pushOut(for: item.client)
                guard rejected != nil else { return (item, false) }
            }
            state.queue.append(item, of: item.client)
            let startsThread = state.threads < width
            if startsThread { state.threads += 1 }
            return (rejected, startsThread)
        }
        rejected?.finish(.full)
        if startsThread { startThread() }
    }

    private func cancel(_ number: UInt64, of client: UInt64) {
        let item = state.withLock { state in
            state.queue.remove(of: client) { $0.number == number }
        }
        item?.finish(.cancelled)
    }

    private func startThread() {
        var thread = pthread_t()
        let pool = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                // Programmer error: the thread is given its pool below.
                guard let context else { preconditionFailure("a thread without its pool") }
                Unmanaged<BackgroundPool>.fromOpaque(context).takeRetainedValue().drain()
                return nil
            }, pool.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            pool.release()
            giveUp()
        }
    }

    /// Rejects what waits if no thread could be started and none is left to do it.
    private func giveUp() {
        let items = state.withLock { state -> [Item] in
            state.threads -= 1
            var items: [Item] = []
            while state.threads == 0, let item = state.next() {
                state.charge(item.client)
                items.append(item)
            }
            return items
        }
        for item in items { item.finish(.full) }
    }

    private func drain() {
        // On Linux, 0 is the calling thread, and a lower priority is never denied.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        while let item = next() { item.finish(nil) }
    }

    /// The next item; `nil` if there is none, and the thread ends.
    private func next() -> Item? {
        state.withLock { state in
            let item = state.next()
            if item == nil { state.threads -= 1 } else { state.running += 1 }
            return item
        }
    }

    /// Done before the caller resumes, so that sequential callers never find a full pool.
    private func finishOne(of client: UInt64) {
        state.withLock { state in
            state.running -= 1
            state.charge(client)
        }
    }
}
