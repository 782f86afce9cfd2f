/// One piece of work that several wait for: it is done once, each waiter can leave alone, and when
/// the last one has left it is cancelled.
final class Flight<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private typealias Waiter = UnsafeContinuation<Outcome, Never>

    private struct State {
        /// Those who wait, and those who are about to (`nil`).
        var seats: [Int: Waiter?] = [:]
        var lastSeat = 0
        var outcome: Outcome?
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Guarded(State())
    /// Whether it goes on when nobody waits any more; then it has threads of its own, too.
    private let outlivesWaiters: Bool

    init(outlivesWaiters: Bool = false) { self.outlivesWaiters = outlivesWaiters }

    /// Whether the last waiter has left: nobody can join any more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Begins the work; once.
    ///
    /// - Parameter executor: where it is to run; `nil`: anywhere.
    func start(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async -> Outcome
    ) {
        let whole = { @Sendable [self] in end(await work()) }
        let task =
            outlivesWaiters
            ? ClientTask.startApart(whole) : ClientTask.start(on: executor, whole)
        let isUseless = state.withLock { state in
            state.task = state.outcome == nil ? task : nil
            return state.isAbandoned
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
    func join() async -> Outcome? {
        let seat = state.withLock { state -> Int? in
            guard !state.isAbandoned else { return nil }
            state.lastSeat += 1
            if state.outcome == nil { state.seats[state.lastSeat] = .some(nil) }
            return state.lastSeat
        }
        guard let seat else { return nil }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                if let early = sit(waiter, on: seat) { waiter.resume(returning: early) }
            }
        } onCancel: {
            leave(seat)
        }
    }

    private func sit(_ waiter: Waiter, on seat: Int) -> Outcome? {
        state.withLock { state in
            if let outcome = state.outcome { return outcome }
            guard state.seats[seat] != nil else { return .failure(.cancelled) }
            state.seats[seat] = waiter
            return nil
        }
    }

    private func leave(_ seat: Int) {
        let (waiter, task) = state.withLock { state in
            let waiter = state.seats.removeValue(forKey: seat) ?? nil
            let isLast = state.seats.isEmpty && state.outcome == nil && !outlivesWaiters
            if isLast { state.isAbandoned = true }
            return (waiter, isLast ? state.task.take() : nil)
        }
        waiter?.resume(returning: .failure(.cancelled))
        task?.cancel()
    }
}
