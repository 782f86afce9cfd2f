import ArticleAPI

/// Work that is done once for several waiters. Each can leave independently, and when the last one
/// has left, the work is cancelled.
final class SharedTask<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private typealias Waiter = UnsafeContinuation<Outcome, Never>

    private struct State {
        /// The waiters; `nil` for one that is about to wait.
        var seats = NumberedTable<Waiter?>()
        /// The reasons of waiters that left when they were about to wait.
        var departed: [Int: BackendError] = [:]
        var outcome: Outcome?
        var deadline: Duration
        /// The reason for which the last waiter left; then no one can join.
        var abandonment: BackendError?
        /// As a number: the layout of `TaskPriority` is only known at run time, and so would be
        /// that of the state.
        var priority: TaskPriority.RawValue
        var task: Task<Void, Never>?

        /// The task, if its priority must be raised to this one.
        mutating func raise(to other: TaskPriority) -> Task<Void, Never>? {
            guard other.rawValue > priority else { return nil }
            priority = other.rawValue
            return task
        }
    }

    private let state: Locked<State>
    /// True if the work continues without waiters; then it also runs apart from its caller.
    private let outlivesWaiters: Bool

    /// - Parameter deadline: the deadline of the first waiter, in `ClientEnvironment.now` time.
    init(outlivesWaiters: Bool = false, deadline: Duration = .zero) {
        self.outlivesWaiters = outlivesWaiters
        state = Locked(State(deadline: deadline, priority: Task.currentPriority.rawValue))
    }

    /// The latest deadline among the waiters, in `ClientEnvironment.now` time.
    var deadline: Duration { state.withLock { $0.deadline } }

    /// The reason for which the last waiter left, so that no one can join; `nil` while one is
    /// waiting.
    var abandonment: BackendError? { state.withLock { $0.abandonment } }

    /// True if the last waiter has left.
    var isAbandoned: Bool { state.withLock { $0.abandonment != nil } }

    /// Starts the work once, or not at all if it has already ended.
    ///
    /// - Parameter executor: the executor on which it runs; `nil` for any.
    func start(
        on executor: TransportExecutor? = nil, _ work: @escaping @Sendable () async -> Outcome
    ) {
        run(on: executor) { [self] in end(await work()) }
    }

    /// Starts work that calls `end` itself, as `start` does.
    func run(
        on executor: TransportExecutor? = nil,
        _ work: sending @escaping @isolated(any) () async -> Void
    ) {
        guard state.withLock({ $0.outcome == nil }) else { return }
        let first = Task.currentPriority
        let task =
            outlivesWaiters
            ? ClientTask.startDetached(work) : ClientTask.start(on: executor, work)
        let (isUseless, priority) = state.withLock { state in
            state.task = state.outcome == nil ? task : nil
            return (state.abandonment != nil || state.outcome != nil, state.priority)
        }
        if isUseless { task.cancel() }
        // A waiter may have joined before there was a task to raise.
        if priority > first.rawValue { ClientTask.raise(task, to: .init(rawValue: priority)) }
    }

    /// Ends it with this outcome unless it has ended, and cancels the work if it is still running.
    func end(_ outcome: Outcome) {
        let (waiters, task) = state.withLock { state in
            guard state.outcome == nil else { return ([Waiter](), nil as Task<Void, Never>?) }
            state.outcome = outcome
            defer { state.seats.removeAll() }
            return (state.seats.values.compactMap(\.self), state.task.take())
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        task?.cancel()
    }

    /// Waits for the outcome; `nil` if the work was abandoned before. A cancelled waiter leaves
    /// with `cancelled`; a late one still receives the outcome.
    ///
    /// - Parameters:
    ///   - stay: the deadline and session that also make this waiter leave.
    ///   - actor: the caller's actor, which is not left: `withTaskCancellationHandler` would move
    ///     the task to the global executor first, which wakes up another thread.
    func join(
        _ waitLimit: WaitLimit? = nil, on actor: isolated (any Actor)? = #isolation
    ) async -> Outcome? {
        guard let number = addWaiter(waitLimit?.deadline) else { return nil }
        let wait = waitLimit?.begin { [self] in leave(number, with: $0) }
        defer { if let wait { waitLimit?.end(wait) } }
        return await withTaskCancellationHandler {
            // The closure only runs on an actor that it captures (SE-0420).
            _ = actor
            return await escalatingPriority {
                await withUnsafeContinuation { waiter in
                    if let early = attach(waiter, on: number) { waiter.resume(returning: early) }
                }
            }
        } onCancel: {
            leave(number, with: .cancelled)
        }
    }

    /// The seat of those who come when it has ended, and receive the outcome at once.
    private static var noSeat: Int { 0 }

    private func addWaiter(_ deadline: Duration?) -> Int? {
        let priority = Task.currentPriority
        let (number, task) = state.withLock { state -> (Int?, Task<Void, Never>?) in
            guard state.abandonment == nil else { return (nil, nil) }
            guard state.outcome == nil else { return (Self.noSeat, nil) }
            let number = state.seats.add(nil)
            if let deadline { state.deadline = max(state.deadline, deadline) }
            return (number, state.raise(to: priority))
        }
        if let task { ClientTask.raise(task, to: priority) }
        return number
    }

    /// Gives the work the highest priority of its waiters, even if one is raised later.
    private func escalatingPriority(_ wait: () async -> Outcome) async -> Outcome {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await wait()
        }
        return await withTaskPriorityEscalationHandler(operation: wait) { _, priority in
            self.state.withLock { $0.raise(to: priority) }?.escalatePriority(to: priority)
        }
    }

    private func attach(_ waiter: Waiter, on number: Int) -> Outcome? {
        state.withLock { state in
            if !state.departed.isEmpty, let reason = state.departed.removeValue(forKey: number) {
                return .failure(reason)
            }
            if let outcome = state.outcome { return outcome }
            state.seats.replace(number, by: waiter)
            return nil
        }
    }

    private func leave(_ number: Int, with reason: BackendError) {
        let (waiter, task) = state.withLock { state in
            guard state.outcome == nil, let place = state.seats.remove(number) else {
                return (nil as Waiter?, nil as Task<Void, Never>?)
            }
            if place == nil { state.departed[number] = reason }
            let isLast = state.seats.isEmpty && !outlivesWaiters
            if isLast { state.abandonment = reason }
            return (place, isLast ? state.task.take() : nil)
        }
        waiter?.resume(returning: .failure(reason))
        task?.cancel()
    }
}

