public import ArticleAPI
import BroadsheetHTTP

/// Sends requests of the contract to a backend and returns their items.
///
/// It adds the token and headers, follows redirects, renews credentials, retries requests that are
/// safe to retry, shares equal requests, and revalidates cached responses. It knows only those
/// endpoints that begin or end its session (`SignInRequest`, `SignUpRequest`,
/// `SignOutRequest`, `DeleteMeRequest`), so that a new request needs no change here. Values of
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
        let memory: (any ResponseMemory)?
        let calls = Coalescer<CallKey, CallResponse>()
        let mappers = ResponseMapperCache()

        init(
            _ configuration: BackendConfiguration, _ auth: BackendAuth, _ cache: ResponseCache?,
            _ network: NetworkService, _ writes: LastWrite, _ memory: (any ResponseMemory)?,
            _ environment: ClientEnvironment
        ) {
            self.memory = memory
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
    package var network: NetworkService { parts.network }
    package var transport: any Transport { network.transport }
    var cache: ResponseCache? { parts.cache }
    var writes: LastWrite { parts.writes }
    package var environment: ClientEnvironment { parts.environment }
    var calls: Coalescer<CallKey, CallResponse> { parts.calls }

    /// - Parameters:
    ///   - configuration: the backend's base URL, timeouts and limits.
    ///   - transport: the carrier of the requests.
    ///   - auth: the credentials; anonymous by default.
    ///   - cache: `nil` to keep no responses.
    ///   - middleware: the steps around each exchange, the outermost first.
    ///   - observers: called for every event.
    ///   - environment: clocks and random numbers.
    public init(
        configuration: BackendConfiguration = .shared, transport: any Transport,
        auth: BackendAuth = BackendAuth(), cache: ResponseCache? = ResponseCache(),
        middleware: [any RequestMiddleware] = [], observers: [BackendObserver] = [],
        environment: ClientEnvironment = .system
    ) {
        self.init(
            configuration: configuration, auth: auth, cache: cache,
            network: NetworkService(
                transport, middleware: middleware, observers: observers, environment: environment),
            writes: LastWrite(), environment: environment)
    }

    init(
        configuration: BackendConfiguration, auth: BackendAuth, cache: ResponseCache?,
        network: NetworkService, writes: LastWrite, memory: (any ResponseMemory)? = nil,
        environment: ClientEnvironment
    ) {
        parts = SharedState(configuration, auth, cache, network, writes, memory, environment)
        if let cache { auth.attach(cache) }
    }

    #if canImport(BroadsheetHTTPClient)
        /// A service that uses its own sockets.
        public init(
            configuration: BackendConfiguration = .shared, auth: BackendAuth = BackendAuth(),
            cache: ResponseCache? = ResponseCache(), middleware: [any RequestMiddleware] = [],
            observers: [BackendObserver] = []
        ) {
            self.init(
                configuration: configuration, transport: SocketTransport(), auth: auth,
                cache: cache, middleware: middleware, observers: observers)
        }
    #endif

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
        if let memory = parts.memory {
            return try await reply(to: request, options: options, with: memory, in: session)
        }
        return try await plainReply(to: request, options: options, in: session)
    }

    /// Sends the request and leaves the session as it is.
    func plainReply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions, in session: Session.ID? = nil
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        let (received, item) = try await decodedResponse(to: request, options, in: session)
        return received.reply(item)
    }

    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    private func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions, in session: Session.ID?
    ) async throws(BackendError) -> Request.Item {
        if let effect = SessionEffect(of: request) {
            return try await reply(to: request, options: options, with: effect, in: session)
                .reply.item
        }
        if let memory = parts.memory {
            return try await reply(to: request, options: options, with: memory, in: session).item
        }
        return try await decodedResponse(to: request, options, in: session).item
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
    ///   - type: its type, which has its endpoint.
    ///   - mediaType: the media type of a successful response; `nil` without a body.
    ///   - isStreamed: true if the response is delivered as it arrives.
    ///   - session: the session in which the request was made; `nil` for the current one.
    func call(
        _ request: HTTPRequest, _ options: RequestOptions, _ type: any BackendAPIRequest.Type,
        expecting mediaType: String?, isStreamed: Bool = false, in session: Session.ID? = nil
    ) async throws(BackendError) -> Call {
        let endpoint = type.endpoint
        if endpoint.carriesSecrets { try checkSecrecy(of: configuration.baseURL.origin) }
        if auth.hasStore { try await auth.reloadFromStore() }
        let session = try auth.session(session)
        let verdict = Verdict(
            mediaType: mediaType, success: endpoint.success,
            problemTypes: configuration.problemTypes)
        return try Call(
            request, of: type, number: network.nextRequest(), configuration, options, verdict,
            isStreamed: isStreamed, by: auth, in: session, now: environment.now)
    }

    /// The response to a request, and its item. If the item cannot be decoded, the copy that the
    /// response has replaced is cached again, and used where the options accept a copy.
    private func decodedResponse<Request: BackendAPIRequest>(
        to request: Request, _ options: RequestOptions, in session: Session.ID?
    ) async throws(BackendError) -> (received: CallResponse, item: Request.Item) {
        let mapper = parts.mappers.mapper(for: Request.Item.self)
        let call = try await call(
            RequestPrinter.print(request, accepting: mapper.accept), options, Request.self,
            expecting: mapper.mediaType, in: session)
        let received = try await response(to: call).get()
        do throws(BackendError) {
            return (received, try await item(of: received, to: call, by: mapper))
        } catch {
            let replaced = restoreCopy(insteadOf: received, call)
            guard let replaced, case .orCached = options.freshness, error.allowsStale
            else { throw error }
            let copy = copied(replaced, call, because: error)
            return (copy, try await item(of: copy, to: call, by: mapper))
        }
    }

    /// The largest body in bytes that is mapped on the caller's actor; a page of 20 is smaller.
    private static var mappedAtOnce: Int { 16 << 10 }

    /// The item of a successful response.
    func item<Item: ResponseItem>(
        of received: CallResponse, to call: Call, by mapper: MapperBox<Item>
    ) async throws(BackendError) -> Item {
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
            if network.isObserved, case let leftOut = mapper.leftOut(of: item), !leftOut.isEmpty {
                network.notify(event(.leftOut(leftOut), call, since: start))
            }
            return item
        } catch {
            network.notify(event(.unmapped(error), call, since: start))
            throw Verdict.error(error, mapping: received)
        }
    }

    func event(_ kind: BackendEvent.Kind, _ call: Call, since start: Duration) -> BackendEvent {
        BackendEvent(kind, call.request, call.context, duration: environment.now() - start)
    }
}

