import Dispatch
import Glibc
import Synchronization

/// Threads for the work of requests that must not run on event loops: blocking work (databases,
/// files), and long computations (large JSON, hashing).
///
/// It is fair: all kinds of clients share the time evenly, and so do the clients of each kind. It
/// is bounded: at most `width` slots run, `depth` of each kind wait, and their output takes at most
/// `limitBytes` until it is sent. Heavy work leaves one thread for the rest.
///
/// A task requests a slot (`slot(for:)`), does its work with the slot as its preferred executor,
/// and then reports the size of its output (`WorkSlot.accountForOutput(bytes:)`), which stays
/// reserved until the slot is released.
public final class WorkerPool: Sendable {
    /// A client of the pool. Kinds share the threads evenly.
    public struct Client: Sendable, Hashable {
        public enum Kind: Int, Sendable, CaseIterable {
            /// The server itself and its operator.
            case house
            /// Clients with an API key.
            case keyed
            case anonymous
        }

        public var kind: Kind
        /// Identifies the client among its kind.
        public var number: UInt64

        public init(_ kind: Kind, number: UInt64 = 0) {
            self.kind = kind
            self.number = number
        }
    }

    /// The purpose of a slot.
    public struct Demand: Sendable, Hashable {
        public var client: Client
        /// True if the work probably takes milliseconds or much memory.
        public var isHeavy: Bool
        /// The maximum expected size of its output.
        public var bytes: Int

        public init(_ client: Client, isHeavy: Bool = false, bytes: Int = 256 << 10) {
            self.client = client
            self.isHeavy = isHeavy
            self.bytes = bytes
        }

        /// The queue of the slot: light work does not wait behind the same client's heavy work.
        var lane: UInt64 { isHeavy ? client.number ^ 0x9E37_79B9_7F4A_7C15 : client.number }

        var estimatedNanoseconds: Int64 { isHeavy ? 5_000_000 : 50_000 }
    }

    /// Too much work is waiting; nothing was started.
    public struct Full: Error, Sendable {
        public init() {}
    }

    /// One item of work for a worker.
    struct Item: Sendable {
        enum Work: Sendable {
            case job(UnownedJob)
            case call(@Sendable (_ worker: Int) -> Void)
        }

        let slot: WorkSlot
        let work: Work
    }

    private struct State {
        /// Items of slots that have begun or were rejected run first: they hold memory, or take no
        /// time.
        var resumed = FIFO<Item>()
        var queues = Client.Kind.allCases.map { _ in FairQueue<Item>() }
        /// The virtual time of each kind in nanoseconds, and of the kind that was last served.
        var times = Client.Kind.allCases.map { _ in Int64(0) }
        var clock: Int64 = 0
        /// The number of slots that have not begun.
        var waiting = Client.Kind.allCases.map { _ in 0 }
        /// The idle workers.
        var idle: [Int]
        var heavy = 0
        var bytes = 0
    }

    // A serial queue gets its own thread when it needs one; a concurrent one would share as many
    // threads as there are cores with every other pool.
    private let queues: [DispatchQueue]
    /// The thread of each busy worker; 0 for the others.
    private let threads: [ThreadMark]
    private let depth: Int
    private let limitHeavy: Int
    private let limitBytes: Int
    private let state: Lock<State>
    private let whenIdle: @Sendable (Int) -> Void

    private final class ThreadMark: Sendable {
        let thread = Atomic<UInt>(0)
    }

    /// 64 MiB.
    public static let defaultLimitBytes = 64 << 20

    /// - Parameters:
    ///   - label: The label of the Dispatch queues, for debuggers.
    ///   - width: The number of threads; at least 1.
    ///   - depth: The maximum slots of each kind that wait while all of them are busy.
    ///   - limitBytes: The maximum bytes that slots hold; a quarter is reserved for light work.
    ///   - whenIdle: Called by a worker that becomes idle, with its index, to release resources
    ///     kept between items.
    public init(
        label: String, width: Int, depth: Int, limitBytes: Int = WorkerPool.defaultLimitBytes,
        whenIdle: @escaping @Sendable (_ worker: Int) -> Void = { _ in }
    ) {
        let width = max(1, width)
        queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
        threads = (0..<width).map { _ in ThreadMark() }
        limitHeavy = max(1, width - 1)
        self.depth = max(0, depth)
        self.limitBytes = limitBytes
        self.whenIdle = whenIdle
        state = Lock(State(idle: Array((0..<width).reversed())))
    }