/// Values by their numbers, which ascend from 1. Usually there are few, for which hashing would
/// cost more than searching.
struct NumberedTable<Value> {
    private var entries: [(number: Int, value: Value)] = []
    private var last = 0

    var isEmpty: Bool { entries.isEmpty }

    var values: some Collection<Value> { entries.lazy.map(\.value) }

    /// Adds a value and returns its number.
    mutating func add(_ value: Value) -> Int {
        last += 1
        entries.append((last, value))
        return last
    }

    /// Replaces the value of a number, if there is one.
    mutating func replace(_ number: Int, by value: Value) {
        if let index = index(of: number) { entries[index].value = value }
    }

    /// Removes a value; `nil` if it has been removed before.
    @discardableResult
    mutating func remove(_ number: Int) -> Value? {
        index(of: number).map { entries.remove(at: $0).value }
    }

    mutating func updateAll(_ update: (inout Value) -> Void) {
        for index in entries.indices { update(&entries[index].value) }
    }

    /// Removes the values that satisfy the condition, and returns them.
    mutating func removeAll(where isUnwanted: (Value) -> Bool) -> [Value] {
        let removed = values.filter(isUnwanted)
        if !removed.isEmpty { entries.removeAll { isUnwanted($0.value) } }
        return removed
    }

    mutating func removeAll() { entries.removeAll() }

    private func index(of number: Int) -> Int? {
        var range = entries.indices
        // Invariant: the number, if it is there, is in the range.
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = entries[middle].number
            if found == number { return middle }
            range = found < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

/// The only place where the SDK creates tasks: for work that can outlive its first caller, such as
/// a shared exchange, the renewal of a token, or an operation in a queue. Everything else runs in
/// its caller's task and ends with it.
package enum ClientTask {
    /// - Parameter executor: the executor on which it runs; if `nil`, it starts on the caller's
    ///   thread where the system supports that, and continues on the global executor.
    package static func start(
        on executor: TransportExecutor? = nil,
        _ work: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        #if canImport(BroadsheetHTTPClient)
            if let executor { return Task(executorPreference: executor, operation: work) }
        #endif
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate(operation: work)
        }
        return Task(operation: work)
    }

    /// Starts work that may block its thread; it never runs on the caller's thread.
    ///
    /// - Parameter priority: `nil` for the caller's.
    static func startDetached(
        priority: TaskPriority? = nil, _ work: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        Task(priority: priority, operation: work)
    }

    /// Performs the work at an instant of `SystemTime`.
    static func start(
        at instant: Duration, _ work: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(priority: .high) {
            try? await Task.sleep(until: SystemTime.start + instant, clock: .continuous)
            if !Task.isCancelled { work() }
        }
    }

    /// Raises a task's priority to at least this one.
    static func raise(_ task: Task<Void, Never>, to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: priority)
        } else {
            // A task inherits the priority of tasks that wait for it.
            _ = Task.detached(priority: priority) { await task.value }
        }
    }
}

