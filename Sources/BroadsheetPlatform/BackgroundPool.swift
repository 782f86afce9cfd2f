import Glibc

/// Threads for long computations that must not slow down anything else: they have the scheduler's
/// lowest priority (nice 19, `setpriority(2)`). One thread can be prompt and have the usual
/// priority, so that the work goes on even while everything else is busy.
///
/// It is fair: clients take turns, whatever number of items each has. It is bounded: at most
/// `width` items run and `depth` wait. Items of cancelled tasks leave the queue. The threads are
/// its own, since a thread cannot get its priority back, and exist only while there is work.
///
/// Some places of the queue can be reserved for known clients, so that unknown ones, however many
/// they are, cannot keep them out. While both wait, each kind gets every second turn.
///
/// Safe to use from any thread.
public final class BackgroundPool: Sendable {
    /// The reason why work was not done.
    public enum Failure: Error, Sendable {
        /// Too much work is waiting.
        case full
        /// The task was cancelled before the work began.
        case cancelled
    }

    /// The client for whom work is done. See ``BackgroundPool``.
    public struct Client: Sendable, Hashable {
        /// From the largest network that it belongs to, to the client itself, which takes turns
        /// with others. A network has a share of a full queue, as each of its parts has of that.
        let networks: [UInt64]
        /// True if it may have reserved places.
        let isKnown: Bool

        /// - Parameters:
        ///   - networks: At least one, and as many for each client of a pool.
        ///   - isKnown: True if it may have reserved places.
        public init(networks: [UInt64], isKnown: Bool = false) {
            self.networks = networks
            self.isKnown = isKnown
        }

        var number: UInt64 { networks.last ?? 0 }
    }

    private enum Lane: Int, CaseIterable {
        case open, reserved
    }

    private struct Item: Sendable {
        let number: UInt64
        let client: Client
        /// Either is called, once: does the work, which waited in this lane, or reports why it is
        /// not done.
        let work: @Sendable (Lane) -> Void
        let reject: @Sendable (Failure) -> Void
        var lane = Lane.open
    }

    private struct State {
        /// By lane.
        var queues = Lane.allCases.map { _ in FairQueue<Item>() }
        /// The lane of the last item that began.
        var last = Lane.open
        var lastNumber: UInt64 = 0
        /// The number of threads, and of those that are doing an item.
        var threads = 0
        var running = 0
        /// True if a thread has the usual priority.
        var hasPromptThread = false

        /// Every item counts as much as any other, so that clients simply take turns.
        private static let cost: Int64 = 1_000_000

        var waiting: Int { queues.reduce(0) { $0 + $1.count } }

        mutating func next() -> Item? {
            for lane in last == .open ? [Lane.reserved, .open] : [.open, .reserved] {
                let item = queues[lane.rawValue].next(
                    where: { _ in true }, estimate: { _ in Self.cost })
                guard let item else { continue }
                last = lane
                return item
            }
            return nil
        }

        mutating func charge(_ client: Client, in lane: Lane) {
            queues[lane.rawValue].charge(Self.cost, estimate: Self.cost, to: client.number)
        }

        /// The lane for a client's item, and the waiting item that is rejected for it, if any;
        /// `nil` if the client has to be rejected itself.
        mutating func place(
            for client: Client, open: Int, reserved: Int
        ) -> (lane: Lane, rejected: Item?)? {
            let counts = queues.map(\.count)
            if client.isKnown, counts[Lane.reserved.rawValue] < reserved { return (.reserved, nil) }
            if counts[Lane.open.rawValue] < open { return (.open, nil) }
            for lane in client.isKnown ? [Lane.reserved, .open] : [.open] {
                let item = queues[lane.rawValue].evictLast(for: client.networks) {
                    $0.client.networks
                }
                if let item { return (lane, item) }
            }
            return nil
        }
    }

    private let width: Int
    private let depth: Int
    private let reserved: Int
    private let isPrompt: Bool
    private let state = Lock(State())

    /// - Parameters:
    ///   - width: The maximum items that run at a time; at least 1.
    ///   - depth: The maximum items that wait meanwhile.
    ///   - reserved: The number of these places that only known clients may have.
    ///   - isPrompt: True if one of the threads has the usual priority.
    public init(width: Int, depth: Int, reserved: Int = 0, isPrompt: Bool = false) {
        self.isPrompt = isPrompt
        self.width = max(1, width)
        self.depth = max(0, depth)
        self.reserved = min(max(0, reserved), self.depth)
    }

    /// The number of waiting items.
    public var waiting: Int { state.withLock { $0.waiting } }

    /// The number of items that are running.
    public var running: Int { state.withLock { $0.running } }

    /// Runs the work on a thread of the pool and suspends until it is done.
    ///
    /// In a full pool, the newest item of the client with the most items makes room for a client
    /// with fewer, and so does that of the network with the most items.
    ///
    /// - Parameters:
    ///   - client: Takes turns with others.
    ///   - work: Runs to its end even if the task is cancelled meanwhile.
    public func run<Result: Sendable>(
        for client: Client, _ work: @escaping @Sendable () -> Result
    ) async throws(Failure) -> Result {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                add(
                    Item(
                        number: number, client: client,
                        work: { [self] lane in
                            let result = work()
                            finishOne(of: client, in: lane)
                            continuation.resume(returning: .success(result))
                        },
                        reject: { continuation.resume(returning: .failure($0)) }))
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
            let open = depth - reserved + width - state.running
            guard let place = state.place(for: item.client, open: open, reserved: reserved) else {
                return (item, false)
            }
            var item = item
            item.lane = place.lane
            state.queues[place.lane.rawValue].append(item, of: item.client.number)
            let startsThread = state.threads < width
            if startsThread { state.threads += 1 }
            return (place.rejected, startsThread)
        }
        rejected?.reject(.full)
        if startsThread { startThread() }
    }

    private func cancel(_ number: UInt64, of client: Client) {
        let item = state.withLock { state -> Item? in
            for lane in state.queues.indices {
                let item = state.queues[lane].remove(of: client.number) { $0.number == number }
                if let item { return item }
            }
            return nil
        }
        item?.reject(.cancelled)
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

    /// Rejects waiting work if no thread could be started and none is left to do it.
    private func giveUp() {
        let items = state.withLock { state -> [Item] in
            state.threads -= 1
            var items: [Item] = []
            while state.threads == 0, let item = state.next() {
                state.charge(item.client, in: item.lane)
                items.append(item)
            }
            return items
        }
        for item in items { item.reject(.full) }
    }

    private func drain() {
        let isPrompt = state.withLock { state in
            guard self.isPrompt, !state.hasPromptThread else { return false }
            state.hasPromptThread = true
            return true
        }
        // On Linux, 0 is the calling thread, and a lower priority is never denied.
        if !isPrompt { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) }
        while let item = next(isPrompt) { item.work(item.lane) }
    }

    /// The next item; `nil` if there is none, and the thread ends.
    private func next(_ isPrompt: Bool) -> Item? {
        state.withLock { state in
            guard let item = state.next() else {
                state.threads -= 1
                if isPrompt { state.hasPromptThread = false }
                return nil
            }
            state.running += 1
            return item
        }
    }

    /// Done before the caller resumes, so that sequential callers never find a full pool.
    private func finishOne(of client: Client, in lane: Lane) {
        state.withLock { state in
            state.running -= 1
            state.charge(client, in: lane)
        }
    }
}
