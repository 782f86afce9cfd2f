import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport

/// The routes that the tests of this target use.
enum TestRoutes {
    static func router(
        _ more: (inout HTTPRouterBuilder) -> Void = { _ in }
    ) throws -> HTTPRouter {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/hello") { _, _ in text("hello") }
        routes.on(.post, "/echo") { request, _ in
            HTTPResponse(.ok, body: .bytes(request.body))
        }
        routes.on(.get, "/articles/{id}") { _, context in
            text(context.parameters["id"] ?? "")
        }
        routes.on(.get, "/articles/latest") { _, _ in text("the latest") }
        routes.on(.delete, "/articles/{id}") { _, _ in HTTPResponse(.noContent) }
        more(&routes)
        return try routes.build()
    }

    /// Adds `/wait`, which tells that it waits, and responds when it is let go.
    static func addWait(
        to routes: inout HTTPRouterBuilder, _ isWaiting: Signal, _ mayGo: Signal,
        _ response: @escaping @Sendable () -> HTTPResponse
    ) {
        for method in [HTTPMethod.get, .post] {
            routes.on(method, "/wait") { _, _ in
                isWaiting.give()
                await mayGo.wait()
                return response()
            }
        }
    }

    static func text(_ text: String) -> HTTPResponse {
        HTTPResponse(
            .ok, fields: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
    }
}

let get = "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n"

/// The notifications of observers, abbreviated.
final class Exchanges: ExchangeObserver {
    private let seen = Lock<[String]>([])
    var lines: [String] { seen.withLock { $0 } }

    func finished(_ exchange: borrowing ExchangeRecord) {
        let line = [
            exchange.method?.rawValue, exchange.target?.description, exchange.template,
            "\(exchange.status.code)", exchange.requestID,
        ].compactMap(\.self).joined(separator: " ")
        seen.withLock { $0.append(line) }
    }
}
