public import ArticleAPI
import BroadsheetHTTP

/// Sends requests of the contract to a backend and returns their items.
///
/// It adds the token and headers, follows redirects, renews credentials, retries requests that are
/// safe to retry, shares equal requests, and revalidates cached responses. It does not know any
/// endpoints, so that a new request needs no change here. Values of a service that are copies of
/// each other share connections, cached responses and credentials. Use it from any actor; large
/// responses are decoded elsewhere.
///
/// ```swift
/// let backend = BackendService(configuration: configuration, transport: transport)
/// let page = try await backend.send(FetchTagsRequest(limit: 5))
/// ```
public struct BackendService: Sendable {
    /// The parts that copies of a service share. It is one reference because each request passes
    /// the service through several tasks.
    private final class Parts: Sendable {
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

    private let parts: Parts
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
        parts = Parts(configuration, auth, cache, network, writes, environment)
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
        let mapper = parts.mappers.mapper(for: Request.Item.self)
        let call = try await call(
            RequestPrinter.print(request, accepting: mapper.accept), options,
            carriesSecrets: Request.endpoint.carriesSecrets, in: session)
        let received = try await response(to: call).get()
        return try await item(of: received, to: call, by: mapper)
    }

    /// The outcome of `send` in a session, as a value.
    func result<Request: BackendAPIRequest>(
        of request: Request, options: RequestOptions, in session: Session.ID
    ) async -> Result<Request.Item, BackendError> {
        do throws(BackendError) {
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
        if auth.hasStore { try await auth.catchUpWithStore() }
        let session = try auth.session(session)
        return try Call(
            request, configuration, options, isStreamed: isStreamed, by: auth, in: session,
            now: environment.now)
    }

    /// The largest body in bytes that is mapped on the caller's actor; a page of 20 is smaller.
    private static var mappedAtOnce: Int { 16 << 10 }

    /// The item of a successful response.
    func item<Item: ResponseItem>(
        of received: CallResponse, to call: Call, by mapper: KeptMapper<Item>
    ) async throws(BackendError) -> Item {
        guard (200..<300).contains(received.status.code) else { throw Self.error(of: received) }
        // Only responses that take less than 0.1 ms are mapped on the caller's actor, which is
        // usually the main actor.
        return received.bytes.count <= Self.mappedAtOnce
            ? try map(received, of: call, by: mapper)
            : try await mapApart(received, of: call, by: mapper)
    }

    @concurrent private func mapApart<Item: ResponseItem>(
        _ received: CallResponse, of call: Call, by mapper: KeptMapper<Item>
    ) async throws(BackendError) -> Item {
        try map(received, of: call, by: mapper)
    }

    private func map<Item: ResponseItem>(
        _ received: CallResponse, of call: Call, by mapper: KeptMapper<Item>
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

/// The mappers of a service, one for each type of item: some take longer to make than to use.
final class ResponseMapperCache: Sendable {
    /// Bounded by the number of item types.
    private let kept = Locked([ObjectIdentifier: any AnyObject & Sendable]())

    func mapper<Item: ResponseItem>(for _: Item.Type) -> KeptMapper<Item> {
        let type = ObjectIdentifier(Item.self)
        let found = kept.withLock { $0[type] }
        if let found = found as? KeptMapper<Item> { return found }
        let new = KeptMapper<Item>()
        kept.withLock { $0[type] = new }
        return new
    }
}

/// A mapper that is passed on without being copied.
final class KeptMapper<Item: ResponseItem>: Sendable {
    private let mapper: ResponseMapper<Item>
    let accept: HTTPFields

    init() {
        mapper = ResponseMapper()
        accept = mapper.accept
    }

    func map(_ bytes: [UInt8]) throws(ResponseMapperError) -> Item { try mapper.map(bytes) }
}
