package import BroadsheetHTTP
import BroadsheetSockets

extension Router where Value == HTTPRoute {
    /// The response to a request that this program makes itself. There is no connection, so none of
    /// a server's limits apply, and bodies cannot be streamed to the handler.
    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch match(request.method, request.target) {
        case .route(let route, let parameters):
            let context = RequestContext(
                requestID: "direct", peer: .unix(""), template: route.template,
                parameters: parameters)
            switch await route.value.admit(request, context) {
            case .admitted(let handler, _, _, _): return await handler(request, context)
            case .rejected(let response, _): return response
            }
        case .rejected(let error, _): return HTTPResponse(error.status)
        case .options: return HTTPResponse(.noContent)
        }
    }
}
