public import ArticleAPI
import BroadsheetHTTP

/// Sends requests of the contract to a backend and returns their items.
///
/// It adds the token and headers, follows redirects, renews credentials, retries requests that are
/// safe to retry, shares equal requests, and revalidates cached responses. It knows only those
/// endpoints that begin or end its session (``SignInRequest``, ``SignUpRequest``,
/// ``SignOutRequest``, ``DeleteMeRequest``), so that a new request needs no change here. Values of
/// a service that are copies of each other share connections, cached responses and credentials.
/// Use it from any actor; large responses are decoded elsewhere.
///
/// ```swift
/// let backend = BackendService(configuration: configuration, transport: transport)
/// let page = try await backend.send(FetchTagsRequest(limit: 5))
/// ```
public struct BackendService: Sendable {
    /// The parts that copies of a service share. It is one reference because each request passes
    /// the service through several tasks.
    private final class SharedState: Sendable {
        let configuration: BackendConfiguration
        let auth: BackendAuth
        let network: NetworkService
        let cache: ResponseCache?
        let environment: ClientEnvironment
        let writes: LastWrite
        let calls = Coalescer<CallKey, CallResponse>()
        let mappers = ResponseMapperCache()

        init(
            _ configuration: BackendConfiguration, _ auth: BackendAuth, _ cache: ResponseCache?,
            _ network: NetworkService, _ writes: LastWrite, _ environment: ClientEnvironment
        ) {
            self.configuration = configuration
            self.writes = writes
            self.auth = auth
            self.cache = cache
            self.network = network
            self.environment = environment
        }
    }

    private let parts: SharedState
    public var configuration: BackendConfiguration { parts.configuration }
    public var auth: BackendAuth { parts.auth }
    var network: NetworkService { parts.network }
    var cache: ResponseCache? { parts.cache }
    var writes: LastWrite { parts.writes }
    package var environment: ClientEnvironment { parts.environment }
    var calls: Coalescer<CallKey, CallResponse> { parts.calls }

    /// - Parameters:
    ///   - configuration: the backend's base URL, timeouts and limits.
    ///   - transport: the carrier of the requests.
    ///   - auth: the credentials; anonymous by default.
    ///   - cache: `nil` to keep no responses.
    ///   - observers: called for every event.
    ///   - environment: clocks and random numbers.
    public init(
        configuration: BackendConfiguration = .shared, transport: any Transport,
        auth: BackendAuth = BackendAuth(), cache: ResponseCache? = ResponseCache(),
        observers: [BackendObserver] = [], environment: ClientEnvironment = .system
    ) {
        self.init(
            configuration: configuration, auth: auth, cache: cache,
            network: NetworkService(transport, observers: observers, environment: environment),
            writes: LastWrite(), environment: environment)
    }

    private init(
        configuration: BackendConfiguration, auth: BackendAuth, cache: ResponseCache?,
        network: NetworkService, writes: LastWrite, environment: ClientEnvironment
    ) {
        parts = SharedState(configuration, auth, cache, network, writes, environment)
        if let cache { auth.attach(cache) }
    }

    #if canImport(BroadsheetHTTPClient)
        /// A service that uses its own sockets.
        public init(
            configuration: BackendConfiguration = .shared, auth: BackendAuth = BackendAuth(),
            cache: ResponseCache? = ResponseCache(), observers: [BackendObserver] = []
        ) {
            self.init(
                configuration: configuration, transport: SocketTransport(), auth: auth,
                cache: cache, observers: observers)
        }
    #endif

    /// The same service, for callers that decide themselves when to repeat a request.
    var withoutRetries: BackendService {
        var configuration = configuration
        configuration.retries = .none
        return BackendService(
            configuration: configuration, auth: auth, cache: cache, network: network,
            writes: writes, environment: environment)
    }

    /// The same service without credentials, for requests that get new ones.
    var withoutCredentials: BackendService { with(BackendAuth()) }

    /// The same service with other credentials, and without a cache.
    func with(_ auth: BackendAuth) -> BackendService {
        BackendService(
            configuration: configuration, auth: auth, cache: nil, network: network,
            writes: writes, environment: environment)
    }

    // MARK: Sending

