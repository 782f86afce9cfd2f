/// Lets equal requests that are under way at the same time share one exchange.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private let flights = Locked([Key: SharedTask<Value>]())

    /// How many exchanges are under way.
    var count: Int { flights.withLock { $0.count } }

    /// The outcome of the work for this key: of that which is under way, or of this.
    ///
    /// - Parameters:
    ///   - stay: how long this caller waits; the work goes on while another one does.
    ///   - executor: where the work is to run; `nil`: anywhere.
    ///   - work: given all who wait for it.
    func outcome(
        for key: Key, _ stay: Stay, on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable (any Waiters) async -> Outcome
    ) async -> Outcome {
        // Ends: a round that gives nothing met work that its last waiter had just left, and the
        // next round finds other work or begins its own.
        while true {
            let (flight, isNew) = flights.withLock { flights in
                if let flight = flights[key], !flight.isAbandoned { return (flight, false) }
                let flight = SharedTask<Value>(deadline: stay.deadline)
                flights[key] = flight
                return (flight, true)
            }
            if isNew {
                flight.start(on: executor) { [self] in
                    let outcome = await work(flight)
                    forget(flight, key)
                    return outcome
                }
            }
            if let outcome = await flight.join(stay) { return outcome }
            if Task.isCancelled { return .failure(.cancelled) }
        }
    }

    /// What is asked from now on shares nothing with what was asked before: something has changed.
    func seal() { flights.withLock { $0.removeAll() } }

    private func forget(_ flight: SharedTask<Value>, _ key: Key) {
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
    }
}
