public import BroadsheetHTTP

/// Runs exchanges over a transport; each ends exactly once and is reported to the observers.
///
/// It does not add credentials and neither retries nor caches: ``BackendService`` does. Safe to use
/// from any thread. This is a class because each request passes it through several functions.
///
/// ```swift
/// let service = NetworkService(transport, observers: [{ print($0.curl) }])
/// let response = try await service.send(request, to: origin)
/// ```
public final class NetworkService: Sendable {
    let transport: any Transport
    private let observers: [BackendObserver]
    private let environment: ClientEnvironment
    let changes = NetworkChanges()

    public init(
        _ transport: any Transport, observers: [BackendObserver] = [],
        environment: ClientEnvironment = .system
    ) {
        self.transport = transport
        self.observers = observers
        self.environment = environment
    }

    /// True if anyone receives events.
    var isObserved: Bool { !observers.isEmpty }

    /// Waits for an exchange where it ends: on the transport's executor, if there is one.
    ///
    /// Exchanges also start there without waking it up again. And a task that waits on an actor is
    /// resumed by way of the global executor, which wakes up one more thread.
    ///
    /// - Parameter wait: receives the executor; `nil` for anywhere.
    func waiting<Value: Sendable>(
        _ wait: @Sendable (TransportExecutor?) async -> Value
    ) async -> Value {
        #if canImport(BroadsheetHTTPClient)
            if let executor = transport.executor {
                return await withTaskExecutorPreference(executor) { @concurrent in
                    await wait(executor)
                }
            }
        #endif
        return await wait(nil)
    }

    /// Waits for the delay, or until the network has changed.
    func sleep(_ delay: Duration) async throws(BackendError) {
        let wait = SharedTask<Void>()
        let number = changes.add { wait.end(.success(())) }
        defer { changes.remove(number) }
        wait.start { [environment] in
            do { try await environment.sleep(delay) } catch { return .failure(.cancelled) }
            return .success(())
        }
        try await (wait.join() ?? .failure(.cancelled)).get()
    }

    /// Sends the request and returns the response of any status, complete or streamed as the
    /// options say. Cancelling the task ends the exchange at once.
    public func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, options: TransportOptions = .init()
    ) async throws(BackendError) -> HTTPResponse {
        try await send(request, to: origin, options: options, for: nil)
    }

    /// - Parameter waiters: when all have left, the exchange ends for the reason of the last one.
    func send(
        _ request: HTTPRequest, to origin: HTTPOrigin, options: TransportOptions,
        for waiters: SharedTask<CallResponse>?
    ) async throws(BackendError) -> HTTPResponse {
        guard isObserved else { return try await exchange(request, origin, options) }
        let start = environment.now()
        notify(BackendEvent(.started, request, to: origin))
        let outcome: Result<HTTPResponse, BackendError>
        do throws(BackendError) {
            outcome = .success(try await exchange(request, origin, options))
        } catch {
            outcome = .failure(error == .cancelled ? waiters?.abandonment ?? error : error)
        }
        let duration = environment.now() - start
        notify(
            BackendEvent(
                .finished(outcome.map(\.status)), request, to: origin, duration: duration))
        return try outcome.get()
    }

    private func exchange(
        _ request: HTTPRequest, _ origin: HTTPOrigin, _ options: TransportOptions
    ) async throws(BackendError) -> HTTPResponse {
        do throws(TransportError) {
            return try await transport.exchange(request, with: origin, options: options)
        } catch { throw BackendError(error) }
    }

    /// Notifies the observers; the event is only created if there are any.
    func notify(_ event: @autoclosure () -> BackendEvent) {
        guard isObserved else { return }
        let event = event()
        for observer in observers { observer(event) }
    }
}

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
