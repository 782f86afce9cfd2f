import ArticleAPI
package import ArticleAccounts
import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer

/// Begins, shows and ends the sessions of browsers that use the console.
///
/// Over TLS, the browser keeps the session in a cookie; over plain HTTP on this machine, the page
/// keeps the token in memory, since cookies there belong to all servers of the machine.
package struct ConsoleService: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    package let sessions: SessionService
    let log: @Sendable (String) -> Void

    package init(
        store: any ArticleStore, access: Authenticator, sessions: SessionService,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.access = access
        self.sessions = sessions
        self.log = log
    }

    /// Sent only to this host, only over TLS, and only by its own pages.
    package static let cookie = SessionCookie("__Host-broadsheet", below: "/v1/")
    private static let device = "Console"
    /// As long as the refresh token is valid, in seconds.
    private static let cookieSeconds = 60 * 24 * 3_600

    /// `GET`: the session of the request.
    package func fetch(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        await respond(context) { () throws(ServiceError) in
            try await show(message.fields, context)
        }
    }

    /// `POST`: signs in.
    package func create(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        await respond(context) { () throws(ServiceError) in try await begin(message, context) }
    }

    /// `DELETE`: signs out.
    package func delete(_ message: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        await respond(context) { () throws(ServiceError) in
            try await end(message.fields, context)
        }
    }

    private func respond(
        _ context: RequestContext, _ work: () async throws(ServiceError) -> HTTPResponse
    ) async -> HTTPResponse {
        do throws(ServiceError) { return try await work() } catch {
            return error.response(to: context.requestID, log: log)
        }
    }

    // MARK: Beginning

    private func begin(
        _ message: HTTPRequest, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        guard context.isConfidential else { throw .exposedSecrets }
        try Self.checkPage(message.fields, context)
        let request: BeginConsoleSessionRequest
        do throws(RequestValidationError) {
            request = try BeginConsoleSessionRequest(parsing: RequestSource(message, path: [:]))
        } catch { throw .rejected(error) }
        switch try request.proof() {
        case .password(let name, let password):
            let signIn = SignInRequest(name: name, password: password, device: Self.device)
            let session = try await sessions.create(signIn, by: .anonymous, in: context).item
            return Self.response(session, .created, context)
        case .key(let key):
            let principal = try access.keys.principal(of: key)
            let grant: ConsoleSessions.Grant =
                principal.kind == .operatorKey ? .operatorKey : .key(principal.id)
            return try await response(with: grant, message.fields, context)
        case .link(let text):
            guard ConsoleSessions.isLocal(message.fields, context), access.console.use(link: text)
            else { throw .unauthenticated(.usedLink) }
            return try await response(with: .link, message.fields, context)
        case .refreshToken(let token): return try await renew(token, context)
        case .cookie:
            let parts = Credentials(message.fields, context)
            return try await renew(parts.refreshToken ?? "", context)
        }
    }

    private func renew(
        _ token: String, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let request = RefreshSessionRequest(refreshToken: token)
        let session = try await sessions.refresh(request, by: .anonymous, in: context).item
        return Self.response(session, .ok, context)
    }

    private func response(
        with grant: ConsoleSessions.Grant, _ fields: HTTPFields, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let token = access.console.begin(grant)
        let principal = try access.console.principal(
            of: token, isLocal: ConsoleSessions.isLocal(fields, context))
        var state = try await state(of: principal, context)
        if state.mode == .bearer { state.accessToken = token.text }
        let seconds = Int(ConsoleSessions.sessionMilliseconds / 1_000)
        return Self.response(state, .created, keeping: token.text, seconds: seconds)
    }

    private static func response(
        _ session: UserSession, _ status: HTTPStatus, _ context: RequestContext
    ) -> HTTPResponse {
        var state = ConsoleSession(mode: mode(context), kind: .user)
        state.canRenew = true
        state.expiresAt = session.expiresAt
        state.name = session.user.name
        state.role = session.user.role?.name
        state.user = session.user
        if state.mode == .bearer {
            state.accessToken = session.accessToken
            state.refreshToken = session.refreshToken
        }
        return response(
            state, status, keeping: "\(session.accessToken).\(session.refreshToken)",
            seconds: cookieSeconds)
    }

    // MARK: Showing

    /// Returns the sender of the request. Invalid credentials count as none.
    private func show(
        _ fields: HTTPFields, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let credentials = Credentials(fields, context)
        var state = ConsoleSession(mode: Self.mode(context), kind: .anonymous)
        if let token = credentials.accessToken {
            do throws(ServiceError) {
                let principal = try await access.principal(of: token, fields, context)
                state = try await self.state(of: principal, context)
            } catch {
                guard case .unauthenticated = error else { throw error }
            }
        }
        state.canRenew = credentials.refreshToken != nil
        return Self.response(state, .ok)
    }

    private func state(
        of principal: Principal, _ context: RequestContext
    ) async throws(ServiceError) -> ConsoleSession {
        var state = ConsoleSession(mode: Self.mode(context), kind: .anonymous)
        state.expiresAt = principal.expiresAt
        state.role = principal.role?.rawValue
        if let id = principal.user {
            let user = try await ServiceError.ifFound { () throws(StoreError) in
                try await store.user(id)
            }
            state.user = user.map { User($0) }
        }
        switch principal.kind {
        case .anonymous: break
        case .session:
            state.kind = .user
            state.name = state.user?.name
        case .key:
            state.kind = .key
            state.name = access.keys.name(of: principal.id)
        case .operatorKey, .operatorSession, .controlSocket:
            state.kind = .operator
            state.name = "operator"
        }
        return state
    }

    // MARK: Ending

    /// Ends the session, if there is one: signing out always works.
    private func end(
        _ fields: HTTPFields, _ context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        try Self.checkPage(fields, context)
        let credentials = Credentials(fields, context)
        if let token = credentials.accessToken.flatMap({ ConsoleToken($0) }) {
            access.console.end(token)
        } else {
            let token = credentials.accessToken.flatMap { AccessToken($0) }
            try await sessions.end(
                verified: verified(token, context), or: credentials.refreshToken)
        }
        var response = HTTPResponse(.noContent, fields: [.cacheControl: "no-store"])
        if context.isEncrypted { response.fields.append(.setCookie, Self.cookie("", seconds: 0)) }
        return response
    }

    /// The session of a token that is valid, or was.
    private func verified(
        _ token: AccessToken?, _ context: RequestContext
    ) async throws(ServiceError) -> String? {
        guard let token else { return nil }
        do throws(ServiceError) {
            return try await access.sessions.principal(of: token, context).id
        } catch {
            switch error {
            case .unauthenticated(.expired): return token.sessionID
            case .unauthenticated: return nil
            default: throw error
            }
        }
    }

    // MARK: Browsers

    /// Rejects requests of other pages, whatever they send along. Programs say nothing of pages;
    /// they have no use for a cookie.
    private static func checkPage(
        _ fields: HTTPFields, _ context: RequestContext
    ) throws(ServiceError) {
        guard fields.contains(.secFetchSite) || context.isEncrypted else { return }
        guard SessionCookie.isFromSameOrigin(fields) else { throw .foreignPage }
    }

    private static func mode(_ context: RequestContext) -> ConsoleSession.Mode {
        context.isEncrypted ? .cookie : .bearer
    }

    private static func cookie(_ value: String, seconds: Int) -> String {
        "\(cookie.name)=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Strict"
    }

    /// - Parameters:
    ///   - secret: The secret for the cookie, in cookie mode.
    ///   - seconds: The lifetime of the cookie.
    private static func response(
        _ state: ConsoleSession, _ status: HTTPStatus, keeping secret: String? = nil,
        seconds: Int = 0
    ) -> HTTPResponse {
        var fields: HTTPFields = [
            .cacheControl: "no-store", .vary: "Cookie, Sec-Fetch-Site, Authorization",
            .contentType: "application/json",
        ]
        if let secret, state.mode == .cookie {
            fields.append(.setCookie, cookie(secret, seconds: seconds))
        }
        return HTTPResponse(status, fields: fields, body: .bytes(state.json()))
    }
}

/// The tokens that a request presents: in `Authorization`, or in the cookie.
private struct Credentials {
    let accessToken: String?
    let refreshToken: String?

    init(_ fields: HTTPFields, _ context: RequestContext) {
        if fields.contains(.authorization) {
            accessToken = (try? BearerCredentials.text(in: fields)) ?? nil
            refreshToken = nil
            return
        }
        let value = context.isEncrypted ? ConsoleService.cookie.value(in: fields) : nil
        let parts = (value ?? "").split(separator: ".", maxSplits: 1).map(String.init)
        accessToken = parts.first
        refreshToken = parts.count == 2 ? parts[1] : nil
    }
}
