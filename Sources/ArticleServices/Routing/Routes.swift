import ArticleAPI
import ArticleAccounts
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform

/// Binds the requests of the contract to the services: nothing else knows an endpoint.
///
/// Each binding parses the request (`RequestSource`), calls the service with a typed value and the
/// caller, and encodes the response with validators and caching fields.
package struct Routes {
    private var builder = HTTPRouterBuilder()
    private let access: Authenticator?
    private let responses: PublicResponseCache
    private let writes: IdempotentWrites
    private let commits: CommitTokens
    private let scheduler: RequestScheduler
    private let system: SystemEnvironment
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - access: determines the sender of a request; `nil` on the control socket, where the
    ///     operator sends all.
    ///   - responses: caches public responses.
    ///   - workers: the threads on which the store reads.
    ///   - writes: stores the results of writes with an idempotency key.
    ///   - commits: lets clients read their own writes.
    ///   - log: receives the causes of failures, which are never sent to clients, as single lines.
    init(
        access: Authenticator?, responses: PublicResponseCache, workers: WorkerPool,
        writes: IdempotentWrites, commits: CommitTokens, system: SystemEnvironment,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.access = access
        self.responses = responses
        self.writes = writes
        self.commits = commits
        scheduler = RequestScheduler(workers: workers)
        self.system = system
        self.log = log
    }

    /// Binds a write, which may have an idempotency key, to its handler.
    mutating func on<Request: IdempotentWriteRequest>(
        _: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Principal, IdempotencyKey?) async throws(ServiceError) ->
            Reply<
                Request.Item
            >
    ) where Request.Item: KeptItem {
        register(nil, handlingOnce(handle))
    }

    /// Binds the request to its handler.
    mutating func on<Request: BackendAPIRequest>(
        _: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Principal) async throws(ServiceError) -> Reply<
                Request.Item
            >
    ) {
        register(nil, Self.handling(handle))
    }

    /// Binds the request to a handler that needs to know where it comes from.
    mutating func on<Request: BackendAPIRequest>(
        _: Request.Type, _ handle: @escaping RequestWork<Request>.Handle
    ) {
        register(nil, handle)
    }

    /// Binds a request whose handler reads the body as it arrives, from its context.
    ///
    /// - Parameter limitBytes: The maximum size of the body.
    mutating func upload<Request: BackendAPIRequest>(
        _: Request.Type, limitBytes: Int, _ handle: @escaping RequestWork<Request>.Handle
    ) {
        register(.spooled(limitBytes: limitBytes), handle)
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func handlingOnce<Request: IdempotentWriteRequest>(
        _ handle:
            @escaping @Sendable (Request, Principal, IdempotencyKey?) async throws(ServiceError) ->
            Reply<
                Request.Item
            >
    ) -> RequestWork<Request>.Handle where Request.Item: KeptItem {
        { [writes] (request, caller, _) throws(ServiceError) in
            try await writes.once(request, by: caller, handle)
        }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func handling<Request: BackendAPIRequest>(
        _ handle:
            @escaping @Sendable (Request, Principal) async throws(ServiceError) -> Reply<
                Request.Item
            >
    ) -> RequestWork<Request>.Handle {
        { (request, caller, _) throws(ServiceError) in try await handle(request, caller) }
    }

    /// Obtains the encoding where its type is known, so that it is specialized for every request.
    private mutating func register<Request: BackendAPIRequest>(
        _ body: HTTPRouteBody?, _ handle: @escaping RequestWork<Request>.Handle
    ) {
        let encoding = Request.Item.encoding
        if Self.isFrequent(Request.self) {
            bind(encoding, body, handle)
        } else {
            bindRare(encoding, body, handle)
        }
    }

    /// Selects the requests for whose types the compiler specializes every generic function that
    /// handles them. Doing so for all requests would take half of the target's build.
    private static func isFrequent<Request: BackendAPIRequest>(_ type: Request.Type) -> Bool {
        type is FetchArticleRequest.Type || type is FetchArticlesRequest.Type
            || type is FetchChangesRequest.Type || type is SearchArticlesRequest.Type
            || type is CreateArticleRequest.Type || type is UpdateArticleRequest.Type
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private mutating func bindRare<Request: BackendAPIRequest>(
        _ encoding: ResponseEncoding<Request.Item>, _ body: HTTPRouteBody?,
        _ handle: @escaping RequestWork<Request>.Handle
    ) {
        bind(encoding, body, handle)
    }

    private mutating func bind<Request: BackendAPIRequest>(
        _ encoding: ResponseEncoding<Request.Item>, _ body: HTTPRouteBody?,
        _ handle: @escaping RequestWork<Request>.Handle
    ) {
        let (responses, log) = (responses, log)
        let work = RequestWork(encoding: encoding, scheduler: scheduler, system: system, handle)
        admit(Request.self, encoding.mediaType.flatMap { MediaType($0) }, body: body) { caller in
            { message, context in
                await Self.respond(message, context, caller, work, responses, log)
            }
        }
    }

    /// Binds a request whose handler makes the whole HTTP response, as it is too long for memory.
    mutating func stream<Request: BackendAPIRequest>(
        _: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Principal) async throws(ServiceError) -> HTTPResponse
    ) where Request.Item == RawBody {
        stream(Request.self, as: nil) {
            (request, caller, _) throws(ServiceError) in try await handle(request, caller)
        }
    }

    /// Binds a request whose response lasts as long as its client wants.
    mutating func events<Request: BackendAPIRequest>(
        _: Request.Type, _ handle: @escaping StreamHandler<Request>
    ) where Request.Item == EventStream {
        stream(
            Request.self, as: EventStream.encoding.mediaType.flatMap { MediaType($0) }, handle)
    }

    /// Binds a request whose response is a document that may be too long for memory. Its sender is
    /// charged with its cost.
    mutating func document<Request: CostlyRequest>(
        _: Request.Type, _ handle: @escaping StreamHandler<Request>
    ) where Request.Item: JSONModel {
        stream(Request.self, as: Request.Item.encoding.mediaType.flatMap { MediaType($0) }) {
            (request, caller, context) throws(ServiceError) in
            try RequestScheduler.charge(request.cost, context)
            return try await handle(request, caller, context)
        }
    }

    typealias StreamHandler<Request> =
        @Sendable (Request, Principal, RequestContext) async throws(ServiceError) -> HTTPResponse

    @_semantics("optimize.sil.specialize.generic.never")
    private mutating func stream<Request: BackendAPIRequest>(
        _: Request.Type, as mediaType: MediaType?, _ handle: @escaping StreamHandler<Request>
    ) {
        let log = log
        admit(Request.self, mediaType) { caller in
            { message, context in
                do throws(ServiceError) {
                    let request = try RequestWork<Request>.parse(message, context)
                    return try await handle(request, caller, context)
                } catch {
                    return error.response(to: context.requestID, log: log)
                }
            }
        }
    }

    /// Checks everything that does not require the body: the only place where a request's access
    /// is enforced.
    ///
    /// - Parameters:
    ///   - mediaType: the media type of the response; `nil` if clients cannot choose.
    ///   - body: the treatment of a body; `nil` to read it if the request has one.
    ///   - handler: makes the handler for an authorized principal.
    private mutating func admit<Request: BackendAPIRequest>(
        _: Request.Type, _ mediaType: MediaType?, body: HTTPRouteBody? = nil,
        _ handler: @escaping @Sendable (Principal) -> HTTPHandler
    ) {
        let (access, commits, log) = (access, commits, log)
        let endpoint = Request.endpoint
        let isRead = endpoint.method.isSafe
        let ownBody: HTTPRouteBody =
            Request.parameters.body == nil
            ? .rejected : .whole(limitBytes: endpoint.bodyLimitBytes)
        builder.protect(endpoint.method, endpoint.template, body: body ?? ownBody) {
            message, context in
            var sender: RequestSender?
            do throws(ServiceError) {
                if !commits.isOpen(to: message.fields) {
                    try await commits.wait(for: message.fields)
                }
                let caller =
                    try await access?.principal(of: message.fields, context) ?? .controlSocket
                sender = caller.sender
                try Self.checkAccept(message, mediaType)
                try caller.require(endpoint.access)
                if endpoint.carriesSecrets { try Self.checkSecrecy(message, context) }
                if !endpoint.method.isSafe { try Self.checkConditions(message) }
                let handler = handler(caller)
                return .admitted(
                    isRead ? handler : commits.marking(handler), account: caller.account,
                    sharesAddress: caller.sharesAddress, sender: sender)
            } catch {
                if case .unauthenticated = error {
                    sender = RequestSender.unverified(in: message.fields)
                }
                return .rejected(
                    error.response(to: context.requestID, log: log), sender: sender)
            }
        }
    }

    /// The response to a request of an authorized principal.
    private static func respond<Request: BackendAPIRequest>(
        _ message: HTTPRequest, _ context: RequestContext, _ caller: Principal,
        _ work: RequestWork<Request>, _ responses: PublicResponseCache,
        _ log: @Sendable (String) -> Void
    ) async -> HTTPResponse {
        do throws(ServiceError) {
            guard !caller.seesHidden, Request.endpoint.access == .everyone,
                message.method.isSafe,
                !ConditionalRequest.hasPreconditions(message.fields)
            else { return try await work.response(to: message, context, caller) }
            let request = try RequestWork<Request>.parse(message, context)
            if request.isForUser, caller.user != nil || request.needsUser {
                return try await work.response(to: message, context, caller)
            }
            // Shared responses are created as for an anonymous client, even if a reader asks first.
            let response = await responses.respond(message, context, log: log) {
                () throws(ServiceError) in
                try await work.publicResponse(to: request, context, for: caller)
            }
            return caller == .anonymous ? response : response.madePrivate()
        } catch {
            return error.explained(by: message.fields).response(to: context.requestID, log: log)
        }
    }

    /// Binds a path that is not part of the contract (health, operations).
    ///
    /// - Parameter body: By default, methods that write take a whole one.
    mutating func on(
        _ method: HTTPMethod, _ template: PathTemplate, body: HTTPRouteBody? = nil,
        _ handler: @escaping HTTPHandler
    ) {
        builder.on(method, template, body: body, handler)
    }

    /// The router for all bindings.
    ///
    /// - Throws: if bindings conflict.
    func router() throws(RouterError) -> HTTPRouter {
        try builder.build()
    }

    /// Rejects preconditions that writes do not support instead of ignoring them (RFC 9110 §13.2).
    private static func checkConditions(_ message: HTTPRequest) throws(ServiceError) {
        let ignored = [HTTPFieldName.ifNoneMatch, .ifUnmodifiedSince]
        let details = ignored.filter(message.fields.contains).map { name in
            Problem.Detail("is not supported for writes; use If-Match", at: .header(name.rawValue))
        }
        guard details.isEmpty else {
            throw .rejected(RequestValidationError(.malformed, details: details))
        }
    }

    /// Rejects secrets in bodies that could be read on the way, and requests that would be stored.
    private static func checkSecrecy(
        _ message: HTTPRequest, _ context: RequestContext
    ) throws(ServiceError) {
        guard context.isConfidential else { throw .exposedSecrets }
        guard let name = HTTPFieldName("Idempotency-Key"), message.fields.contains(name) else {
            return
        }
        let detail = "is not accepted here, because the response contains secrets"
        throw .rejected(
            RequestValidationError(
                .malformed, details: [Problem.Detail(detail, at: .header(name.rawValue))]))
    }

    private static func checkAccept(
        _ message: HTTPRequest, _ mediaType: MediaType?
    ) throws(ServiceError) {
        guard let mediaType, let accept = message.fields.combined(.accept) else { return }
        guard mediaType.isAccepted(by: accept) else {
            throw .notAcceptable(mediaType.description)
        }
    }
}
