import Dispatch
import Glibc
import Synchronization

/// One thread that waits for sockets and runs the tasks of their connections, so that a connection
/// reads as straight-line `async` code without hops, locks or copies between threads.
///
/// The loop is the executor of its tasks (`TaskExecutor`); it runs as the body of a serial Dispatch
/// queue of its own until it is stopped and its last channel is closed. What still comes after that
/// runs there too.
public final class EventLoop: TaskExecutor, Sendable {
    /// Everything that only the loop's thread touches.
    struct State {
        var wheel: TimerWheel
        var jobs = FIFO<UnownedJob>()
        /// What other threads asked for.
        var work = FIFO<@Sendable () -> Void>()
        var slots = ChannelSlots()
        var timers = LoopTimers()
        var listeners = LoopListeners()
        /// Listeners at which connections wait.
        var arrivals: [UInt64] = []
        var now: Int64
        var wallSeconds: Int64
        var nextTurn: [UnsafeContinuation<Void, Never>] = []
        var isDraining = false
        /// Whether channels are given away: soon (false), or now.
        var leaves: Bool?
        var isStopping = false
        var wires: TLSRecordBuffers?
    }

    /// What other threads ask for.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        /// Nobody empties the inbox any more.
        var hasEnded = false
        var isEmpty: Bool { jobs.isEmpty && work.isEmpty }
    }

    // Confined to the loop's thread: `isOnLoop` is checked wherever another could come in.
    // Nothing keeps an access to it open while it calls others, so none needs to be watched.
    @exclusivity(unchecked) nonisolated(unsafe) var state: State
    let poller: EpollPoller
    private let inbox = Lock(Inbox())
    private let thread = Atomic<UInt>(0)
    private let channels = Atomic<Int>(0)
    private let queue: DispatchQueue
    /// Its place in its group.
    public let index: Int

    /// A loop that runs at once.
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

    /// Ends the program unless the caller runs on the loop's thread.
    func checkIsOnLoop() {
        precondition(isOnLoop, "programmer error: loop-confined state used off its loop")
    }

    /// Whether the caller runs on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs the work on the loop, soon.
    public func submit(_ work: @escaping @Sendable () -> Void) {
        post { $0.work.append(work) }
    }

    /// The wake-up is written only when the inbox was empty: otherwise one is on its way.
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
            // Invariant: one turn runs what is ready, for a bounded time, then looks at sockets.
            while !isDone {
                runReady()
                waitForEvents()
                tellListeners()
                tellTimers()
                resumeNextTurn()
            }
            runReady()
            // What was to happen later may hold on to the loop.
            _ = state.timers.takeAll()
        } while !ends()
        thread.store(0, ordering: .relaxed)
    }

    private var isDone: Bool { state.isStopping && state.slots.isEmpty }
    private var hasReady: Bool { !state.jobs.isEmpty || !state.work.isEmpty }

    /// Whether nothing is left; who posts from now on starts the loop again.
    private func ends() -> Bool {
        guard !hasReady else { return false }
        return inbox.withLock { inbox in
            inbox.hasEnded = inbox.isEmpty
            return inbox.hasEnded
        }
    }

    /// Runs what other threads asked for, and jobs, also those that these enqueue: each for a
    /// bounded time, after which the rest waits for the next turn. However much is ready, sockets,
    /// listeners and timers are looked at in between.
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
            // Not as isolated to the loop as an actor would be: every call of an async function
            // would then leave that isolation by way of the queue.
            job.runSynchronously(on: asUnownedTaskExecutor())
            guard Self.nanoseconds < end else { return }
        }
    }

    /// A turn's work, and its jobs, may each take so long, and one piece longer.
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
            try poller.wait(milliseconds: timeout) { event in
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
        // The oldest few: each may take its time, and what arrives meanwhile waits for all of them.
        let waiting = state.nextTurn.prefix(Self.mostResumedInATurn)
        state.nextTurn.removeFirst(waiting.count)
        for continuation in waiting { continuation.resume() }
    }

    private static let mostResumedInATurn = 8

    /// Monotonic; unlike `now` it goes on during a turn.
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

    /// Monotonic milliseconds, as of this turn.
    public var now: Int64 {
        assert(isOnLoop, "programmer error: the loop's time is read off its loop")
        return state.now
    }

    /// Seconds since 1970, as of this turn.
    public var wallSeconds: Int64 {
        assert(isOnLoop, "programmer error: the loop's time is read off its loop")
        return state.wallSeconds
    }

    /// Runs the work once on the loop, on time or up to 64 ms later; not after the loop has
    /// stopped. Only on the loop.
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

    /// Takes the timer back: its work does not run, and is let go. Only on the loop.
    public func cancel(_ timer: LoopTimer) {
        checkIsOnLoop()
        state.timers.remove(timer)
    }

    /// Lets everything else that is ready go first. Only on the loop. (`Task.yield` would go by way
    /// of the global executor, which may be busy.)
    public func giveWay() async {
        await withUnsafeContinuation { state.nextTurn.append($0) }
    }

    /// What the loop's TLS sessions share, made for the first of them. Only on the loop.
    var wires: TLSRecordBuffers {
        checkIsOnLoop()
        if let wires = state.wires { return wires }
        let wires = TLSRecordBuffers()
        state.wires = wires
        return wires
    }

    /// The channels whose tasks have not ended. From any thread.
    public var channelCount: Int { channels.load(ordering: .relaxed) }

    /// Shows the channel its deadline at or after `time`.
    /// - Returns: the time before which it is not shown.
    func arm(_ token: UInt64, at time: Int64) -> Int64 { state.wheel.add(token, at: time) }

    /// Makes the descriptor a channel of this loop and runs its task here: the one place where
    /// tasks are made. The channel is closed when the task ends, and then `ended` is called, also
    /// when the loop could not take the channel. From any thread.
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

    /// Ends the waits of idle channels, now and from now on: their next read ends the connection.
    public func drain() {
        submit { [self] in
            state.isDraining = true
            for channel in state.slots.open { channel.drain() }
        }
    }

    /// Lets channels know, those that come too, that they are to be given away (`detach`): now, or
    /// soon.
    public func leave(now: Bool) {
        submit { [self] in
            state.leaves = now
            for channel in state.slots.open { channel.leave(now: now) }
        }
    }

    /// Tells no more of a descriptor that goes elsewhere: closing it here alone would not do.
    func forget(_ descriptor: Int32) { poller.forget(descriptor) }

    /// Closes every channel at once and ends when their tasks have.
    public func stop() {
        submit { [self] in
            state.isStopping = true
            for channel in state.slots.open { channel.abort(.cancelled) }
        }
    }
}
