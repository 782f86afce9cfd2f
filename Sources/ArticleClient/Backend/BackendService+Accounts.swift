public import ArticleAPI

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
    /// - Throws: `.unauthorized` for a wrong name or password, a problem with status 429 after too
    ///   many attempts.
    @discardableResult
    public func signIn(
        name: String, password: String, device: String? = nil
    ) async throws(BackendError) -> User {
        try await begin(SignInRequest(name: name, password: password, device: device))
    }

    /// Signs in with an ID token of an OpenID Connect provider, as with a password. A new identity
    /// gets an account where that is allowed.
    @discardableResult
    public func signIn(
        identity: ProvidedIdentity, device: String? = nil
    ) async throws(BackendError) -> User {
        try await begin(SignInRequest(identity, device: device))
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
        _ = try await withoutCredentials.send(
            SignUpRequest(
                name: name, password: password, displayName: displayName, invitation: invitation))
        return try await signIn(name: name, password: password, device: device)
    }

    private func begin(_ request: SignInRequest) async throws(BackendError) -> User {
        let session = try await withoutCredentials.send(request)
        let new = Credentials(session).new(at: environment.wallSeconds())
        if let former = auth.exchangeCredentials(for: new) { _ = end(former) }
        return session.user
    }

    // MARK: Signing out

    /// The time within which the backend has to confirm a sign-out.
    private static let signOutTimeout = Duration.seconds(10)

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
        guard let former = auth.exchangeCredentials(for: nil), let request = end(former) else {
            return true
        }
        switch await request.join() {
        case .success, .failure(.unauthorized): return true
        case .failure, nil: return false
        }
    }

    /// Ends the session of credentials that are no longer used, even if no one waits for it; `nil`
    /// for a key.
    private func end(_ former: Credentials) -> SharedTask<NoContent>? {
        guard former.refreshToken != nil else { return nil }
        // They are not stored again, even if they are renewed.
        let service = with(BackendAuth(former, refresh: auth.refresh))
        let options = RequestOptions(timeout: min(configuration.timeout, Self.signOutTimeout))
        let request = SharedTask<NoContent>(outlivesWaiters: true)
        request.start {
            do throws(BackendError) {
                return .success(try await service.send(SignOutRequest(), options: options))
            } catch { return .failure(error) }
        }
        return request
    }
}
