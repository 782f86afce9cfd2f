import Dispatch
import Glibc
import Synchronization

/// Threads for what requests do away from event loops: work that blocks (databases, files), and
/// what takes long (large JSON, hashing).
///
/// It is fair: clients of each kind have the same share of the time, and so has each client among
/// its kind. It is bounded: at most `width` work at once, `depth` of each kind wait, and what they
/// make takes at most `limitBytes` until it is sent. Heavy work leaves one thread for the rest.
///
/// A task asks for a turn (`turn(for:)`), does its work with the turn as its preferred executor,
/// and then says how many bytes it made (`WorkerTurn.settle(bytes:)`); these are held until the
/// turn is released.
public final class WorkerPool: Sendable {
    /// Who wants something done. Kinds share the threads evenly.
    public struct Client: Sendable, Hashable {
        public enum Kind: Int, Sendable, CaseIterable {
            /// The server itself, and its operator.
            case house
            /// Who has a key.
            case keyed
            case anonymous
        }

        public var kind: Kind
        /// Tells it from others of its kind.
        public var number: UInt64

        public init(_ kind: Kind, number: UInt64 = 0) {
            self.kind = kind
            self.number = number
        }
    }

    /// What a turn is wanted for.
    public struct Demand: Sendable, Hashable {
        public var client: Client
        /// Whether it is likely to take milliseconds, or large memory.
        public var isHeavy: Bool
        /// The most that it is likely to make.
        public var bytes: Int

        public init(_ client: Client, isHeavy: Bool = false, bytes: Int = 256 << 10) {
            self.client = client
            self.isHeavy = isHeavy
            self.bytes = bytes
        }

        /// Where it waits: what is not heavy does not wait behind the same client's heavy work.
        var lane: UInt64 { isHeavy ? client.number ^ 0x9E37_79B9_7F4A_7C15 : client.number }

        var estimatedNanoseconds: Int64 { isHeavy ? 5_000_000 : 50_000 }
    }

    /// Too much waits already; nothing was begun.
    public struct Full: Error, Sendable {
        public init() {}
    }

    /// What a worker does.
    struct Item: Sendable {
        enum Work: Sendable {
            case job(UnownedJob)
            case call(@Sendable (_ worker: Int) -> Void)
        }

        let turn: WorkerTurn
        let work: Work
    }

    private struct State {
        /// What has begun, or was refused, goes first: it holds room, or takes no time.
        var resumed = FIFO<Item>()
        var queues = Client.Kind.allCases.map { _ in FairQueue<Item>() }
        /// Nanoseconds that each kind had, and those of the kind that went last.
        var times = Client.Kind.allCases.map { _ in Int64(0) }
        var clock: Int64 = 0
        /// Turns that have not begun.
        var waiting = Client.Kind.allCases.map { _ in 0 }
        /// The workers that do nothing.
        var idle: [Int]
        var heavy = 0
        var bytes = 0
    }

    // A serial queue has a thread of its own when it needs one; a concurrent one would share as
    // many threads as there are cores with every other pool.
    private let queues: [DispatchQueue]
    /// The thread of each worker that works; 0 for the others.
    private let threads: [ThreadMark]
    private let depth: Int
    private let mostHeavy: Int
    private let limitBytes: Int
    private let state: Lock<State>
    private let whenIdle: @Sendable (Int) -> Void

    private final class ThreadMark: Sendable {
        let thread = Atomic<UInt>(0)
    }

    /// 64 MiB.
    public static let defaultLimitBytes = 64 << 20