    /// Sends the request and returns its item.
    @discardableResult
    public func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        try await send(request, options: options, in: nil)
    }

    /// Sends the request and returns its item with metadata of the response.
    public func reply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        try await reply(to: request, options: options, in: nil)
    }

    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    func reply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions, in session: Session.ID?
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        if let effect = SessionEffect(of: request) {
            return try await reply(to: request, options: options, with: effect, in: session).reply
        }
        return try await plainReply(to: request, options: options, in: session)
    }

    /// Sends the request and leaves the session as it is.
    func plainReply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions, in session: Session.ID? = nil
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        let mapper = parts.mappers.mapper(for: Request.Item.self)
        let call = try await call(
            RequestPrinter.print(request, accepting: mapper.accept), options,
            carriesSecrets: Request.endpoint.carriesSecrets, in: session)
        let received = try await response(to: call).get()
        return received.reply(try await item(of: received, to: call, by: mapper))
    }

    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    private func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions, in session: Session.ID?
    ) async throws(BackendError) -> Request.Item {
        if let effect = SessionEffect(of: request) {
            return try await reply(to: request, options: options, with: effect, in: session)
                .reply.item
        }
        let mapper = parts.mappers.mapper(for: Request.Item.self)
        let call = try await call(
            RequestPrinter.print(request, accepting: mapper.accept), options,
            carriesSecrets: Request.endpoint.carriesSecrets, in: session)
        let received = try await response(to: call).get()
        return try await item(of: received, to: call, by: mapper)
    }

    /// The outcome of `send` in a session, as a value.
    ///
    /// - Parameter next: receives the session that the request begins, if it succeeds.
    func result<Request: BackendAPIRequest>(
        of request: Request, options: RequestOptions, in session: Session.ID,
        next: NextSession? = nil
    ) async -> Result<Request.Item, BackendError> {
        do throws(BackendError) {
            if let next, let effect = SessionEffect(of: request) {
                let (reply, id) = try await reply(
                    to: request, options: options, with: effect, in: session)
                next.id = id
                return .success(reply.item)
            }
            return .success(try await send(request, options: options, in: session))
        } catch { return .failure(error) }
    }

    // MARK: Responses

    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: the options of the request.
    ///   - isStreamed: true if the response is delivered as it arrives.
    ///   - carriesSecrets: true if it or its response contains credentials.
    ///   - session: the session in which the request was made; `nil` for the current one.
    func call(
        _ request: HTTPRequest, _ options: RequestOptions, isStreamed: Bool = false,
        carriesSecrets: Bool = false, in session: Session.ID? = nil
    ) async throws(BackendError) -> Call {
        if carriesSecrets { try checkSecrecy(of: configuration.baseURL.origin) }
        if auth.hasStore { try await auth.reloadFromStore() }
        let session = try auth.session(session)
        return try Call(
            request, configuration, options, isStreamed: isStreamed, by: auth, in: session,
            now: environment.now)
    }

    /// The largest body in bytes that is mapped on the caller's actor; a page of 20 is smaller.
    private static var mappedAtOnce: Int { 16 << 10 }

    /// The item of a successful response.
    func item<Item: ResponseItem>(
        of received: CallResponse, to call: Call, by mapper: MapperBox<Item>
    ) async throws(BackendError) -> Item {
        guard (200..<300).contains(received.status.code) else { throw Self.error(of: received) }
        // Only responses that take less than 0.1 ms are mapped on the caller's actor, which is
        // usually the main actor.
        return received.bytes.count <= Self.mappedAtOnce
            ? try map(received, of: call, by: mapper)
            : try await mapApart(received, of: call, by: mapper)
    }

    @concurrent private func mapApart<Item: ResponseItem>(
        _ received: CallResponse, of call: Call, by mapper: MapperBox<Item>
    ) async throws(BackendError) -> Item {
        try map(received, of: call, by: mapper)
    }

    private func map<Item: ResponseItem>(
        _ received: CallResponse, of call: Call, by mapper: MapperBox<Item>
    ) throws(BackendError) -> Item {
        let start = network.isObserved ? environment.now() : .zero
        do throws(ResponseMapperError) {
            let item = try mapper.map(received.bytes)
            network.notify(event(.mapped, call, since: start))
            return item
        } catch {
            network.notify(event(.unmapped(error), call, since: start))
            throw .mapping(error)
        }
    }

    func event(_ kind: BackendEvent.Kind, _ call: Call, since start: Duration) -> BackendEvent {
        BackendEvent(
            kind, call.request, to: call.origin, duration: environment.now() - start)
    }

    /// The error that an unsuccessful response describes.
    static func error(of received: CallResponse) -> BackendError {
        let type = received.fields[.contentType].flatMap { MediaType($0) }
        var problem = Problem(
            type: "about:blank", title: received.status.reason, status: received.status.code)
        if type?.is(Problem.mediaType) == true, let stated = try? Problem(mapping: received.bytes) {
            problem = stated
            problem.status = received.status.code
        }
        return received.status == .unauthorized ? .unauthorized(problem) : .problem(problem)
    }
}

/// Cached responses and shared exchanges: equal requests are sent once.
extension BackendService {
    func response(to call: Call) async -> Result<CallResponse, BackendError> {
        guard call.request.method.isSafe else { return await written(call) }
        let key = CacheKey(call.request, to: call.origin, by: call.session.owner)
        let freshness = call.options.freshness
        if freshness == .cached {
            return cache?.copy(for: key).map { .success(copied($0, call)) } ?? .failure(.notCached)
        }
        if freshness != .reloaded, let copy = cache?.copy(for: key),
            copy.isFresh(now: environment.now())
        {
            return .success(copied(copy, call))
        }
        let callKey = CallKey(
            cacheKey: key, session: call.session.id, isConditional: freshness != .reloaded)
        let outcome = await network.waiting { executor in
            await calls.outcome(for: callKey, call.waitLimit, on: executor) {
                await fetched(call, key, for: $0)
            }
        }
        // Each waiter has its own deadline and its own freshness option.
        guard case .failure(let error) = outcome, freshness == .orCachedWhenOffline,
            error.isOffline, let copy = cache?.copy(for: key)
        else { return outcome }
        return .success(copied(copy, call))
    }

