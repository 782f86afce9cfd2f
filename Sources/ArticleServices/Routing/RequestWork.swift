package import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform

/// Processes requests of one type, from the bytes of the request to those of the response: reads
/// and large requests on the store's threads, everything else on the event loop.
package struct RequestWork<Request: BackendAPIRequest>: Sendable {
    typealias Handle =
        @Sendable (Request, Principal, RequestContext) async throws(ServiceError) -> Reply<
            Request.Item
        >

    private let encoding: ResponseEncoding<Request.Item>
    private let scheduler: RequestScheduler
    private let system: SystemEnvironment
    private let handle: Handle

    init(
        encoding: ResponseEncoding<Request.Item>, scheduler: RequestScheduler,
        system: SystemEnvironment, _ handle: @escaping Handle
    ) {
        self.encoding = encoding
        self.scheduler = scheduler
        self.system = system
        self.handle = handle
    }

    /// The typed request.
    static func parse(
        _ message: HTTPRequest, _ context: RequestContext
    ) throws(ServiceError) -> Request {
        var path: [String: String] = [:]
        for name in Request.endpoint.template.parameters { path[name] = context.parameters[name] }
        do throws(RequestValidationError) {
            return try Request(parsing: RequestSource(message, path: path))
        } catch { throw .rejected(error) }
    }

    /// The complete public response and its dependencies.
    func publicResponse(
        to request: Request, _ context: RequestContext, for caller: Principal
    ) async throws(ServiceError) -> (HTTPResponse, Dependencies?) {
        try await scheduler.take(cost(of: request), for: caller, context) {
            (slot) throws(ServiceError) in
            let began = system.now
            let reply = try await handle(request, .anonymous, context)
            let whole = Representation(reply, encoding, to: request, .anonymous, at: began)
            let dependencies = reply.dependencies?.lasting(until: whole.settlesAt)
            let response = try whole.response(to: nil)
            slot.accountForOutput(response)
            return (response, dependencies)
        }
    }

    /// The response to this caller.
    func response(
        to message: HTTPRequest, _ context: RequestContext, _ caller: Principal
    ) async throws(ServiceError) -> HTTPResponse {
        guard message.body.count <= RequestCost.largeBytes else {
            return try await scheduler.take(.largeWrite, for: caller, context) {
                (slot) throws(ServiceError) in
                let whole = try await represented(Self.parse(message, context), caller, context)
                return try Self.written(whole, message, slot)
            }
        }
        let request = try Self.parse(message, context)
        if Request.endpoint.method.isSafe {
            return try await scheduler.take(cost(of: request), for: caller, context) {
                (slot) throws(ServiceError) in
                try Self.written(await represented(request, caller, context), message, slot)
            }
        }
        let whole = try await represented(request, caller, context)
        guard whole.estimatedBytes > RequestCost.largeBytes else {
            return try whole.response(to: message)
        }
        return try await scheduler.take(.largeWrite, for: caller, context) {
            (slot) throws(ServiceError) in
            try Self.written(whole, message, slot)
        }
    }

    private static func written(
        _ whole: Representation<Request>, _ message: HTTPRequest, _ slot: WorkSlot
    ) throws(ServiceError) -> HTTPResponse {
        let response = try whole.response(to: message)
        slot.accountForOutput(response)
        return response
    }

    private func represented(
        _ request: Request, _ caller: Principal, _ context: RequestContext
    ) async throws(ServiceError) -> Representation<Request> {
        let began = system.now
        return Representation(
            try await handle(request, caller, context), encoding, to: request, caller, at: began)
    }

    private func cost(of request: Request) -> RequestCost {
        (request as? any CostlyRequest)?.cost ?? RequestCost()
    }
}
