/// Everything that waits for the network, and continues at once when the network has changed.
final class NetworkChanges: Sendable {
    /// Bounded by the number of waits, followers and mirrors.
    private let listeners = Locked(NumberedTable<@Sendable () -> Void>())

    /// - Returns: the argument for `remove`.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        listeners.withLock { $0.add(listener) }
    }

    func remove(_ number: Int) { listeners.withLock { _ = $0.remove(number) } }

    func post() {
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }
}

extension BackendService {
    /// Ends every wait for the network at once: call it when the network has changed or returned.
    ///
    /// Delays before retries end, also those for which a response has asked (`Retry-After`). Live
    /// changes, and with them mirrors, connect again, and an outbox sends what waits for a later
    /// attempt. One call is enough for all copies of the service and everything made with them.
    ///
    /// ```swift
    /// backend.networkDidChange()
    /// ```
    public func networkDidChange() { network.changes.post() }

    /// - Parameter listener: is called on any thread, after each change.
    /// - Returns: the argument for `stopObservingNetwork`.
    package func observeNetwork(_ listener: @escaping @Sendable () -> Void) -> Int {
        network.changes.add(listener)
    }

    package func stopObservingNetwork(_ number: Int) { network.changes.remove(number) }

    /// An element for each change of the network that follows; several may become one.
    package var networkChanges: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = observeNetwork { continuation.yield() }
        continuation.onTermination = { [changes = network.changes] _ in changes.remove(number) }
        return stream
    }
}
