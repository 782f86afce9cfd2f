public import ArticleAPI
import BroadsheetHTTP

/// Signing up, in and out at a Broadsheet backend.
extension BackendService {
    /// Signs in with a name and a password: begins a session and stores its tokens, which are
    /// renewed from then on.
    ///
    /// The request is sent without the credentials of an earlier session, which ends when this one
    /// begins, and then also at the backend. If the tokens cannot be stored, the session begins
    /// nevertheless: `BackendAuth.storeFailure` has the reason.
    ///
    /// - Parameters:
    ///   - name: the name of the account, in any case.
    ///   - password: the password of the account.
    ///   - device: a name for the device or app, which the list of sessions shows.
    /// - Throws: `.signInRejected` for a wrong name or password, a problem with status 429 after
    ///   too many attempts.
    @discardableResult
    public func signIn(
        name: String, password: String, device: String? = nil
    ) async throws(BackendError) -> User {
        try await send(SignInRequest(name: name, password: password, device: device)).user
    }

    /// Signs in with an ID token of an OpenID Connect provider, as with a password. A new identity
    /// gets an account where that is allowed.
    @discardableResult
    public func signIn(
        identity: ProvidedIdentity, device: String? = nil
    ) async throws(BackendError) -> User {
        try await send(SignInRequest(identity, device: device)).user
    }

    /// Creates an account and signs in to it.
    ///
    /// - Parameters:
    ///   - name: the name with which the user signs in.
    ///   - password: at least 8 characters, and at most 1,000 bytes in UTF-8; not a common one.
    ///   - displayName: the name that others see; `nil` for `name`.
    ///   - invitation: the code of an invitation, where sign-up is not open.
    ///   - device: a name for the device or app, which the list of sessions shows.
    /// - Throws: the reason why there is no account or no session. The problem `name-taken` may
    ///   also mean that the response to an earlier attempt was lost: then sign in.
    @discardableResult
    public func signUp(
        name: String, password: String, displayName: String? = nil, invitation: String? = nil,
        device: String? = nil
    ) async throws(BackendError) -> User {
        _ = try await withoutCredentials.plainReply(
            to: SignUpRequest(
                name: name, password: password, displayName: displayName, invitation: invitation),
            options: .init())
        return try await signIn(name: name, password: password, device: device)
    }

    /// Ends the session: first here, as `BackendAuth.signOut()` does, and then at the backend, so
    /// that its tokens are no longer valid anywhere. Keys are only forgotten here.
    ///
    /// The session has ended here whatever the backend responds. The backend has 10 s; a token that
    /// has expired is renewed for it. The request is also sent if the caller is cancelled.
    ///
    /// - Returns: true if the backend has also ended the session. If not, its tokens expire, and
    ///   the user finds it in the list of sessions until then.
    @discardableResult
    public func signOut() async -> Bool {
        do throws(BackendError) {
            try await send(SignOutRequest())
            return true
        } catch { return false }
    }
}

/// Requests that begin or end the session, however they are sent.
extension BackendService {
    /// Sends the request, and begins or ends the session.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: the options of the request.
    ///   - effect: the effect of the request on the session.
    ///   - session: the session in which the request was made; `nil` for the current one. One that
    ///     begins a session belongs to none.
    /// - Returns: the reply, and the session behind it.
    func reply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions, with effect: SessionEffect,
        in session: Session.ID?
    ) async throws(BackendError) -> (reply: BackendReply<Request.Item>, session: Session.ID) {
        switch effect {
        case .signIn(let isByPassword):
            do throws(BackendError) {
                let reply = try await withoutCredentials.plainReply(to: request, options: options)
                return (reply, try begin(reply.item as? UserSession))
            } catch {
                // The password is wrong; no session has ended.
                if isByPassword, case .unauthorized(let problem) = error {
                    throw .signInRejected(problem)
                }
                throw error
            }
        case .signUp(let signIn):
            let reply = try await withoutCredentials.plainReply(to: request, options: options)
            let begun = try await self.reply(
                to: signIn, options: RequestOptions(timeout: options.timeout),
                with: .signIn(isByPassword: true), in: nil)
            return (reply, begun.session)
        case .signOut:
            guard let (former, next) = auth.exchangeCredentials(for: nil, in: session) else {
                throw .signedOut
            }
            let reply = try await signOutReply(former, options) as? BackendReply<Request.Item>
            // Programmer error: the request has another item.
            guard let reply else { preconditionFailure("a sign-out with content") }
            return (reply, next)
        case .deletion:
            let id = session ?? auth.sessionID
            let reply = try await plainReply(to: request, options: options, in: id)
            return (reply, auth.exchangeCredentials(for: nil, in: id)?.session ?? id)
        }
    }

    private func begin(_ begun: UserSession?) throws(BackendError) -> Session.ID {
        // Programmer error: the request has another item.
        guard let begun else { preconditionFailure("a sign-in without a session") }
        let new = Credentials(begun).new(at: environment.wallSeconds())
        // A session whose tokens nobody keeps would stay in the user's list.
        guard !Task.isCancelled, let (former, session) = auth.exchangeCredentials(for: new) else {
            _ = end(new)
            throw .cancelled
        }
        if let former { _ = end(former) }
        return session
    }

    /// Ends the session of these credentials at the backend and waits for the response. A session
    /// that has ended there before, a key and none need no more.
    private func signOutReply(
        _ former: Credentials?, _ options: RequestOptions
    ) async throws(BackendError) -> BackendReply<NoContent> {
        guard let former, let request = end(former, options) else { return Self.signedOutReply }
        switch await request.join() ?? .failure(.cancelled) {
        case .success(let reply): return reply
        case .failure(.unauthorized): return Self.signedOutReply
        case .failure(let error): throw error
        }
    }

    private static let signedOutReply = BackendReply(
        item: NoContent(), source: .network, age: .zero, status: .noContent, fields: HTTPFields())

    /// The time within which the backend has to confirm a sign-out.
    private static let signOutTimeout = Duration.seconds(10)

    /// Ends the session of credentials that are no longer used, even if no one waits for it; `nil`
    /// for a key.
    private func end(
        _ former: Credentials, _ options: RequestOptions = .init()
    ) -> SharedTask<BackendReply<NoContent>>? {
        guard former.refreshToken != nil else { return nil }
        // They are not stored again, even if they are renewed.
        let service = with(BackendAuth(former, refresh: auth.refresh))
        var options = options
        options.timeout = options.timeout ?? min(configuration.timeout, Self.signOutTimeout)
        let request = SharedTask<BackendReply<NoContent>>(outlivesWaiters: true)
        request.start { [options] in
            do throws(BackendError) {
                return .success(
                    try await service.plainReply(to: SignOutRequest(), options: options))
            } catch { return .failure(error) }
        }
        return request
    }
}

/// The session after a request that begins or ends one, for operations that depend on it.
final class NextSession: Sendable {
    let auth: BackendAuth
    private let found = Locked<Session.ID?>(nil)

    init(_ auth: BackendAuth) { self.auth = auth }

    /// The session; `nil` until the request has succeeded.
    var id: Session.ID? {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }
}
