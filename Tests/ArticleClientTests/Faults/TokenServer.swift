import ArticleAPI
import HTTP
import HTTPServer
import Network
import TestSupport

/// A server whose tokens wear out, that counts how often each deletion was carried out.
final class TokenServer: Sendable {
    private struct State {
        var token = 0
        var deletions: [String: Int] = [:]
    }
    private let state = Lock(State())

    /// The token that it takes now.
    var token: String { "t\(state.withLock { $0.token })" }

    /// From now on it takes another token.
    func wearOut() { state.withLock { $0.token += 1 } }

    func deletions(of id: String) -> Int { state.withLock { $0.deletions[id] ?? 0 } }

    func router() throws -> Router {
        var routes = RouterBuilder()
        routes.on(.get, "/v1/articles") { [self] request, _ in answer(request) }
        routes.on(.delete, "/v1/articles/{id}") { [self] request, _ in answer(request) }
        routes.on(.get, "/v1/tags") { [self] request, _ in answer(request) }
        return try routes.build()
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let path = String(decoding: request.target.path, as: UTF8.self)
        // Where a client gets a new token: its name is in the cursor.
        if path == "/v1/tags" { return page(token) }
        guard isKnown(request) else { return refusal(.unauthenticated) }
        guard request.method == .get else {
            let id = String(path.split(separator: "/").last ?? "")
            state.withLock { $0.deletions[id, default: 0] += 1 }
            return HTTPResponse(.noContent)
        }
        let query = String(decoding: request.target.query ?? [], as: UTF8.self)
        let cursor = String(query.filter(\.isNumber))
        let tag = "\"\(cursor)\""
        let fields: HTTPFields = [.etag: tag, .cacheControl: "private, no-cache"]
        guard request.fields[.ifNoneMatch] != tag else {
            return HTTPResponse(.notModified, fields: fields)
        }
        return page("n\(cursor)", fields: fields)
    }

    private func isKnown(_ request: HTTPRequest) -> Bool {
        request.fields[.authorization] == "Bearer \(token)"
    }
}
