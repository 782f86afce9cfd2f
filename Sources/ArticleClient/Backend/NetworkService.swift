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
    private let middleware: [any RequestMiddleware]
    private let observers: [BackendObserver]
    private let environment: ClientEnvironment
    /// The readers of `events`; bounded by their number.
    private let listeners = Locked(NumberedTable<AsyncStream<BackendEvent>.Continuation>())
    private let lastRequest = Locked<UInt64>(0)
    let changes = NetworkChanges()

    public init(
        _ transport: any Transport, middleware: [any RequestMiddleware] = [],
        observers: [BackendObserver] = [], environment: ClientEnvironment = .system
    ) {
        self.transport = transport
        self.middleware = middleware
        self.observers = observers
        self.environment = environment
    }

    deinit { for listener in listeners.withLock({ Array($0.values) }) { listener.finish() } }

    /// True if anyone receives events.
    package var isObserved: Bool { !observers.isEmpty || listeners.withLock { !$0.isEmpty } }

    /// Returns a new number for a request.
    func nextRequest() -> UInt64 {
        lastRequest.withLock { last in
            last += 1
            return last
        }
    }

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
        let id = ExchangeContext.ID(request: nextRequest(), attempt: 1)
        let context = ExchangeContext(id, to: origin, isStreamed: options.isStreamed)
        return try await send(request, in: context, options: options, for: nil)
    }

    /// - Parameter waiters: when all have left, the exchange ends for the reason of the last one.
    func send(
        _ request: HTTPRequest, in context: ExchangeContext, options: TransportOptions,
        for waiters: SharedTask<CallResponse>?
    ) async throws(BackendError) -> HTTPResponse {
        guard isObserved else { return try await exchange(request, context, options) }
        let start = environment.now()
        notify(BackendEvent(.started, request, context))
        let outcome: Result<HTTPResponse, BackendError>
        do throws(BackendError) {
            outcome = .success(try await exchange(request, context, options))
        } catch {
            outcome = .failure(error == .cancelled ? waiters?.abandonment ?? error : error)
        }
        let duration = environment.now() - start
        notify(
            BackendEvent(
                .finished(outcome.map(\.status)), request, context, duration: duration,
                response: try? outcome.get()))
        return try outcome.get()
    }

    private func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext, _ options: TransportOptions
    ) async throws(BackendError) -> HTTPResponse {
        do throws(TransportError) {
            guard !middleware.isEmpty else {
                return try await transport.exchange(
                    request, with: context.origin, options: options)
            }
            let chain = MiddlewareChain(
                middleware: middleware, transport: transport, context: context, options: options)
            return try await chain.respond(to: request)
        } catch { throw BackendError(error) }
    }

    /// Notifies the observers; the event is only created if there are any.
    func notify(_ event: @autoclosure () -> BackendEvent) {
        guard isObserved else { return }
        let event = event()
        for observer in observers { observer(event) }
        for listener in listeners.withLock({ Array($0.values) }) { listener.yield(event) }
    }

    /// The events from now on, until the reader leaves or the service is gone.
    fileprivate var events: AsyncStream<BackendEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BackendEvent.self, bufferingPolicy: .bufferingNewest(Self.limitEvents))
        let number = listeners.withLock { $0.add(continuation) }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.remove(number) }
        }
        return stream
    }

    /// The number of events that a reader may be behind.
    private static let limitEvents = 256
}

extension BackendService {
    /// The events of all requests from now on, of this service and its copies.
    ///
    /// Each call is an observer that comes and goes: it ends with its task or its loop, or with the
    /// service. A reader that is more than 256 events behind misses the oldest. Without readers and
    /// observers, no event is made.
    ///
    /// ```swift
    /// for await event in backend.events {
    ///     if case .finished = event.kind { log("\(event.id) took \(event.duration)") }
    /// }
    /// ```
    public var events: AsyncStream<BackendEvent> { network.events }
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
