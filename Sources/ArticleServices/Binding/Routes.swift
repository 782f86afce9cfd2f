import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer

/// Binds requests of the contract to what services do: nothing else knows an endpoint.
///
/// Each binding reads the request (`RequestSource`), calls the service with a typed value and the
/// caller, and writes the answer with validators and caching fields.
struct Routes {
    private var builder: RouterBuilder
    private let identify: Identify
    private let answers: PublicAnswers
    private let writes: KeptWrites
    private let now: @Sendable () -> Timestamp
    private let log: @Sendable (String) -> Void

    /// Who sends these fields.
    typealias Identify = @Sendable (HTTPFields) throws(ServiceError) -> Caller

    /// - Parameters:
    ///   - identify: tells who a request comes from.
    ///   - answers: keeps what strangers get.
    ///   - readers: who gets that, too, in spite of credentials.
    ///   - writes: keeps what writes with an idempotency key were answered.
    ///   - isPrivileged: whether every caller sees more than strangers do, so that nobody may be
    ///     answered out of what is kept for these.
    ///   - log: takes causes of failures, which clients never see; one line each.
    init(
        answers: PublicAnswers, readers: (any PublicReaders)? = nil, writes: KeptWrites,
        isPrivileged: Bool = false, now: @escaping @Sendable () -> Timestamp,
        log: @escaping @Sendable (String) -> Void, identify: @escaping Identify
    ) {
        builder = RouterBuilder(cache: isPrivileged ? nil : answers.cache, readers: readers)
        self.identify = identify
        self.answers = answers
        self.writes = writes
        self.now = now
        self.log = log
    }

    /// Binds a write, which may bring an idempotency key, to the function that does it.
    mutating func on<Request: RepeatableRequest>(
        _ type: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Caller, WriteKey?) async throws(ServiceError) -> Reply<
                Request.Item
            >
    ) where Request.Item: KeptItem {
        on(type) { [writes] (request: Request, caller: Caller) async throws(ServiceError) in
            try await writes.once(request, by: caller, handle)
        }
    }

    /// Binds the request to the function that answers it.
    mutating func on<Request: BackendAPIRequest>(
        _: Request.Type,
        _ handle:
            @escaping @Sendable (Request, Caller) async throws(ServiceError) -> Reply<Request.Item>
    ) {
        let (identify, answers, now, log) = (identify, answers, now, log)
        let endpoint = Request.endpoint
        // Made once: an answer's format is put together each time it is asked for.
        let answer = Request.Item.answer
        let mediaType = answer.mediaType.flatMap { MediaType($0) }
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
                let caller = context.visitor.identity as? Caller ?? .stranger
                try caller.require(endpoint.access)
                let request = try Self.parse(message, context, as: Request.self)
                guard caller.seesWhatIsPublic, endpoint.method == .get,
                    !ConditionalRequest.hasPreconditions(message.fields)
                else {
                    let began = now()
                    let reply = try await handle(request, caller)
                    return try Representation(reply, answer, to: request, caller, at: began)
                        .response(to: message)
                }
                // What is shared is made as for a stranger, whoever asks for it first.
                let response = await answers.answer(message, context, log: log) {
                    () throws(ServiceError) in
                    let began = now()
                    let reply = try await handle(request, .stranger)
                    let whole = Representation(reply, answer, to: request, .stranger, at: began)
                    let dependencies = reply.dependencies?.lasting(until: whole.settlesAt)
                    return (try whole.response(to: nil), dependencies)
                }
                return caller == .stranger ? response : response.madePrivate()
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

    private static func parse<Request: BackendAPIRequest>(
        _ message: HTTPRequest, _ context: RequestContext, as _: Request.Type
    ) throws(ServiceError) -> Request {
        var path: [String: String] = [:]
        for name in Request.endpoint.template.parameters { path[name] = context.parameters[name] }
        do throws(RequestRefusal) {
            return try Request(parsing: RequestSource(message, path: path))
        } catch { throw .refused(error) }
    }

    /// Refuses conditions that no write heeds, rather than write in spite of them (RFC 9110 §13.2).
    private static func checkConditions(_ message: HTTPRequest) throws(ServiceError) {
        let ignored = [HTTPFieldName.ifNoneMatch, .ifUnmodifiedSince]
        let details = ignored.filter(message.fields.contains).map { name in
            Problem.Detail("is not taken by writes; send If-Match", at: .header(name.rawValue))
        }
        guard details.isEmpty else { throw .refused(RequestRefusal(.malformed, details: details)) }
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

extension Caller {
    /// Refuses a caller who may not send requests of this kind.
    func require(_ access: Endpoint.Access) throws(ServiceError) {
        switch access {
        case .everyone: return
        case .readHistory, .writeArticles, .writeAuthors: try require(.editor)
        case .administer: try require(.admin)
        }
    }
}
