/// Runs a limited number of operations at a time, by priority and then in the order of arrival.
///
/// Priorities and the width can change while operations wait, and groups pause while the network
/// has conditions that do not suit them (``NetworkConditions``).
///
/// An operation must not wait for another one of its own queue by `ended()`, because both might
/// wait for a free slot: declare it as a dependency instead. A queue that is released cancels
/// waiting operations. Safe to use from any thread.
///
/// ```swift
/// let queue = NetworkQueue(width: 2)
/// for name in names { queue.add(NetworkOperation(group: "images") { await download(name) }) }
/// ```
public final class NetworkQueue: Sendable {
    /// An operation that waits, with the priority by which it is placed.
    private struct Entry {
        let operation: NetworkOperation
        let priority: NetworkOperation.Priority
    }

    private struct State {
        /// By priority, then by age.
        var waiting: [Entry] = []
        var running: [ObjectIdentifier: NetworkOperation] = [:]
        var isSuspended = false
        var width: Int
        var pausing: [String: NetworkConditions]
        var conditions: NetworkConditions = []
        /// The number of calls of `advance` since the current caller began.
        var advances = 0

        /// Inserts an operation behind those of its priority.
        mutating func insert(_ operation: NetworkOperation) {
            let priority = operation.priority
            let place = waiting.lastIndex { $0.priority >= priority }
            waiting.insert(
                Entry(operation: operation, priority: priority), at: place.map { $0 + 1 } ?? 0)
        }

        /// The groups of which no operation may start now.
        var pausedGroups: Set<String> {
            Set(pausing.lazy.filter { !$0.value.isDisjoint(with: conditions) }.map(\.key))
        }
    }

    private let limit: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - width: the maximum operations that run at a time; at least 1.
    ///   - limit: the maximum operations that wait; further ones fail at once.
    ///   - pausing: the conditions in which no operation of a group starts.
    public init(
        width: Int = 4, limit: Int = 1_000, pausing: [String: NetworkConditions] = [:]
    ) {
        self.limit = max(0, limit)
        state = Locked(State(width: max(1, width), pausing: pausing))
    }

    deinit {
        for entry in state.withLock({ $0.waiting }) { entry.operation.cancel() }
    }

    /// The maximum operations that run at a time, at least 1. With a smaller one, running
    /// operations continue.
    public var width: Int {
        get { state.withLock { $0.width } }
        set { change { $0.width = max(1, newValue) } }
    }

    /// The conditions in which no operation of a group starts; running ones continue.
    public var pausing: [String: NetworkConditions] {
        get { state.withLock { $0.pausing } }
        set { change { $0.pausing = newValue } }
    }

    /// The conditions of the network, as far as they are known. Set them when they change.
    public var conditions: NetworkConditions {
        get { state.withLock { $0.conditions } }
        set { change { $0.conditions = newValue } }
    }

    /// Changes the priority of an operation that has not started, such as that of a row that has
    /// come into view. It is placed behind the others of its new priority; its task keeps the
    /// priority with which it was added.
    public func setPriority(
        _ priority: NetworkOperation.Priority, of operation: NetworkOperation
    ) {
        state.withLock { state in
            guard operation.priority != priority else { return }
            operation.setPriority(priority)
            let place = state.waiting.firstIndex { $0.operation === operation }
            guard let place else { return }
            state.waiting.remove(at: place)
            state.insert(operation)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        advance()
    }

    /// The number of operations that are waiting or running.
    public var count: Int { state.withLock { $0.waiting.count + $0.running.count } }

    /// Adds an operation. One that has been in a queue before is ignored.
    ///
    /// The operations that it depends on have to be in a queue before, this or another one:
    /// otherwise it might wait for ever, so it fails at once as `unsupported`.
    public func add(_ operation: NetworkOperation) {
        guard operation.claim() else { return }
        guard operation.dependencies.allSatisfy(\.isScheduled) else {
            let reason = "the operation depends on one that was not added to a queue before"
            return operation.end(.failure(.transport(TransportFailure(.unsupported, reason))))
        }
        let isTaken = state.withLock { state in
            guard state.waiting.count < limit else { return false }
            state.insert(operation)
            return true
        }
        guard isTaken else {
            return operation.end(
                .failure(.transport(TransportFailure(.overloaded, "the queue is full"))))
        }
        // An operation may end while it is waiting, and so may one that it depends on.
        operation.whenEnded { [weak self] _ in self?.left(operation) }
        operation.prepare()
        for dependency in operation.dependencies {
            dependency.whenEnded { [weak self] _ in self?.advance() }
        }
        advance()
    }

    public func add<Request>(_ operation: ServiceOperation<Request>) { add(operation.operation) }

    /// Starts no further operations; running ones continue.
    public func suspend() { state.withLock { $0.isSuspended = true } }

    public func resume() { change { $0.isSuspended = false } }

    /// Cancels all waiting and running operations.
    public func cancelAll() { cancel { _ in true } }

    /// Cancels all waiting and running operations of a group.
    public func cancelAll(group: String) { cancel { $0.group == group } }

    @available(*, deprecated, message: "Use cancelAll() to cancel everything")
    public func cancelAll(group: String?) { cancel { group == nil || $0.group == group } }

    private func cancel(_ isMeant: (NetworkOperation) -> Bool) {
        let all = state.withLock { $0.waiting.map(\.operation) + $0.running.values }
        for operation in all where isMeant(operation) { operation.cancel() }
    }

    // MARK: Turns

    private func left(_ operation: NetworkOperation) {
        state.withLock { $0.waiting.removeAll { $0.operation === operation } }
    }

    private func isDone(_ operation: NetworkOperation) {
        state.withLock { $0.running[ObjectIdentifier(operation)] = nil }
        advance()
    }

    /// Starts the operations that are ready and ends those that can never run.
    ///
    /// The end of an operation may end those that depend on it, and so on. One caller at a time
    /// does all this in a loop and others only count, so that long chains need no deep stack.
    private func advance() {
        let isAlone = state.withLock { state in
            state.advances += 1
            return state.advances == 1
        }
        guard isAlone else { return }
        var seen = 1
        // Invariant: calls since the last round have not been handled yet.
        while seen > 0 {
            turn()
            seen = state.withLock { state in
                state.advances -= seen
                return state.advances
            }
        }
    }

    private func turn() {
        let (ready, failed) = state.withLock { state in
            var ready: [NetworkOperation] = []
            var failed: [(NetworkOperation, BackendError)] = []
            let paused = state.pausedGroups
            state.waiting.removeAll { entry in
                let operation = entry.operation
                switch operation.readiness {
                case .failed(let error):
                    failed.append((operation, error))
                    return true
                case .ready
                where !state.isSuspended && state.running.count < state.width
                    && operation.group.map(paused.contains) != true:
                    state.running[ObjectIdentifier(operation)] = operation
                    ready.append(operation)
                    return true
                case .ready, .waiting: return false
                }
            }
            return (ready, failed)
        }
        for (operation, error) in failed { operation.end(.failure(error)) }
        for operation in ready { operation.begin { self.isDone(operation) } }
    }
}