    /// A response from the cache without revalidation.
    private func copied(_ copy: CachedResponse, _ call: Call) -> CallResponse {
        let received = CallResponse(copy, isRevalidated: false, now: environment.now())
        network.notify(BackendEvent(.cached(age: received.age), call.request, to: call.origin))
        return received
    }

    /// Sends a write. Cached responses and exchanges from before it may be stale, even if it is
    /// unknown whether the write was carried out.
    private func written(_ call: Call) async -> Result<CallResponse, BackendError> {
        let outcome = await alone(call) {
            defer { forgetCopies() }
            return await exchanged(call).map(CallResponse.init)
        }
        forgetCopies()
        return outcome
    }

    private func forgetCopies() {
        cache?.expireAll()
        calls.seal()
    }

    /// The outcome of an unshared exchange, which ends when its caller stops waiting.
    func alone<Value: Sendable>(
        _ call: Call, _ work: @escaping @Sendable () async -> Result<Value, BackendError>
    ) async -> Result<Value, BackendError> {
        let flight = SharedTask<Value>(deadline: call.waitLimit.deadline)
        return await network.waiting { executor in
            flight.start(on: executor, work)
            return await flight.join(call.waitLimit) ?? .failure(.cancelled)
        }
    }

    private func fetched(
        _ call: Call, _ key: CacheKey, for waiters: SharedTask<CallResponse>
    ) async -> Result<CallResponse, BackendError> {
        guard let cache, call.request.method == .get else {
            return await exchanged(call, for: waiters).map(CallResponse.init)
        }
        let generation = cache.generation
        // Held until the end, because a 304 needs the bytes of the copy that was asked about.
        let copy = call.options.freshness == .reloaded ? nil : cache.copy(for: key)
        let conditional = copy?.etag.map(call.conditional) ?? call
        let outcome = await exchanged(conditional, for: waiters)
        let now = environment.now()
        switch outcome {
        case .success(let response) where response.status == .notModified:
            guard let copy else { return .failure(.transport(Self.uncalledFor)) }
            guard
                let confirmed = copy.confirmed(
                    by: response.fields, generation: generation, now: now)
            else {
                cache.remove(key)
                return .success(CallResponse(copy, isRevalidated: true, now: copy.confirmed))
            }
            auth.whileValid(call.session) { cache.store(confirmed, for: key) }
            return .success(CallResponse(confirmed, isRevalidated: true, now: now))
        case .success(let response):
            let received = CallResponse(response)
            if response.status == .ok,
                let new = CachedResponse(
                    received.fields, received.bytes, generation: generation, now: now)
            {
                auth.whileValid(call.session) { cache.store(new, for: key) }
            } else if response.status.code < 500, !Self.saysNothing.contains(response.status) {
                cache.remove(key)
            }
            return .success(received)
        case .failure(let error): return .failure(error)
        }
    }

    /// Errors that do not invalidate a cached response.
    private static let saysNothing: Set<HTTPStatus> = [
        .unauthorized, .requestTimeout, .tooManyRequests,
    ]

    private static var uncalledFor: TransportFailure {
        TransportFailure(.malformed, "the response is 304, but the request was not conditional")
    }
}

/// Requests that belong to an account, and not to the user who happens to be signed in when they
/// are sent.
extension BackendService {
    /// The owner of the session to which requests belong that are made now.
    package var owner: SessionOwner { (try? auth.session())?.account ?? .unknown }

    /// Sends the request, and returns the owner of the session to which it belonged from its
    /// beginning to its end.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: the options of the request.
    ///   - owner: the required owner of the session; in another one nothing is sent, and the result
    ///     is `signedOut`. `nil` for any.
    package func outcome<Request: BackendAPIRequest>(
        of request: Request, options: RequestOptions = .init(), onlyAs owner: SessionOwner? = nil
    ) async -> SessionOutcome<Request.Item> {
        var found: SessionOwner?
        do throws(BackendError) {
            if auth.hasStore { try await auth.reloadFromStore() }
            let session = try auth.session()
            found = session.account
            guard owner == nil || owner == found else { throw .signedOut }
            let reply = try await reply(to: request, options: options, in: session.id)
            return SessionOutcome(result: .success(reply), owner: found)
        } catch { return SessionOutcome(result: .failure(error), owner: found) }
    }

    /// Sends the request, without retries, in the current session if that belongs to this account.
    ///
    /// The token is taken from this session and no other, and an ended session has none: whenever
    /// a user signs in or out, nothing is sent in the session of another account.
    ///
    /// - Throws: `signedOut` if the current session is of another account, or ends meanwhile.
    ///   `offline` only if the request did not reach the backend.
    package func sendOnce<Request: BackendAPIRequest>(
        _ request: Request, as account: String, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        let outcome = await withoutRetries.outcome(
            of: request, options: options, onlyAs: .account(account))
        return try outcome.result.get().item
    }
}
