import Dispatch
import Glibc
import Synchronization

/// A thread that waits for sockets and runs the tasks of their connections, so that a connection
/// reads as straight-line `async` code without hops, locks or copies between threads.
///
/// The loop is the executor of its tasks (`TaskExecutor`). It runs on its own serial Dispatch queue
/// until it is stopped and its last channel is closed; jobs that arrive later also run there.
public final class EventLoop: TaskExecutor, Sendable {
    /// The state that only the loop's thread accesses.
    struct State {
        var wheel: TimerWheel
        var jobs = FIFO<UnownedJob>()
        /// Work submitted by other threads.
        var work = FIFO<@Sendable () -> Void>()
        var slots = ChannelSlots()
        var timers = LoopTimers()
        var listeners = LoopListeners()
        /// Listeners where connections wait.
        var arrivals: [UInt64] = []
        var now: Int64
        var wallSeconds: Int64
        var nextTurn: [UnsafeContinuation<Void, Never>] = []
        var isDraining = false
        /// Whether channels are handed off: soon (false), or now.
        var leaves: Bool?
        var isStopping = false
        var wires: TLSRecordBuffers?
    }

    /// Work submitted by other threads.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        /// Nothing drains the inbox any more.
        var hasEnded = false
        var isEmpty: Bool { jobs.isEmpty && work.isEmpty }
    }

    // Confined to the loop's thread: `isOnLoop` is checked at every entry point. Accesses never
    // overlap, so exclusivity is not checked.
    @exclusivity(unchecked) nonisolated(unsafe) var state: State
    let poller: EpollPoller
    private let inbox = Lock(Inbox())
    private let thread = Atomic<UInt>(0)
    private let channels = Atomic<Int>(0)
    private let queue: DispatchQueue
    /// Its index in its group.
    public let index: Int

    /// Creates a loop and starts it.
    public init(index: Int) throws(SystemError) {
        self.index = index
        let now = Self.clock(CLOCK_MONOTONIC)
        poller = try EpollPoller()
        state = State(
            wheel: TimerWheel(now: now), now: now, wallSeconds: Self.clock(CLOCK_REALTIME) / 1_000)
        queue = DispatchQueue(label: "broadsheet.loop.\(index)", qos: .userInitiated)
        queue.async { self.run() }
    }

    // MARK: Executor

    /// Runs a task's job on the loop (SE-0417).
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop {
            state.jobs.append(job)
        } else {
            post { $0.jobs.append(job) }
        }
    }

    /// Traps unless the caller runs on the loop's thread.
    func checkIsOnLoop() {
        precondition(isOnLoop, "programmer error: loop-confined state used off its loop")
    }

    /// Whether the caller runs on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs the work on the loop soon.
    public func submit(_ work: @escaping @Sendable () -> Void) {
        post { $0.work.append(work) }
    }

    /// Wakes the loop only if the inbox was empty: otherwise a wake-up is pending.
    private func post(_ add: (inout Inbox) -> Void) {
        let (wasEmpty, hadEnded) = inbox.withLock { inbox in
            let state = (inbox.isEmpty, inbox.hasEnded)
            add(&inbox)
            inbox.hasEnded = false
            return state
        }
        if hadEnded {
            queue.async { self.run() }
        } else if wasEmpty {
            poller.wake()
        }
    }

    // MARK: Running

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        repeat {
            // Invariant: each turn runs what is ready, for a bounded time, and then polls the
            // sockets.
            while !isDone {
                runReady()
                waitForEvents()
                tellListeners()
                tellTimers()
                resumeNextTurn()
            }
            runReady()
            // Pending timers may retain the loop.
            _ = state.timers.takeAll()
        } while !ends()
        thread.store(0, ordering: .relaxed)
    }

    private var isDone: Bool { state.isStopping && state.slots.isEmpty }
    private var hasReady: Bool { !state.jobs.isEmpty || !state.work.isEmpty }

    /// Whether nothing is left; a later post starts the loop again.
    private func ends() -> Bool {
        guard !hasReady else { return false }
        return inbox.withLock { inbox in
            inbox.hasEnded = inbox.isEmpty
            return inbox.hasEnded
        }
    }

    /// Runs submitted work and jobs, including those that they enqueue, each for a bounded time;
    /// the rest waits for the next turn. Sockets, listeners and timers are thus polled under any
    /// load.
    private func runReady() {
        takeInbox()
        var end = Self.nanoseconds + Self.longestTurnNanoseconds
        while let work = state.work.popFirst() {
            work()
            guard Self.nanoseconds < end else { break }
        }
        guard !state.jobs.isEmpty else { return }
        end = Self.nanoseconds + Self.longestTurnNanoseconds
        for _ in 0..<Self.mostJobsInATurn {
            guard let job = state.jobs.popFirst() else { return }
            // Not isolated to the loop like an actor: every call of an async function would then
            // leave that isolation by way of the queue.
            job.runSynchronously(on: asUnownedTaskExecutor())
            guard Self.nanoseconds < end else { return }
        }
    }

    /// The time limit of a turn's work, and of its jobs; one item may exceed it.
    private static let longestTurnNanoseconds: Int64 = 1_000_000
    private static let mostJobsInATurn = 256

    private func takeInbox() {
        let inbox = inbox.withLock { inbox in
            let taken = inbox
            if !taken.isEmpty { inbox = Inbox() }
            return taken
        }
        if !inbox.jobs.isEmpty { state.jobs.append(contentsOf: inbox.jobs) }
        if !inbox.work.isEmpty { state.work.append(contentsOf: inbox.work) }
    }

    private func waitForEvents() {
        var timeout: Int32 = -1
        if hasReady || !state.nextTurn.isEmpty || isDone {
            timeout = 0
        } else if let delay = state.wheel.delay(from: state.now) {
            timeout = Int32(clamping: delay + 1)
        }
        var isTurnBegun = false
        do throws(SystemError) {
            _ = try poller.wait(milliseconds: timeout) { event in
                if !isTurnBegun { readClocks() }
                isTurnBegun = true
                if LoopListeners.holds(event.token) {
                    state.arrivals.append(event.token)
                } else {
                    state.slots[event.token]?.note(event)
                }
            }
        } catch {
            // Programmer error: epoll_wait fails only for a bad descriptor or a bad buffer.
            preconditionFailure("\(error)")
        }
        if !isTurnBegun { readClocks() }
    }

    private func readClocks() {
        state.now = Self.clock(CLOCK_MONOTONIC)
        state.wallSeconds = Self.clock(CLOCK_REALTIME) / 1_000
    }

    private func tellTimers() {
        for token in state.wheel.take(upTo: state.now) {
            if LoopTimers.holds(token) {
                tellTimer(token)
            } else {
                state.slots[token]?.deadlineReached(now: state.now)
            }
        }
    }

    private func tellTimer(_ token: UInt64) {
        switch state.timers.take(token, now: state.now) {
        case .due(let work): work()
        case .later(let time): _ = state.wheel.add(token, at: time)
        case .cancelled: break
        }
    }

    private func resumeNextTurn() {
        guard !state.nextTurn.isEmpty else { return }
        // Only the oldest few: each may take its time, and new arrivals wait for all of them.
        let waiting = state.nextTurn.prefix(Self.mostResumedInATurn)
        state.nextTurn.removeFirst(waiting.count)
        for continuation in waiting { continuation.resume() }
    }

    private static let mostResumedInATurn = 8

    /// Monotonic milliseconds; unlike `now` it advances during a turn.
    static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func clock(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    // MARK: On the loop

    /// Monotonic milliseconds, updated once per turn.
    public var now: Int64 {
        assert(isOnLoop, "programmer error: the loop's time is read off its loop")
        return state.now
    }

    /// Seconds since 1970, updated once per turn.
    public var wallSeconds: Int64 {
        assert(isOnLoop, "programmer error: the loop's time is read off its loop")
        return state.wallSeconds
    }

    /// Runs the work once on the loop, up to 64 ms late, but not after the loop has stopped. Only
    /// on the loop.
    @discardableResult
    public func schedule(
        afterMilliseconds delay: Int64, _ work: @escaping () -> Void
    ) -> LoopTimer {
        checkIsOnLoop()
        let time = state.now + max(0, delay)
        let timer = state.timers.add(at: time, work)
        _ = state.wheel.add(timer.token, at: time)
        return timer
    }

    /// Cancels the timer and releases its work. Only on the loop.
    public func cancel(_ timer: LoopTimer) {
        checkIsOnLoop()
        state.timers.remove(timer)
    }

    /// Yields to everything else that is ready. Only on the loop. (`Task.yield` would go through
    /// the global executor, which may be busy.)
    public func giveWay() async {
        await withUnsafeContinuation { state.nextTurn.append($0) }
    }

    /// The buffers shared by the loop's TLS sessions, created on first use. Only on the loop.
    var wires: TLSRecordBuffers {
        checkIsOnLoop()
        if let wires = state.wires { return wires }
        let wires = TLSRecordBuffers()
        state.wires = wires
        return wires
    }

    /// The number of channels whose tasks have not ended. From any thread.
    public var channelCount: Int { channels.load(ordering: .relaxed) }

    /// Makes the timer wheel show the channel at or after `time`.
    /// - Returns: The earliest time at which it is shown.
    func arm(_ token: UInt64, at time: Int64) -> Int64 { state.wheel.add(token, at: time) }

    /// Creates a channel for the descriptor and runs its task here: this is the only place where
    /// tasks are created. When the task ends, the channel is closed and `ended` is called; `ended`
    /// is also called if the loop cannot create the channel. From any thread.
    public func adopt(
        _ descriptor: consuming Descriptor, peer: SocketAddress,
        _ body: @escaping @Sendable (SocketChannel) async -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        let raw = descriptor.release()
        guard isOnLoop else {
            return submit { [self] in take(raw, peer, body, ended) }
        }
        take(raw, peer, body, ended)
    }

    private func take(
        _ raw: Int32, _ peer: SocketAddress,
        _ body: @escaping @Sendable (SocketChannel) async -> Void,
        _ ended: @escaping @Sendable () -> Void
    ) {
        guard !state.isStopping, start(raw, peer, body, ended) else {
            close(raw)
            return ended()
        }
    }

    private func start(
        _ raw: Int32, _ peer: SocketAddress,
        _ body: @escaping @Sendable (SocketChannel) async -> Void,
        _ ended: @escaping @Sendable () -> Void
    ) -> Bool {
        let token = state.slots.reserve()
        do throws(SystemError) {
            try poller.watch(raw, token: token)
        } catch {
            state.slots.free(token)
            return false
        }
        let channel = SocketChannel(Descriptor(raw), peer: peer, token: token, loop: self)
        state.slots.fill(token, with: channel)
        channels.wrappingAdd(1, ordering: .relaxed)
        if state.isDraining { channel.drain() }
        if let now = state.leaves { channel.leave(now: now) }
        channel.task = Task(executorPreference: self) {
            if let channel = self.state.slots[token] {
                await body(channel)
                channel.task = nil
                channel.close()
            }
            self.state.slots.free(token)
            self.channels.wrappingSubtract(1, ordering: .relaxed)
            ended()
        }
        return true
    }

    // MARK: Stopping

    /// Ends the waits of idle channels, now and in future: their next read ends the connection.
    public func drain() {
        submit { [self] in
            state.isDraining = true
            for channel in state.slots.open { channel.drain() }
        }
    }

    /// Notifies channels, including future ones, that they are to be handed off (`detach`): now or
    /// soon.
    public func leave(now: Bool) {
        submit { [self] in
            state.leaves = now
            for channel in state.slots.open { channel.leave(now: now) }
        }
    }

    /// Stops watching a handed-off descriptor: closing it here would not be enough.
    func forget(_ descriptor: Int32) { poller.forget(descriptor) }

    /// Closes every channel immediately, and ends when their tasks have ended.
    public func stop() {
        submit { [self] in
            state.isStopping = true
            for channel in state.slots.open { channel.abort(.cancelled) }
        }
    }
}
