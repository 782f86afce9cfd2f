/// Lets concurrent equal requests share one exchange.
final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, BackendError>
    private let flights = Locked([Key: SharedTask<Value>]())

    /// The number of exchanges in progress.
    var count: Int { flights.withLock { $0.count } }

    /// The outcome of the work in progress for this key, or else of this work.
    ///
    /// - Parameters:
    ///   - stay: how long this caller waits; the work continues while others wait.
    ///   - executor: where the work runs; `nil` for anywhere.
    ///   - work: receives the callers that wait for it.
    func outcome(
        for key: Key, _ stay: Stay, on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable (any Waiters) async -> Outcome
    ) async -> Outcome {
        // Terminates: a round without an outcome found work that its last waiter had just left, and
        // the next round finds other work or starts its own.
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

    /// Later requests share nothing with earlier ones, because data has changed.
    func seal() { flights.withLock { $0.removeAll() } }

    private func forget(_ flight: SharedTask<Value>, _ key: Key) {
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
    }
}