    /// - Parameters:
    ///   - label: of the Dispatch queues, for debuggers.
    ///   - width: how many threads work at once; at least 1.
    ///   - depth: turns of each kind that may wait while all of them work.
    ///   - limitBytes: of what turns hold; a quarter is kept for what is not heavy.
    ///   - whenIdle: called by a worker that finds nothing more to do, with its number: what it
    ///     kept from one piece of work to the next goes.
    public init(
        label: String, width: Int, depth: Int, limitBytes: Int = WorkerPool.defaultLimitBytes,
        whenIdle: @escaping @Sendable (_ worker: Int) -> Void = { _ in }
    ) {
        let width = max(1, width)
        queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
        threads = (0..<width).map { _ in ThreadMark() }
        mostHeavy = max(1, width - 1)
        self.depth = max(0, depth)
        self.limitBytes = limitBytes
        self.whenIdle = whenIdle
        state = Lock(State(idle: Array((0..<width).reversed())))
    }

    /// Turns that have not begun.
    public var waiting: Int { state.withLock { $0.waiting.reduce(0, +) } }

    /// Of these, those whose work is there.
    var queued: Int { state.withLock { $0.queues.reduce(0) { $0 + $1.count } } }

    /// Bytes that turns hold, or may come to hold.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// The worker whose thread this is; `nil` on any other.
    public var currentWorker: Int? {
        let thread = UInt(pthread_self())
        return threads.firstIndex { $0.thread.load(ordering: .relaxed) == thread }
    }

    /// A place among those that wait. What it was wanted for has to be done soon.
    public func turn(for demand: Demand) throws(Full) -> WorkerTurn {
        let kind = demand.client.kind.rawValue
        let (isAccepted, refused) = state.withLock { state -> (Bool, Item?) in
            guard state.waiting[kind] >= depth + state.idle.count else {
                state.waiting[kind] += 1
                return (true, nil)
            }
            guard let other = state.queues[kind].pushOut(for: demand.lane) else {
                return (false, nil)
            }
            other.turn.phase = .refused
            state.resumed.append(other)
            return (true, other)
        }
        guard isAccepted else { throw Full() }
        if refused != nil { wakeWorkers() }
        return WorkerTurn(demand, in: self)
    }

