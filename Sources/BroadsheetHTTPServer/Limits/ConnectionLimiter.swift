import BroadsheetPlatform

/// Limits the number of connections, and lets a shutdown wait for the last one.
final class ConnectionLimiter: Sendable {
    private struct State {
        var count = 0
        var rejected = 0
        var waiting: [Int: @Sendable () -> Void] = [:]
        var nextWaiter = 0
    }

    /// The decision on a new connection.
    enum AdmissionDecision {
        case admitted
        /// It receives a 503.
        case full
        /// It is closed without a response.
        case overrun
    }

    private let limit: Int
    private let system: SystemEnvironment
    private let state = Lock(State())
    /// The maximum connections that receive a 503 at the same time.
    private static let limitRejected = 32

    init(limit: Int, _ system: SystemEnvironment) {
        self.limit = limit
        self.system = system
    }

    var count: Int { state.withLock { $0.count } }

    func enter() -> AdmissionDecision {
        state.withLock { state in
            if state.count < limit {
                state.count += 1
                return .admitted
            }
            guard state.rejected < Self.limitRejected else { return .overrun }
            state.rejected += 1
            return .full
        }
    }

    func leave() {
        for waiter in state.withLock({ state in
            state.count -= 1
            return Self.takeWaiting(&state)
        }) { waiter() }
    }

    func leaveRejected() {
        for waiter in state.withLock({ state in
            state.rejected -= 1
            return Self.takeWaiting(&state)
        }) { waiter() }
    }

    private static func takeWaiting(_ state: inout State) -> [@Sendable () -> Void] {
        guard state.count + state.rejected == 0 else { return [] }
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
    }

    /// Waits until no connection is left, or until the timeout.
    func waitUntilEmpty(seconds: Double) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            whenEmpty(orAfter: seconds) { continuation.resume() }
        }
    }

    /// Calls the body once, when no connection is left or after the timeout.
    func whenEmpty(orAfter seconds: Double, _ body: @escaping @Sendable () -> Void) {
        let waiter: Int? = state.withLock { state in
            guard state.count + state.rejected > 0 else { return nil }
            state.nextWaiter += 1
            state.waiting[state.nextWaiter] = body
            return state.nextWaiter
        }
        guard let waiter else { return body() }
        UnstructuredTask.start { [state, system] in
            await system.sleep(.seconds(seconds))
            state.withLock { $0.waiting.removeValue(forKey: waiter) }?()
        }
    }
}

/// Counts the open connections of each address. Addresses without connections take no memory.
final class AddressCounter: Sendable {
    private let limit: Int
    private let counts = Lock([HashedKey: Int]())
    /// The maximum connections of one address that receive a 429 at the same time.
    private static let limitRejected = 8

    init(limit: Int) { self.limit = limit }

    /// Counts one more connection of the address. After `admitted` and `full` the connection has to
    /// `leave`.
    func enter(_ key: HashedKey) -> ConnectionLimiter.AdmissionDecision {
        counts.withLock { counts in
            let count = counts[key] ?? 0
            guard count < limit + Self.limitRejected else { return .overrun }
            counts[key] = count + 1
            return count < limit ? .admitted : .full
        }
    }

    func leave(_ key: HashedKey) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}