    /// The number of slots that have not begun.
    public var waiting: Int { state.withLock { $0.waiting.reduce(0, +) } }

    /// The number of those whose work is queued.
    var queued: Int { state.withLock { $0.queues.reduce(0) { $0 + $1.count } } }

    /// The bytes that slots hold or have reserved.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// The worker on the current thread; `nil` on any other thread.
    public var currentWorker: Int? {
        let thread = UInt(pthread_self())
        return threads.firstIndex { $0.thread.load(ordering: .relaxed) == thread }
    }

    /// Requests a slot. Its work has to be submitted soon.
    public func slot(for demand: Demand) throws(Full) -> WorkSlot {
        let kind = demand.client.kind.rawValue
        let (isAccepted, rejected) = state.withLock { state -> (Bool, Item?) in
            guard state.waiting[kind] >= depth + state.idle.count else {
                state.waiting[kind] += 1
                return (true, nil)
            }
            guard let other = state.queues[kind].evictLast(for: demand.lane) else {
                return (false, nil)
            }
            other.slot.phase = .rejected
            state.resumed.append(other)
            return (true, other)
        }
        guard isAccepted else { throw Full() }
        if rejected != nil { wakeWorkers() }
        return WorkSlot(demand, in: self)
    }

    /// Runs the work on a thread of the pool, on the current one if it belongs to it, and suspends
    /// until it is done.
    ///
    /// - Parameter work: Called with the index of the worker that runs it, below `width`; a worker
    ///   does one item at a time.
    public func run<Result: Sendable>(
        for demand: Demand = Demand(Client(.house), bytes: 0),
        _ work: @escaping @Sendable (_ worker: Int) -> Result
    ) async throws(Full) -> Result {
        if let worker = currentWorker { return work(worker) }
        let result: Result? = await withUnsafeContinuation { continuation in
            submit(for: demand) { continuation.resume(returning: $0.map(work)) }
        }
        guard let result else { throw Full() }
        return result
    }