    /// Runs the work on a thread of the pool, on this one if it is, and suspends until it is done.
    ///
    /// - Parameter work: gets the number of the worker that runs it, from 0 to below `width`; a
    ///   worker does one thing at a time.
    public func run<Result: Sendable>(
        for demand: Demand = Demand(Client(.house), bytes: 0),
        _ work: @escaping @Sendable (_ worker: Int) -> Result
    ) async throws(Full) -> Result {
        if let worker = currentWorker { return work(worker) }
        let turn = try turn(for: demand)
        let result: Result? = await withUnsafeContinuation { continuation in
            let call: @Sendable (Int) -> Void = { [turn] worker in
                continuation.resume(returning: turn.isRefused ? nil : work(worker))
            }
            add(Item(turn: turn, work: .call(call)))
        }
        guard let result else { throw Full() }
        return result
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

    // MARK: Turns

    func add(_ item: Item) {
        let worker = state.withLock { state -> Int? in
            if item.turn.phase == .waiting {
                let kind = item.turn.demand.client.kind.rawValue
                if state.queues[kind].count == 0 {
                    state.times[kind] = max(state.times[kind], state.clock)
                }
                state.queues[kind].append(item, of: item.turn.demand.lane)
            } else {
                state.resumed.append(item)
            }
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    func isRefused(_ turn: WorkerTurn) -> Bool { state.withLock { _ in turn.phase == .refused } }

    func settle(_ turn: WorkerTurn, bytes: Int) {
        let worker = state.withLock { state -> Int? in
            guard turn.phase == .begun else { return nil }
            state.bytes += bytes - turn.heldBytes
            turn.heldBytes = bytes
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    func end(_ turn: WorkerTurn) {
        let worker = state.withLock { state -> Int? in
            switch turn.phase {
            case .waiting: state.waiting[turn.demand.client.kind.rawValue] -= 1
            case .begun: state.bytes -= turn.heldBytes
            case .refused, .ended: break
            }
            turn.phase = .ended
            turn.heldBytes = 0
            return takeIdle(&state)
        }
        if let worker { start(worker) }
    }

    // MARK: Workers

    /// A worker that has nothing to do although something may run.
    private func takeIdle(_ state: inout State) -> Int? {
        guard !state.idle.isEmpty, hasMore(state) else { return nil }
        return state.idle.popLast()
    }

    private func hasMore(_ state: borrowing State) -> Bool {
        guard state.resumed.isEmpty else { return true }
        let (heavy, bytes) = (state.heavy, state.bytes)
        for queue in state.queues where queue.count > 0 {
            if queue.contains(where: {
                mayBegin($0.turn.demand, heavy: heavy, bytes: bytes)
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
            var done: Done?
            while let (item, isFirst) = next(after: done) {
                let start = EventLoop.nanoseconds
                switch item.work {
                case .job(let job): job.runSynchronously(on: item.turn.asUnownedTaskExecutor())
                case .call(let call): call(worker)
                }
                done = Done(
                    demand: item.turn.demand, isFirst: isFirst,
                    nanoseconds: EventLoop.nanoseconds - start)
            }
            whenIdle(worker)
        } while !rest(worker)
    }

    /// What a worker has just done.
    private struct Done {
        let demand: Demand
        /// Whether a turn began with it: it was charged with what was estimated.
        let isFirst: Bool
        let nanoseconds: Int64
    }

    /// What is to be done next, and whether a turn begins with it.
    private func next(after done: Done?) -> (item: Item, isFirst: Bool)? {
        let (found, other) = state.withLock { state -> ((Item, Bool)?, Int?) in
            if let done { charge(done, &state) }
            let resumed = state.resumed.popFirst()
            guard let item = resumed ?? begin(&state) else { return (nil, nil) }
            if item.turn.demand.isHeavy { state.heavy += 1 }
            return ((item, resumed == nil), takeIdle(&state))
        }
        if let other { start(other) }
        return found
    }

    private func charge(_ done: Done, _ state: inout State) {
        let kind = done.demand.client.kind.rawValue
        if done.demand.isHeavy { state.heavy -= 1 }
        let estimate = done.isFirst ? done.demand.estimatedNanoseconds : 0
        let nanoseconds = min(done.nanoseconds, Self.mostCharged)
        state.times[kind] += nanoseconds - estimate
        if done.isFirst {
            state.queues[kind].charge(nanoseconds, estimate: estimate, to: done.demand.lane)
        }
    }

    /// More is never made up for by waiting: who once did something long is not shut out for it.
    private static let mostCharged: Int64 = 100_000_000

    /// Takes what is due among those that have not begun, and room for it.
    private func begin(_ state: inout State) -> Item? {
        let (heavy, bytes) = (state.heavy, state.bytes)
        // Invariant: of the kinds whose bits are set, nothing may run now.
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
                where: { mayBegin($0.turn.demand, heavy: heavy, bytes: bytes) },
                estimate: { $0.turn.demand.estimatedNanoseconds })
            if let item = found {
                hold(item.turn, &state)
                return item
            }
        }
    }

    private func hold(_ turn: WorkerTurn, _ state: inout State) {
        let demand = turn.demand
        let kind = demand.client.kind.rawValue
        state.clock = max(state.clock, state.times[kind])
        state.times[kind] += demand.estimatedNanoseconds
        state.waiting[kind] -= 1
        turn.phase = .begun
        turn.heldBytes = demand.bytes
        state.bytes += demand.bytes
    }

    private func mayBegin(_ demand: Demand, heavy: Int, bytes: Int) -> Bool {
        if demand.isHeavy, heavy >= mostHeavy { return false }
        let limit = demand.isHeavy ? limitBytes - limitBytes / 4 : limitBytes
        return bytes == 0 || bytes + demand.bytes <= limit
    }

    /// Lets the worker do nothing, unless something came meanwhile.
    private func rest(_ worker: Int) -> Bool {
        state.withLock { state in
            guard !hasMore(state) else { return false }
            threads[worker].thread.store(0, ordering: .relaxed)
            state.idle.append(worker)
            return true
        }
    }
}