/// The callers that wait for responses; each leaves at its deadline or when its session ends.
struct WaitingCallers {
    typealias Leave = @Sendable (BackendError) -> Void

    private struct Wait {
        let session: Session.ID
        /// In the time of `now`.
        let deadline: Duration
        let now: @Sendable () -> Duration
        /// The time at which the two are compared, in `SystemTime`: the deadline, unless a test has
        /// its own time.
        var check: Duration
        let leave: Leave
    }

    /// Bounded by the number of calls in progress.
    private var waits = NumberedTable<Wait>()

    /// - Parameter check: when its deadline may have passed: an instant of `SystemTime`.
    mutating func add(_ waitLimit: WaitLimit, check: Duration, _ leave: @escaping Leave) -> Int {
        waits.add(
            Wait(
                session: waitLimit.session, deadline: waitLimit.deadline, now: waitLimit.now,
                check: check,
                leave: leave))
    }

    mutating func remove(_ wait: Int) { waits.remove(wait) }

    /// Removes the waits of a session that has ended.
    mutating func removeAll(of session: Session.ID) -> [Leave] {
        waits.removeAll { $0.session == session }.map(\.leave)
    }

    /// Removes the waits whose deadline has passed. Those that were due to be checked and have time
    /// left are checked again when that may have passed.
    mutating func removeOverdue(at instant: Duration) -> [Leave] {
        waits.updateAll { wait in
            if wait.check <= instant { wait.check = instant + (wait.deadline - wait.now()) }
        }
        return waits.removeAll { $0.check <= instant }.map(\.leave)
    }

    /// The earliest instant at which a deadline may have passed; `nil` if there are no waiters.
    var nextCheck: Duration? { waits.values.lazy.map(\.check).min() }
}

/// The limit of a call's wait: its deadline, and the end of its session.
struct WaitLimit: Sendable {
    let auth: BackendAuth
    let session: Session.ID
    /// In the time of `now`.
    let deadline: Duration
    /// The time from the beginning to the deadline.
    let left: Duration
    /// `ClientEnvironment.now` of the service.
    let now: @Sendable () -> Duration

    /// - Parameter time: the duration from `start`; `nil` for no deadline.
    init(
        _ auth: BackendAuth, _ session: Session.ID, for time: Duration? = nil,
        from start: Duration = .zero, by now: @escaping @Sendable () -> Duration
    ) {
        self.auth = auth
        self.session = session
        left = time ?? .seconds(Int64.max)
        deadline = start + left
        self.now = now
    }

    /// Begins the wait. `leave` is called at most once, when the deadline passes or the session
    /// ends, or at once if the session has ended already.
    ///
    /// - Returns: the argument for `BackendAuth.endWait`; `nil` if the wait has ended.
    func begin(_ leave: @escaping WaitingCallers.Leave) -> Int? {
        auth.wait(self, leave)
    }

    func end(_ wait: Int) { auth.endWait(wait) }
}

/// Lets concurrent equal requests share one exchange.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private let flights = Locked([Key: SharedTask<Value>]())

    /// The number of exchanges in progress.
    var count: Int { flights.withLock { $0.count } }

    /// Returns the outcome of the work in progress for this key, or else of this work.
    ///
    /// - Parameters:
    ///   - stay: the limit of this caller's wait; the work continues while others wait.
    ///   - executor: the executor on which the work runs; `nil` for any.
    ///   - work: receives its own task, which counts the callers waiting for it.
    func outcome(
        for key: Key, _ waitLimit: WaitLimit, on executor: TransportExecutor? = nil,
        _ work: @escaping @Sendable (SharedTask<Value>) async -> Outcome
    ) async -> Outcome {
        // Terminates: a round without an outcome found work that its last waiter had just left, and
        // the next round finds other work or starts its own.
        while true {
            let (flight, isNew) = flights.withLock { flights in
                if let flight = flights[key], !flight.isAbandoned { return (flight, false) }
                let flight = SharedTask<Value>(deadline: waitLimit.deadline)
                flights[key] = flight
                return (flight, true)
            }
            if isNew {
                flight.run(on: executor) { [self] in
                    let outcome = await work(flight)
                    forget(flight, key)
                    flight.end(outcome)
                }
            }
            if let outcome = await flight.join(waitLimit) { return outcome }
            if Task.isCancelled { return .failure(.cancelled) }
        }
    }

    /// Later requests share nothing with earlier ones, because data has changed.
    func seal() { flights.withLock { $0.removeAll() } }

    private func forget(_ flight: SharedTask<Value>, _ key: Key) {
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
    }
}