    /// Runs the work on a thread of the pool, without waiting for it.
    ///
    /// - Parameter work: Called once, with the index of the worker that runs it, or on any thread
    ///   with `nil` if too much is waiting.
    public func submit(
        for demand: Demand = Demand(Client(.house), bytes: 0),
        _ work: @escaping @Sendable (_ worker: Int?) -> Void
    ) {
        let slot: WorkSlot
        do throws(Full) { slot = try self.slot(for: demand) } catch { return work(nil) }
        add(Item(slot: slot, work: .call { work(slot.isRejected ? nil : $0) }))
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

    // MARK: Turns

    func add(_ item: Item) {
        let worker = state.withLock { state -> Int? in
            if item.slot.phase == .waiting {
                let kind = item.slot.demand.client.kind.rawValue
                if state.queues[kind].count == 0 {
                    state.times[kind] = max(state.times[kind], state.clock)
                }
                state.queues[kind].append(item, of: item.slot.demand.lane)
            } else {
                state.resumed.append(item)
            }
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    func isRejected(_ slot: WorkSlot) -> Bool { state.withLock { _ in slot.phase == .rejected } }

    func accountForOutput(_ slot: WorkSlot, bytes: Int) {
        let worker = state.withLock { state -> Int? in
            guard slot.phase == .begun else { return nil }
            state.bytes += bytes - slot.heldBytes
            slot.heldBytes = bytes
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    func end(_ slot: WorkSlot) {
        let worker = state.withLock { state -> Int? in
            switch slot.phase {
            case .waiting: state.waiting[slot.demand.client.kind.rawValue] -= 1
            case .begun: state.bytes -= slot.heldBytes
            case .rejected, .ended: break
            }
            slot.phase = .ended
            slot.heldBytes = 0
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    // MARK: Workers

    /// An idle worker, if there is work that may run.
    private func takeIdle(_ state: inout State) -> Int? {
        guard !state.idle.isEmpty, hasMore(state) else { return nil }
        return state.idle.popLast()
    }

    private func hasMore(_ state: borrowing State) -> Bool {
        guard state.resumed.isEmpty else { return true }
        let (heavy, bytes) = (state.heavy, state.bytes)
        for queue in state.queues where queue.count > 0 {
            if queue.contains(where: {
                mayBegin($0.slot.demand, heavy: heavy, bytes: bytes)
            }) {
                return true
            }
        }
        return false
    }

    private func wakeWorkers() {
        if let worker = state.withLock({ takeIdle(&$0) }) { start(worker) }
    }

    private func start(_ worker: Int) { queues[worker].async { self.drain(worker) } }

    private func drain(_ worker: Int) {
        threads[worker].thread.store(UInt(pthread_self()), ordering: .relaxed)
        repeat {
            var done: FinishedItem?
            while let (item, isFirst) = next(after: done) {
                let start = SystemClock.monotonicNanoseconds
                switch item.work {
                case .job(let job): job.runSynchronously(on: item.slot.asUnownedTaskExecutor())
                case .call(let call): call(worker)
                }
                done = FinishedItem(
                    demand: item.slot.demand, isFirst: isFirst,
                    nanoseconds: SystemClock.monotonicNanoseconds - start)
            }
            whenIdle(worker)
        } while !rest(worker)
    }

    /// The item that a worker has just finished.
    private struct FinishedItem {
        let demand: Demand
        /// True if a slot began with it, and was charged with the estimate.
        let isFirst: Bool
        let nanoseconds: Int64
    }

    /// The next item, and whether a slot begins with it.
    private func next(after done: FinishedItem?) -> (item: Item, isFirst: Bool)? {
        let (found, other) = state.withLock { state -> ((Item, Bool)?, Int?) in
            if let done { charge(done, &state) }
            let resumed = state.resumed.popFirst()
            guard let item = resumed ?? begin(&state) else { return (nil, nil) }
            if item.slot.demand.isHeavy { state.heavy += 1 }
            return ((item, resumed == nil), takeIdle(&state))
        }
        if let other { start(other) }
        return found
    }

    private func charge(_ done: FinishedItem, _ state: inout State) {
        let kind = done.demand.client.kind.rawValue
        if done.demand.isHeavy { state.heavy -= 1 }
        let estimate = done.isFirst ? done.demand.estimatedNanoseconds : 0
        let nanoseconds = min(done.nanoseconds, Self.limitChargeNanoseconds)
        state.times[kind] += nanoseconds - estimate
        if done.isFirst {
            state.queues[kind].charge(nanoseconds, estimate: estimate, to: done.demand.lane)
        }
    }

    /// The maximum charge of one item, so that a long one does not exclude its client for long.
    private static let limitChargeNanoseconds: Int64 = 100_000_000

    /// Removes the next item of the slots that have not begun, and reserves memory for it.
    private func begin(_ state: inout State) -> Item? {
        let (heavy, bytes) = (state.heavy, state.bytes)
        // Invariant: the kinds whose bits are set have nothing that may run now.
        var tried = 0
        while true {
            var first: Int?
            for kind in state.queues.indices
            where state.queues[kind].count > 0 && tried & 1 << kind == 0 {
                if first.map({ state.times[kind] < state.times[$0] }) ?? true { first = kind }
            }
            guard let kind = first else { return nil }
            tried |= 1 << kind
            let found = state.queues[kind].next(
                where: { mayBegin($0.slot.demand, heavy: heavy, bytes: bytes) },
                estimate: { $0.slot.demand.estimatedNanoseconds })
            if let item = found {
                hold(item.slot, &state)
                return item
            }
        }
    }

    private func hold(_ slot: WorkSlot, _ state: inout State) {
        let demand = slot.demand
        let kind = demand.client.kind.rawValue
        state.clock = max(state.clock, state.times[kind])
        state.times[kind] += demand.estimatedNanoseconds
        state.waiting[kind] -= 1
        slot.phase = .begun
        slot.heldBytes = demand.bytes
        state.bytes += demand.bytes
    }

    private func mayBegin(_ demand: Demand, heavy: Int, bytes: Int) -> Bool {
        if demand.isHeavy, heavy >= limitHeavy { return false }
        let limit = demand.isHeavy ? limitBytes - limitBytes / 4 : limitBytes
        return bytes == 0 || bytes + demand.bytes <= limit
    }

    /// Makes the worker idle unless new work has arrived.
    private func rest(_ worker: Int) -> Bool {
        state.withLock { state in
            guard !hasMore(state) else { return false }
            threads[worker].thread.store(0, ordering: .relaxed)
            state.idle.append(worker)
            return true
        }
    }
}