/// The effect of a request on the session of the service that sends it.
enum SessionEffect {
    /// The response is a new session.
    case signIn(isByPassword: Bool)
    /// The response is an account, in which this request begins a session.
    case signUp(SignInRequest)
    case signOut
    /// The response confirms that the account, and with it the session, is gone.
    case deletion

    private static let types: Set<ObjectIdentifier> = [
        ObjectIdentifier(SignInRequest.self), ObjectIdentifier(SignUpRequest.self),
        ObjectIdentifier(SignOutRequest.self), ObjectIdentifier(DeleteMeRequest.self),
    ]

    init?<Request: BackendAPIRequest>(of request: Request) {
        // Comparing types costs less than casting every request.
        guard Self.types.contains(ObjectIdentifier(Request.self)) else { return nil }
        switch request {
        case let request as SignInRequest:
            let isByPassword = if case .password = request.signIn.proof { true } else { false }
            self = .signIn(isByPassword: isByPassword)
        case let request as SignUpRequest:
            // An admin creates an account for somebody else, and says for which role.
            guard request.user.role == nil else { return nil }
            self = .signUp(SignInRequest(name: request.user.name, password: request.user.password))
        case is SignOutRequest: self = .signOut
        default: self = .deletion
        }
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
        // Each waiter has its own deadline and its own freshness option.
        guard case .orCached(let wait) = freshness, cache?.copy(for: key) != nil else {
            return await shared(call, key, callKey)
        }
        return await outcome(after: wait) {
            await shared(call, key, callKey)
        } orElse: { error in
            cache?.copy(for: key).map { copied($0, call, because: error) }
        }
    }

    private func shared(
        _ call: Call, _ key: CacheKey, _ callKey: CallKey
    ) async -> Result<CallResponse, BackendError> {
        await network.waiting { executor in
            await calls.outcome(for: callKey, call.waitLimit, on: executor) {
                await fetched(call, key, for: $0)
            }
        }
    }

    /// A response from the cache without revalidation.
    ///
    /// - Parameter reason: the error instead of which it is used; `nil` if nothing was sent.
    func copied(
        _ copy: CachedResponse, _ call: Call, because reason: BackendError? = nil
    ) -> CallResponse {
        var received = CallResponse(copy, isRevalidated: false, now: environment.now())
        received.staleReason = reason
        network.notify(BackendEvent(.cached(age: received.age), call.request, call.context))
        return received
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
            var received = CallResponse(response)
            var replaced: CachedResponse?
            if response.status == .ok,
                let new = CachedResponse(
                    received.fields, received.bytes, generation: generation, now: now)
            {
                auth.whileValid(call.session) { replaced = cache.store(new, for: key) }
            } else {
                replaced = cache.remove(key)
            }
            received.replaced = replaced.map(CallResponse.ReplacedCopy.init)
            return .success(received)
        case .failure(let error):
            // The backend no longer has it, or does not show it.
            if case .problem = error, !error.isTransient { cache.remove(key) }
            return .failure(error)
        }
    }

    private static var uncalledFor: TransportFailure {
        TransportFailure(.malformed, "the response is 304, but the request was not conditional")
    }
}
