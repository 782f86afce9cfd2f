public import BroadsheetPlatform
import Dispatch
import Glibc
import Synchronization

/// Waits for sockets and runs the tasks of their connections, so that a connection reads as
/// straight-line `async` code without hops, locks or copies between threads.
///
/// The loop is its tasks' executor (`TaskExecutor`), and runs on its own serial Dispatch queue.
/// While sockets are busy it keeps a thread; when they have been quiet for a moment, it rests:
/// Dispatch waits for the next event, and the loop has no thread. It ends when it is stopped and
/// its last channel is closed; jobs that arrive later also run on its queue.
public final class EventLoop: TaskExecutor, Sendable {
    /// The state that is only accessed on the loop's queue.
    struct State {
        var wheel: TimerWheel
        var jobs = FIFO<UnownedJob>()
        /// Work submitted by other threads.
        var work = FIFO<@Sendable () -> Void>()
        var slots = ChannelSlots()
        var timers = LoopEntries<(time: Int64, work: () -> Void)>()
        var listeners = LoopEntries<ListeningEntry>()
        /// Listeners where connections wait.
        var arrivals: [UInt64] = []
        var now: Int64
        var wallSeconds: Int64
        var nextTurn: [UnsafeContinuation<Void, Never>] = []
        var turnEnd: [() -> Void] = []
        var isDraining = false
        /// False once channels are handed off when they are idle, true once they are handed off
        /// now.
        var leaves: Bool?
        var isStopping = false
        var wires: TLSRecordBuffers?
        /// The latest time at which Dispatch wakes the loop; monotonic milliseconds.
        var wakeTime = Int64.max
    }

