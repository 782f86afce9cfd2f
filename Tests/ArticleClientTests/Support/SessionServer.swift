import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform

/// The sessions of one user at a backend in memory, with tokens that are numbered.
final class SessionServer: Sendable {
    struct State {
        /// The number of the current tokens; 0 before the first sign-in.
        var number = 0
        var isOver = false
        /// The expiry of the latest tokens, in seconds since 1970.
        var expiresAt: Int64 = 4_000_000_000
        /// True if the access token has been replaced without the client's knowledge.
        var isWornOut = false
        /// The number of responses to renewals that get lost.
        var losses = 0
        var renewals = 0
    }

    let state = Lock(State())
    static let user = User(
        id: User.ID(at: Timestamp(milliseconds: 1_000)), displayName: "Mina", name: "mina",
        role: .reader)

    var access: String { state.withLock { "bsa_\($0.number)" } }
    var refresh: String { state.withLock { "bsr_\($0.number)" } }
    var isOver: Bool { state.withLock { $0.isOver } }
    var renewals: Int { state.withLock { $0.renewals } }

    /// Stored credentials of the current session.
    func credentials(expiresAt: Int64? = nil) -> Credentials {
        Credentials(
            token: access, refreshToken: refresh, account: Self.user.id.description,
            expiresAt: expiresAt.map { Timestamp(milliseconds: $0 * 1_000) })
    }

    /// From now on, the access token is rejected.
    func wearOut() { state.withLock { $0.isWornOut = true } }

    func respond(to request: HTTPRequest) throws -> HTTPResponse {
        let path = String(decoding: request.target.path, as: UTF8.self)
        return switch (request.method, path) {
        case (.post, "/v1/users"):
            HTTPResponse(
                .created, fields: [.contentType: "application/json"],
                body: .bytes(Self.user.json()))
        case (.post, "/v1/sessions"): state.withLock { Self.begin(&$0) }
        case (.post, "/v1/sessions/refresh"): try renew(request)
        default: respond(to: request, as: request.fields[.authorization])
        }
    }

    private func respond(to request: HTTPRequest, as field: String?) -> HTTPResponse {
        state.withLock { state in
            guard !state.isOver, !state.isWornOut, field == "Bearer bsa_\(state.number)" else {
                return rejection(.unauthenticated)
            }
            guard request.method == .delete else { return page("in") }
            state.isOver = true
            return HTTPResponse(.noContent)
        }
    }

    private func renew(_ request: HTTPRequest) throws -> HTTPResponse {
        try state.withLock { state in
            state.renewals += 1
            let body = String(decoding: request.body, as: UTF8.self)
            // The previous token gets the same tokens again.
            let isPrevious = body.contains("\"bsr_\(state.number - 1)\"")
            guard !state.isOver, isPrevious || body.contains("\"bsr_\(state.number)\"") else {
                return rejection(.unauthenticated)
            }
            if isPrevious { state.number -= 1 }
            let response = Self.begin(&state)
            guard state.losses == 0 else {
                state.losses -= 1
                throw TransportError.failed(TransportFailure(.disconnected, "lost"))
            }
            return response
        }
    }

    private static func begin(_ state: inout State) -> HTTPResponse {
        state.number += 1
        (state.isOver, state.isWornOut) = (false, false)
        let session = UserSession(
            accessToken: "bsa_\(state.number)",
            expiresAt: Timestamp(milliseconds: state.expiresAt * 1_000),
            refreshToken: "bsr_\(state.number)", user: user)
        return HTTPResponse(
            .created, fields: [.contentType: "application/json"], body: .bytes(session.json()))
    }
}
