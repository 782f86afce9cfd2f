/// The permission of live changes to use the network. Suspending it ends work in progress.
final class SuspensionGate: Sendable {
    private struct State {
        var isSuspended = false
        /// The number of times that it was resumed.
        var resumptions = 0
        /// Bounded by the number of iterators.
        var enders = NumberedTable<@Sendable () -> Void>()
        var waiting = NumberedTable<SharedTask<Void>>()
    }

    private let state = Locked(State())
    private let changes: NetworkChanges
    private let number = Locked(0)

    /// - Parameter changes: the changes of the network, after which work in progress begins again.
    init(_ changes: NetworkChanges) {
        self.changes = changes
        let listener = changes.add { [weak self] in self?.restart() }
        number.withLock { $0 = listener }
    }

    deinit { changes.remove(number.withLock { $0 }) }

    /// Ends work in progress, which then begins again as after `resume`.
    private func restart() {
        let enders = state.withLock { state in
            guard !state.isSuspended else { return [@Sendable () -> Void]() }
            state.resumptions += 1
            defer { state.enders.removeAll() }
            return Array(state.enders.values)
        }
        for end in enders { end() }
    }

    /// Ends work in progress; nothing more begins.
    func suspend() {
        let enders = state.withLock { state in
            state.isSuspended = true
            defer { state.enders.removeAll() }
            return Array(state.enders.values)
        }
        for end in enders { end() }
    }

    func resume() {
        let waiting = state.withLock { state in
            guard state.isSuspended else { return [SharedTask<Void>]() }
            state.isSuspended = false
            state.resumptions += 1
            defer { state.waiting.removeAll() }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.end(.success(())) }
    }

    /// The number of times that it was resumed; `nil` while it is suspended.
    var resumptions: Int? { state.withLock { $0.isSuspended ? nil : $0.resumptions } }

    /// Waits until it is resumed, if it is suspended.
    ///
    /// - Parameters:
    ///   - stay: the session that also ends the wait.
    ///   - actor: the caller's actor.
    func wait(_ waitLimit: WaitLimit, isolation actor: isolated (any Actor)?)
        async throws(BackendError)
    {
        let waiter = SharedTask<Void>()
        let number = state.withLock { $0.isSuspended ? $0.waiting.add(waiter) : nil }
        guard let number else { return }
        defer { state.withLock { _ = $0.waiting.remove(number) } }
        try await (waiter.join(waitLimit, on: actor) ?? .failure(.cancelled)).get()
    }

    /// Does the work unless it is suspended meanwhile.
    ///
    /// - Parameters:
    ///   - resumptions: the number of resumptions at the time of the decision on the work.
    ///   - stay: the session that also ends the wait.
    ///   - actor: the caller's actor, on which the work does not run.
    ///   - work: is cancelled if the gate is suspended.
    /// - Returns: `nil` if it was suspended.
    func run<Value: Sendable>(
        since resumptions: Int, _ waitLimit: WaitLimit, isolation actor: isolated (any Actor)?,
        _ work: @escaping @Sendable () async -> Result<Value, Interruption>
    ) async throws(Interruption) -> Value? {
        let flight = SharedTask<Result<Value, Interruption>?>()
        let number = state.withLock { state -> Int? in
            guard !state.isSuspended, state.resumptions == resumptions else { return nil }
            return state.enders.add { flight.end(.success(nil)) }
        }
        guard let number else { return nil }
        defer { state.withLock { _ = $0.enders.remove(number) } }
        flight.start { .success(await work()) }
        switch await flight.join(waitLimit, on: actor) ?? .failure(.cancelled) {
        case .success(let outcome): return try outcome?.get()
        case .failure(let error): throw Interruption(error)
        }
    }
}
