import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport

/// A server with several users, whose tokens wear out. It counts how often each deletion was
/// carried out, and for whom.
final class TokenServer: Sendable {
    private struct State {
        var token = 0
        var deletions: [String: [String]] = [:]
    }
    private let state = Lock(State())

    /// The token that it takes of this user now.
    func token(of user: String) -> String { "\(user)-\(number)" }

    private var number: Int { state.withLock { $0.token } }

    /// From now on it takes other tokens.
    func wearOut() { state.withLock { $0.token += 1 } }

    /// Returns the users who deleted this, once for each time.
    func deletions(of id: String) -> [String] { state.withLock { $0.deletions[id] ?? [] } }

    func router() throws -> HTTPRouter {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/v1/articles") { [self] request, _ in respond(request) }
        routes.on(.delete, "/v1/articles/{id}") { [self] request, _ in respond(request) }
        routes.on(.get, "/v1/tags") { [self] request, _ in respond(request) }
        return try routes.build()
    }

    func respond(_ request: HTTPRequest) -> HTTPResponse {
        let path = String(decoding: request.target.path, as: UTF8.self)
        // Where a client gets a new token: its number is in the cursor.
        if path == "/v1/tags" { return page("\(number)") }
        guard let user = user(of: request) else { return rejection(.unauthenticated) }
        guard request.method == .get else {
            let id = String(path.split(separator: "/").last ?? "")
            state.withLock { $0.deletions[id, default: []].append(user) }
            return HTTPResponse(.noContent)
        }
        let query = String(decoding: request.target.query ?? [], as: UTF8.self)
        let cursor = String(query.filter(\.isNumber))
        // The same for all users, so that another user's copy would seem to be current.
        let tag = "\"\(cursor)\""
        let fields: HTTPFields = [.etag: tag, .cacheControl: "private, no-cache"]
        guard request.fields[.ifNoneMatch] != tag else {
            return HTTPResponse(.notModified, fields: fields)
        }
        return page("n\(cursor)-\(user)", fields: fields)
    }

    private func user(of request: HTTPRequest) -> String? {
        ["alice", "bob"].first { request.fields[.authorization] == "Bearer \(token(of: $0))" }
    }
}
