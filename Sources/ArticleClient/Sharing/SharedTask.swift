/// One piece of work that several wait for: it is done once, each waiter can leave alone, and when
/// the last one has left it is cancelled.
final class SharedTask<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private typealias Waiter = UnsafeContinuation<Outcome, Never>

    private struct State {
        /// Those who wait, and those who are about to (`nil`).
        var seats: [Int: Waiter?] = [:]
        /// Why those left who were about to wait.
        var departed: [Int: BackendError] = [:]
        var lastSeat = 0
        var outcome: Outcome?
        var deadline: Duration
        /// Why the last waiter left; nobody can join any more.
        var abandonment: BackendError?
        var priority: TaskPriority
        var task: Task<Void, Never>?
    }

    private let state: Locked<State>
    /// Whether it goes on when nobody waits any more; then it has threads of its own, too.
    private let outlivesWaiters: Bool

    /// - Parameter deadline: of whoever begins it, in the time of `ClientEnvironment.now`.
    init(outlivesWaiters: Bool = false, deadline: Duration = .zero) {
        self.outlivesWaiters = outlivesWaiters
        state = Locked(State(deadline: deadline, priority: Task.currentPriority))
    }

    /// Whether the last waiter has left: nobody can join any more.
    var isAbandoned: Bool { state.withLock { $0.abandonment != nil } }

    /// Begins the work, once; not at all if it was ended before.
    ///
    /// - Parameter executor: where it is to run; `nil`: anywhere.
    func start(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Outcome
    ) {
        guard state.withLock({ $0.outcome == nil }) else { return }
        let whole = { @Sendable [self] in end(await work()) }
        let task =
            outlivesWaiters
            ? ClientTask.startApart(whole) : ClientTask.start(on: executor, whole)
        let isUseless = state.withLock { state in
            state.task = state.outcome == nil ? task : nil
            return state.abandonment != nil || state.outcome != nil
        }
        if isUseless { task.cancel() }
    }

    /// Ends it with this, if it has not ended, and stops the work if that still goes on.
    func end(_ outcome: Outcome) {
        let (waiters, task) = state.withLock { state in
            guard state.outcome == nil else { return ([Waiter](), nil as Task<Void, Never>?) }
            state.outcome = outcome
            defer { state.seats = [:] }
            return (state.seats.values.compactMap(\.self), state.task.take())
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
        task?.cancel()
    }

    /// Waits for the outcome; `nil` if the work was abandoned before. A waiter that is cancelled
    /// leaves with `cancelled`; one that comes when all is done has the outcome still.
    ///
    /// - Parameter stay: what else makes this waiter leave.
    func join(_ stay: Stay? = nil) async -> Outcome? {
        guard let seat = takeSeat(stay?.deadline) else { return nil }
        let wait = stay?.begin { [self] in leave(seat, with: $0) }
        defer { if let wait { stay?.end(wait) } }
        return await withTaskCancellationHandler {
            await passingOnPriority {
                await withUnsafeContinuation { waiter in
                    if let early = sit(waiter, on: seat) { waiter.resume(returning: early) }
                }
            }
        } onCancel: {
            leave(seat, with: .cancelled)
        }
    }

    private func takeSeat(_ deadline: Duration?) -> Int? {
        let priority = Task.currentPriority
        let (seat, task) = state.withLock { state -> (Int?, Task<Void, Never>?) in
            guard state.abandonment == nil else { return (nil, nil) }
            state.lastSeat += 1
            guard state.outcome == nil else { return (state.lastSeat, nil) }
            state.seats[state.lastSeat] = .some(nil)
            if let deadline { state.deadline = max(state.deadline, deadline) }
            guard priority > state.priority else { return (state.lastSeat, nil) }
            state.priority = priority
            return (state.lastSeat, state.task)
        }
        if let task { ClientTask.raise(task, to: priority) }
        return seat
    }

    /// The work becomes as urgent as its most urgent waiter, also where that becomes so later.
    private func passingOnPriority(_ wait: () async -> Outcome) async -> Outcome {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await wait()
        }
        return await withTaskPriorityEscalationHandler(operation: wait) { _, priority in
            let task = self.state.withLock { state in
                guard priority > state.priority else { return nil as Task<Void, Never>? }
                state.priority = priority
                return state.task
            }
            task?.escalatePriority(to: priority)
        }
    }

    private func sit(_ waiter: Waiter, on seat: Int) -> Outcome? {
        state.withLock { state in
            if let reason = state.departed.removeValue(forKey: seat) { return .failure(reason) }
            if let outcome = state.outcome { return outcome }
            state.seats[seat] = waiter
            return nil
        }
    }

    private func leave(_ seat: Int, with reason: BackendError) {
        let (waiter, task) = state.withLock { state in
            guard state.outcome == nil, let place = state.seats.removeValue(forKey: seat) else {
                return (nil as Waiter?, nil as Task<Void, Never>?)
            }
            if place == nil { state.departed[seat] = reason }
            let isLast = state.seats.isEmpty && !outlivesWaiters
            if isLast { state.abandonment = reason }
            return (place, isLast ? state.task.take() : nil)
        }
        waiter?.resume(returning: .failure(reason))
        task?.cancel()
    }
}

/// Those who wait for an exchange, as it sees them.
protocol Waiters: AnyObject, Sendable {
    /// Of the most patient of them, in the time of `ClientEnvironment.now`.
    var deadline: Duration { get }
    /// Why the last of them left; `nil` while somebody waits.
    var abandonment: BackendError? { get }
}

extension SharedTask: Waiters {
    var deadline: Duration { state.withLock { $0.deadline } }
    var abandonment: BackendError? { state.withLock { $0.abandonment } }
}
