public import HTTP

/// Makes the answer to a request. It runs on the connection's event loop and must not block.
public typealias HTTPHandler = @Sendable (HTTPRequest, RequestContext) async -> HTTPResponse

/// Stands around handlers: may change the request, the answer, or answer itself.
public protocol Middleware: Sendable {
    func respond(
        to request: HTTPRequest, in context: RequestContext, next: HTTPHandler
    ) async -> HTTPResponse
}

extension Middleware {
    /// This middleware around a handler, made once.
    func around(_ next: @escaping HTTPHandler) -> HTTPHandler {
        { request, context in await respond(to: request, in: context, next: next) }
    }
}
