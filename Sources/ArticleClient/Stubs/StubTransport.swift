public import ArticleAPI
package import BroadsheetHTTP

/// The responses of a stub: one closure for each type of request.
///
/// A value, filled while the stub is made. The closures run on any thread, several at a time. A
/// request without a route fails with the problem `not-implemented`.
///
/// ```swift
/// let backend = BackendService.stub { routes in
///     routes.on(FetchTagsRequest.self) { _ in Page(items: []) }
///     routes.on(FetchArticlesRequest.self) { _ in throw Problem(.forbidden) }
/// }
/// ```
public struct StubRoutes: Sendable {
    fileprivate struct Route: Sendable {
        let endpoint: Endpoint
        /// `nil` for a request with another path.
        let respond: @Sendable (HTTPRequest, StubLog) async throws -> HTTPResponse?

        func takes(_ method: HTTPMethod) -> Bool { method == endpoint.method }
    }

    fileprivate var routes: [Route] = []

    /// Adds a route for requests of a type. If two types share an endpoint, the first one receives
    /// the requests.
    ///
    /// - Parameters:
    ///   - type: the type of the requests.
    ///   - respond: receives the request as the app sent it and returns its item. It may throw a
    ///     `Problem`, a `BackendError` or a `TransportError`, which the app then receives.
    public mutating func on<Request: BackendAPIRequest>(
        _ type: Request.Type,
        _ respond: @escaping @Sendable (Request) async throws -> Request.Item
    ) {
        let route = Route(endpoint: Request.endpoint) { request, log in
            guard let source = RequestSource(request, for: Request.endpoint) else { return nil }
            let typed: Request
            do throws(RequestValidationError) { typed = try Request(parsing: source) } catch {
                return Self.response(error.problem())
            }
            log.add(typed)
            let item = try await respond(typed)
            let format = Request.Item.encoding
            var fields = HTTPFields()
            if let mediaType = format.mediaType { fields.set(.contentType, to: mediaType) }
            let selection = (typed as? any SparseRequest)?.fields
            return HTTPResponse(
                Request.endpoint.success, fields: fields,
                body: .bytes(format.write(item, selection)))
        }
        routes.append(route)
    }

    /// The response with a problem, as a backend sends it.
    package static func response(_ problem: Problem) -> HTTPResponse {
        var fields: HTTPFields = [.contentType: Problem.mediaType]
        if let delay = problem.retryAfter {
            fields.set(.retryAfter, to: "\(delay.components.seconds)")
        }
        return HTTPResponse(
            HTTPStatus(problem.status) ?? .internalServerError, fields: fields,
            body: .bytes(problem.json()))
    }
}

/// The requests that a stub has received, as values of the contract: the last 10,000.
final class StubLog: Sendable {
    private static let limit = 10_000
    private let requests = Locked([any BackendAPIRequest]())

    func add(_ request: any BackendAPIRequest) {
        requests.withLock { requests in
            if requests.count == Self.limit { requests.removeFirst(Self.limit / 10) }
            requests.append(request)
        }
    }

    func received<Request: BackendAPIRequest>(_ type: Request.Type) -> [Request] {
        requests.withLock { $0.compactMap { $0 as? Request } }
    }
}

/// Responds to typed requests with closures. Requests and responses are real HTTP messages, so that
/// a request that a backend would reject is also rejected here.
struct StubTransport: Transport {
    let log = StubLog()
    private let transport: InProcessTransport

    init(_ routes: StubRoutes, _ environment: ClientEnvironment) {
        // Literal segments win over parameters: the `search` in `/v1/articles/search` is not an id.
        let routes = routes.routes.enumerated().sorted { left, right in
            let names = (
                left.element.endpoint.template.parameters.count,
                right.element.endpoint.template.parameters.count
            )
            return names.0 == names.1 ? left.offset < right.offset : names.0 < names.1
        }.map(\.element)
        transport = InProcessTransport(environment: environment) { [log] request, _ in
            do {
                for route in routes where route.takes(request.method) {
                    if let response = try await route.respond(request, log) { return response }
                }
            } catch let problem as Problem {
                return StubRoutes.response(problem)
            } catch let error as BackendError {
                if let problem = error.problem { return StubRoutes.response(problem) }
                throw TransportError(error)
            }
            let detail = "The stub has no route for \(request.method) \(request.target)."
            return StubRoutes.response(Problem(.notImplemented, detail: detail))
        }
    }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        try await transport.exchange(request, with: origin, options: options)
    }
}

extension TransportError {
    /// The error of a transport that gives the app this error.
    fileprivate init(_ error: BackendError) {
        switch error {
        case .offline(let reason): self = .offline(reason)
        case .timedOut: self = .timedOut
        case .transport(let failure): self = .failed(failure)
        case .cancelled, .superseded, .signedOut: self = .cancelled
        case .mapping, .notCached, .problem, .unauthorized, .signInRejected:
            self = .failed(TransportFailure(.malformed, error.description))
        }
    }
}

extension BackendService {
    /// A typed backend for previews and tests, without a network.
    ///
    /// ```swift
    /// let backend = BackendService.stub { routes in
    ///     routes.on(FetchTagsRequest.self) { _ in
    ///         Page(items: [ArticleTag.Usage(tag: ArticleTag(named: "Swift"), articleCount: 3)])
    ///     }
    ///     routes.on(DeleteArticleRequest.self) { _ in throw Problem(.forbidden) }
    /// }
    /// let tags = try await backend.send(FetchTagsRequest(limit: 5))
    /// let limits = backend.received(FetchTagsRequest.self).map(\.limit)
    /// ```
    ///
    /// A request without a route fails with the problem `not-implemented`. Requests are not
    /// retried, and time out after 10 minutes unless their options say otherwise: a debugger may
    /// stop in a route. Responses are not cached unless a cache is given.
    public static func stub(
        auth: BackendAuth = BackendAuth(), cache: ResponseCache? = nil,
        middleware: [any RequestMiddleware] = [], observers: [BackendObserver] = [],
        environment: ClientEnvironment = .system, _ routes: (inout StubRoutes) -> Void
    ) -> BackendService {
        var table = StubRoutes()
        routes(&table)
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        configuration.timeout = .seconds(600)
        return BackendService(
            configuration: configuration, transport: StubTransport(table, environment),
            auth: auth, cache: cache, middleware: middleware, observers: observers,
            environment: environment)
    }

    /// The requests of a type that a stub has received, in the order of arrival; the last 10,000 of
    /// all types are recorded. The service must be one that `stub` made.
    public func received<Request: BackendAPIRequest>(_ type: Request.Type) -> [Request] {
        guard let stub = network.transport as? StubTransport else {
            preconditionFailure("programmer error: only a stub records the requests it receives")
        }
        return stub.log.received(type)
    }
}
