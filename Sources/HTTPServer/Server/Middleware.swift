public import HTTP

/// Responds to a request. It runs on the connection's event loop and must not block.
public typealias HTTPHandler = @Sendable (HTTPRequest, RequestContext) async -> HTTPResponse

/// Wraps handlers: it may change the request or the response, or respond itself.
public protocol Middleware: Sendable {
    func respond(
        to request: HTTPRequest, in context: RequestContext, next: HTTPHandler
    ) async -> HTTPResponse
}

extension Middleware {
    /// Wraps a handler in this middleware; called once per handler.
    func around(_ next: @escaping HTTPHandler) -> HTTPHandler {
        { request, context in await respond(to: request, in: context, next: next) }
    }
}
