import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer
import Sockets

/// Binds requests of the contract to what services do: nothing else knows an endpoint.
///
/// Each binding reads the request (`RequestSource`), calls the service with a typed value and the
/// caller, and writes the answer with validators and caching fields.
struct Routes {
    private var builder: RouterBuilder
    private let identify: Identify
    private let answers: PublicResponseCache
    private let writes: IdempotentWrites
    private let turns: Turns
    private let now: @Sendable () -> Timestamp
    private let log: @Sendable (String) -> Void

    /// Who sends these fields.
    typealias Identify = @Sendable (HTTPFields) throws(ServiceError) -> Principal

    /// - Parameters:
    ///   - identify: tells who a request comes from.
    ///   - answers: keeps what strangers get.
    ///   - workers: the threads on which the store reads.
    ///   - readers: who gets that, too, in spite of credentials.
    ///   - writes: keeps what writes with an idempotency key were answered.
    ///   - isPrivileged: whether every caller sees more than strangers do, so that nobody may be
    ///     answered out of what is kept for these.
    ///   - log: takes causes of failures, which clients never see; one line each.
    init(
        answers: PublicResponseCache, workers: WorkerPool, readers: (any PublicReaders)? = nil,
        writes: IdempotentWrites, isPrivileged: Bool = false,
        now: @escaping @Sendable () -> Timestamp,
        log: @escaping @Sendable (String) -> Void, identify: @escaping Identify
    ) {
        builder = RouterBuilder(cache: isPrivileged ? nil : answers.cache, readers: readers)
        self.identify = identify
        self.answers = answers
        self.writes = writes
        turns = Turns(workers: workers)
        self.now = now
        self.log = log
    }

    /// Binds a write, which may bring an idempotency key, to the function that does it.
    mutating func on<Request: IdempotentWriteRequest>(
        _ type: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Principal, IdempotencyKey?) async throws(ServiceError) ->
            Reply<
                Request.Item
            >
    ) where Request.Item: KeptItem {
        on(type) { [writes] (request: Request, caller: Principal) async throws(ServiceError) in
            try await writes.once(request, by: caller, handle)
        }
    }

    /// Binds the request to the function that answers it.
    mutating func on<Request: BackendAPIRequest>(
        _: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Principal) async throws(ServiceError) -> Reply<
                Request.Item
            >
    ) {
        let (identify, answers, log) = (identify, answers, log)
        let endpoint = Request.endpoint
        // Made once: an answer's format is put together each time it is asked for.
        let answer = Request.Item.answer
        let mediaType = answer.mediaType.flatMap { MediaType($0) }
        let work = RequestWork(answer: answer, turns: turns, now: now, handle)
        builder.on(
            endpoint.method, endpoint.template.description,
            takesBody: Request.parameters.body != nil
        ) { message, context in
            // All that can be said before the body is read.
            do throws(ServiceError) {
                let caller = try identify(message.fields)
                try Self.checkAccept(message, mediaType)
                try caller.require(endpoint.access)
                if !endpoint.method.isSafe { try Self.checkConditions(message) }
                return .welcome(Visitor(account: caller.account, identity: caller))
            } catch {
                return .refused(error.response(to: context.requestID, log: log))
            }
        } _: { message, context in
            do throws(ServiceError) {
                let caller = context.visitor.identity as? Principal ?? .anonymous
                try caller.require(endpoint.access)
                guard caller.seesWhatIsPublic, endpoint.method == .get,
                    !ConditionalRequest.hasPreconditions(message.fields)
                else { return try await work.response(to: message, context, caller) }
                let request = try work.parse(message, context)
                // What is shared is made as for a stranger, whoever asks for it first.
                let response = await answers.answer(message, context, log: log) {
                    () throws(ServiceError) in
                    try await work.publicResponse(to: request, context, for: caller)
                }
                return caller == .anonymous ? response : response.madePrivate()
            } catch {
                return error.response(to: context.requestID, log: log)
            }
        }
    }

    /// Binds a path that is no part of the contract (health, operations).
    mutating func on(_ method: HTTPMethod, _ template: String, _ handler: @escaping HTTPHandler) {
        builder.on(method, template, handler)
    }

    /// The router of everything that was bound.
    ///
    /// - Throws: for bindings that cannot stand together.
    func router() throws(RouterError) -> Router {
        try builder.build()
    }

    /// Refuses conditions that no write heeds, rather than write in spite of them (RFC 9110 §13.2).
    private static func checkConditions(_ message: HTTPRequest) throws(ServiceError) {
        let ignored = [HTTPFieldName.ifNoneMatch, .ifUnmodifiedSince]
        let details = ignored.filter(message.fields.contains).map { name in
            Problem.Detail("is not taken by writes; send If-Match", at: .header(name.rawValue))
        }
        guard details.isEmpty else {
            throw .refused(RequestValidationError(.malformed, details: details))
        }
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

extension Principal {
    /// Refuses a caller who may not send requests of this kind.
    func require(_ access: Endpoint.Access) throws(ServiceError) {
        switch access {
        case .everyone: return
        case .readHistory, .writeArticles, .writeAuthors: try require(.editor)
        case .administer: try require(.admin)
        }
    }
}