    /// Work submitted by other threads.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        /// The loop rests: nothing drains the inbox until the next run.
        var isResting = false
        var isEmpty: Bool { jobs.isEmpty && work.isEmpty }
    }

    // Confined to the loop's queue: `isOnLoop` is checked at every entry point. Accesses never
    // overlap, so exclusivity is not checked.
    @exclusivity(unchecked) nonisolated(unsafe) var state: State
    let poller: EpollPoller
    private let sources: LoopWakeupSources
    private let inbox = Lock(Inbox(isResting: true))
    /// The thread of the current run; 0 while the loop rests.
    private let thread = Atomic<UInt>(0)
    private let channels = Atomic<Int>(0)
    private let queue: DispatchQueue
    /// Its index in its group.
    public let index: Int

    /// Creates a loop and starts it.
    public init(index: Int) throws(SystemError) {
        self.index = index
        let now = Self.uptimeMilliseconds
        poller = try EpollPoller()
        state = State(
            wheel: TimerWheel(now: now), now: now,
            wallSeconds: SystemClock.wallNanoseconds / 1_000_000_000)
        queue = DispatchQueue(label: "broadsheet.loop.\(index)", qos: .userInitiated)
        sources = LoopWakeupSources(poller.descriptor, on: queue)
        sources.activate { [self] in run() }
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

    /// Traps unless the caller runs on the loop.
    func checkIsOnLoop() {
        precondition(isOnLoop, "programmer error: loop-confined state used off its loop")
    }

    /// True if the caller runs on the loop.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// True if the loop has no thread, because nothing is ready. From any thread.
    var isResting: Bool { thread.load(ordering: .relaxed) == 0 }

    /// Runs the work on the loop soon.
    public func submit(_ work: @escaping @Sendable () -> Void) {
        post { $0.work.append(work) }
    }

    /// Starts the loop if it rests. Otherwise wakes it only if the inbox was empty: a wake-up is
    /// pending if not.
    private func post(_ add: (inout Inbox) -> Void) {
        let (wasEmpty, wasResting) = inbox.withLock { inbox in
            let state = (inbox.isEmpty, inbox.isResting)
            add(&inbox)
            inbox.isResting = false
            return state
        }
        if wasResting {
            queue.async { self.run() }
        } else if wasEmpty {
            poller.wake()
        }
    }

    // MARK: Running

    /// Runs turns while there is something to do, and then returns the thread to Dispatch.
    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        readClocks()
        var patience: Int32 = 0
        var isQuiet = false
        repeat {
            // Invariant: each turn runs ready jobs, for a bounded time, and then polls the sockets.
            runReady()
            endTurn()
            isQuiet = !waitForEvents(upTo: patience)
            // After an event another one is likely, and waiting for it here is cheaper than waking
            // up for it.
            if !isQuiet { patience = Self.patienceMilliseconds }
            if !state.arrivals.isEmpty { notifyListeners() }
            notifyTimers()
            resumeNextTurn()
        } while !isQuiet || hasReady || !rests()
        thread.store(0, ordering: .relaxed)
    }

    /// The time for which a busy loop keeps its thread without an event.
    private static let patienceMilliseconds: Int32 = 20

    private var isDone: Bool { state.isStopping && state.slots.isEmpty }
    private var hasReady: Bool {
        !state.jobs.isEmpty || !state.work.isEmpty || !state.nextTurn.isEmpty
            || !state.turnEnd.isEmpty
    }

    /// Leaves the waiting to Dispatch, unless work was submitted meanwhile.
    private func rests() -> Bool {
        if isDone {
            sources.cancel()
            // Pending timers may retain the loop; objects that they release may submit jobs.
            _ = state.timers.removeAll()
            guard !hasReady else { return false }
        } else {
            setWakeTime()
        }
        return inbox.withLock { inbox in
            inbox.isResting = inbox.isEmpty
            return inbox.isResting
        }
    }

    /// Makes Dispatch wake the loop for its next timer. A wake-up that is set for an earlier time
    /// stays: to change it costs more than to wake up once in vain.
    private func setWakeTime() {
        if state.wakeTime <= state.now { state.wakeTime = .max }
        guard let delay = state.wheel.delay(from: state.now),
            state.now + delay + 1 < state.wakeTime
        else { return }
        state.wakeTime = state.now + delay + 1
        sources.setTimer(afterMilliseconds: delay + 1)
    }

    /// Runs submitted work and jobs, including those that they enqueue, each for a bounded time;
    /// the rest waits for the next turn. Sockets, listeners and timers are thus polled under any
    /// load.
    private func runReady() {
        takeInbox()
        var end = SystemClock.monotonicNanoseconds + Self.limitTurnNanoseconds
        while let work = state.work.popFirst() {
            work()
            guard SystemClock.monotonicNanoseconds < end else { break }
        }
        guard !state.jobs.isEmpty else { return }
        end = SystemClock.monotonicNanoseconds + Self.limitTurnNanoseconds
        for _ in 0..<Self.limitJobsPerTurn {
            guard let job = state.jobs.popFirst() else { return }
            // Not isolated to the loop like an actor: every call of an async function would then
            // leave that isolation by way of the queue.
            job.runSynchronously(on: asUnownedTaskExecutor())
            guard SystemClock.monotonicNanoseconds < end else { return }
        }
    }

    /// The time limit of a turn's work, and of its jobs; one item may exceed it.
    private static let limitTurnNanoseconds: Int64 = 250_000
    private static let limitJobsPerTurn = 256

    private func takeInbox() {
        let inbox = inbox.withLock { inbox in
            let taken = inbox
            if taken.isResting || !taken.isEmpty { inbox = Inbox() }
            return taken
        }
        if !inbox.jobs.isEmpty { state.jobs.append(contentsOf: inbox.jobs) }
        if !inbox.work.isEmpty { state.work.append(contentsOf: inbox.work) }
    }

    /// - Returns: True if anything happened.
    private func waitForEvents(upTo milliseconds: Int32) -> Bool {
        var timeout = hasReady || isDone ? 0 : milliseconds
        if timeout > 0, let delay = state.wheel.delay(from: state.now) {
            timeout = min(timeout, Int32(clamping: delay + 1))
        }
        var isTurnBegun = false
        defer { if !isTurnBegun { readClocks() } }
        do throws(SystemError) {
            return try poller.wait(milliseconds: timeout) { event in
                if !isTurnBegun { readClocks() }
                isTurnBegun = true
                if ChannelSlots.holds(event.token) {
                    state.slots[event.token]?.note(event)
                } else {
                    state.arrivals.append(event.token)
                }
            }
        } catch {
            // Programmer error: epoll_wait fails only for a bad descriptor or a bad buffer.
            preconditionFailure("\(error)")
        }
    }

    private func readClocks() {
        state.now = Self.uptimeMilliseconds
        state.wallSeconds = SystemClock.wallNanoseconds / 1_000_000_000
    }

    private func resumeNextTurn() {
        guard !state.nextTurn.isEmpty else { return }
        // Only the oldest few: each may take its time, and new arrivals wait for all of them.
        let waiting = state.nextTurn.prefix(Self.limitResumedPerTurn)
        state.nextTurn.removeFirst(waiting.count)
        for continuation in waiting { continuation.resume() }
    }

    private static let limitResumedPerTurn = 8

    private func endTurn() {
        guard !state.turnEnd.isEmpty else { return }
        let work = state.turnEnd
        state.turnEnd = []
        for work in work { work() }
    }

    /// The clock of all loops, for other threads: `now` is its time at the beginning of a turn.
    public static var uptimeMilliseconds: Int64 { SystemClock.monotonicNanoseconds / 1_000_000 }

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

    /// Yields to everything else that is ready. Only on the loop. (`Task.yield` would go through
    /// the global executor, which may be busy.)
    public func yield() async {
        await withUnsafeContinuation { state.nextTurn.append($0) }
    }

    /// Runs the work once when this turn's jobs have run: their output can then be sent together.
    /// Only on the loop.
    public func afterCurrentTurn(_ work: @escaping () -> Void) {
        checkIsOnLoop()
        state.turnEnd.append(work)
    }

    /// Starts a task here, for one of several exchanges of a channel; its owner waits for its end.
    public func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
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

    /// Creates a channel for the descriptor and runs its task here: this and `spawn` are the only
    /// places where tasks are created. When the task ends, the channel is closed and `ended` is
    /// called; `ended` is also called if the loop cannot create the channel. From any thread.
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
