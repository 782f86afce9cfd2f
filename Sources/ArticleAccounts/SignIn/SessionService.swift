package import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Begins, renews, lists and ends sessions.
package struct SessionService: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    package let signIn: SignInService
    /// From which the successors and the marks of refresh tokens are derived.
    let secret: [UInt8]
    package let system: SystemEnvironment
    private let cleaning = Lock(Timestamp(milliseconds: 0))

    private static let accessMilliseconds: Int64 = 15 * 60 * 1_000
    private static let sessionMilliseconds: Int64 = 60 * 24 * 3_600 * 1_000
    /// The time for which processes that share a token may still present it once one of them uses
    /// what has replaced it.
    private static let sharingMilliseconds: Int64 = 5_000
    private static let cleaningMilliseconds: Int64 = 60_000

    package init(
        store: any ArticleStore, access: Authenticator, signIn: SignInService, secret: [UInt8],
        system: SystemEnvironment
    ) {
        self.store = store
        self.access = access
        self.signIn = signIn
        self.secret = secret
        self.system = system
    }

    // MARK: Signing in

    package func create(
        _ request: SignInRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<UserSession> {
        let user = try await signIn.user(with: request.signIn.proof, context)
        return Reply(try await begin(for: user, device: request.signIn.device ?? "", context))
    }

    /// Begins a session of a user who has been authenticated.
    private func begin(
        for user: UserRecord, device: String, _ context: RequestContext
    ) async throws(ServiceError) -> UserSession {
        let time = system.now
        let tokens = SessionTokens(secret: secret, system: system)
        let record = SessionRecord(
            id: tokens.access.sessionID, user: user.id, tokens: record(of: tokens, at: time),
            device: device, address: context.clientHost, createdAt: time)
        do throws(StoreError) {
            let ended = try await store.createSession(record, expecting: user.accessEpoch)
            for id in ended { access.sessions.end(id, of: user.id) }
        } catch {
            switch error {
            // The password or the role was changed, or the account deleted, in the meantime.
            case .preconditionFailed, .notFound: throw .unauthenticated(.wrongPassword)
            default: throw ServiceError(error)
            }
        }
        await removeExpired(at: time)
        return session(tokens, expiresAt: record.tokens.accessExpiresAt, of: user)
    }

    private func record(of tokens: SessionTokens, at time: Timestamp) -> TokenRecord {
        TokenRecord(
            accessDigest: tokens.access.digest, refreshDigest: tokens.refresh.digest,
            accessExpiresAt: time.advanced(byMilliseconds: Self.accessMilliseconds),
            expiresAt: time.advanced(byMilliseconds: Self.sessionMilliseconds))
    }

    private func session(
        _ tokens: SessionTokens, expiresAt: Timestamp, of user: UserRecord
    ) -> UserSession {
        UserSession(
            accessToken: tokens.access.text, expiresAt: expiresAt,
            refreshToken: tokens.refresh.text, user: User(user))
    }

    /// Removes sessions that have expired, at most once a minute.
    private func removeExpired(at time: Timestamp) async {
        let isDue = cleaning.withLock { last in
            guard time >= last.advanced(byMilliseconds: Self.cleaningMilliseconds) else {
                return false
            }
            last = time
            return true
        }
        // They are not valid, so a failure can wait for the next time.
        if isDue { _ = try? await store.removeExpiredSessions(before: time) }
    }

    // MARK: Renewing

    /// Exchanges a refresh token for new tokens of its session.
    ///
    /// A client may be killed or suspended, or lose its connection, between the moment when it
    /// sends its token and the one when it has stored those that replace it; it comes back days
    /// later with the token that it has. A thief may have a copy of any token, and renew it before
    /// or after its owner does. Both present a token that was presented before; they differ in
    /// this: a client that lost the response has not used what was in it. So a session has two
    /// states, which the store keeps and every node reads. *Newest* is the session's refresh token,
    /// *parent* the one that it replaced.
    ///
    /// | presented | newest not in use | newest in use |
    /// |---|---|---|
    /// | newest | it becomes the parent; its successor is not in use | the same |
    /// | parent | the same tokens again | within 5 s, the same again; then the session ends |
    /// | any older one | the session ends | the session ends |
    ///
    /// The tokens come into use with the first request that an access token of them authenticates
    /// (`SessionCache`), which costs one small write for each renewal, and not with the response
    /// that contains them. A newest token that is presented is the parent from then on, so this use
    /// of it needs no record. After 5 s of use, the parent is in two hands (RFC 9700 §4.14.2):
    /// whoever was first, the second of them ends the session for both with the first renewal after
    /// the other's use. Within these 5 s, processes that share a store of credentials may renew the
    /// same token at the same time.
    ///
    /// The successor of a token is derived from it (`RefreshToken.successor(secret:)`), so it is
    /// the same each time, without being stored. If its access token has expired when it is given
    /// again, it is valid for another 15 minutes. Which token is older, and which was made up, is
    /// shown by its mark; the latter changes nothing.
    ///
    /// While the disk is full, nothing can be exchanged or recorded: the newest token gets an
    /// access token that is not stored (`substitute`), and what is in use is recorded with the next
    /// use for which there is room.
    package func refresh(
        _ request: RefreshSessionRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<UserSession> {
        guard let token = RefreshToken(request.refreshToken) else {
            throw .unauthenticated(.endedSession)
        }
        let tokens = token.successor(secret: secret)
        let time = system.now
        do throws(StoreError) {
            let session = try await store.session(token.sessionID)
            // Made-up tokens get no further than this read.
            guard wasIssued(token, in: session) else { throw .notFound }
            let user = try await store.user(session.user)
            let rotation: SessionRotation
            do throws(StoreError) {
                rotation = try await store.rotateSession(
                    token.sessionID, from: token.digest, to: record(of: tokens, at: time), at: time)
            } catch {
                guard case .full = error,
                    let renewed = substitute(for: token, of: session, user, at: time)
                else { throw error }
                return Reply(renewed)
            }
            switch rotation {
            case .rotated(let session):
                access.sessions.renewed(session.id)
                let use = SessionUse(of: session.id, at: time, from: context.clientHost)
                // The tokens have been exchanged, whether or not there is room for the address.
                if session.address != use.address { try? await store.touchSessions([use]) }
                return Reply(
                    self.session(tokens, expiresAt: session.tokens.accessExpiresAt, of: user))
            case .isPrevious(let session)
            where tokens.refresh.hasDigest(session.tokens.refreshDigest)
                && isShared(session, at: time):
                return Reply(
                    self.session(tokens, expiresAt: session.tokens.accessExpiresAt, of: user))
            case .isPrevious, .reused:
                // Two clients have the token: one of them may have stolen it.
                try await store.endSession(token.sessionID)
                access.sessions.end(token.sessionID, of: user.id)
            }
        } catch {
            guard case .notFound = error else { throw ServiceError(error) }
        }
        throw .unauthenticated(.endedSession)
    }

    /// Returns the session to continue with while its tokens cannot be exchanged because the disk
    /// is full: the refresh token stays the current one, and nothing has to be stored. `nil` if it
    /// is not the current one.
    private func substitute(
        for token: RefreshToken, of session: SessionRecord, _ user: UserRecord, at time: Timestamp
    ) -> UserSession? {
        guard token.hasDigest(session.tokens.refreshDigest), session.tokens.expiresAt > time,
            !user.isDisabled
        else { return nil }
        let substitute = token.substitute(secret: secret)
        let end = min(
            time.advanced(byMilliseconds: Self.accessMilliseconds), session.tokens.expiresAt)
        access.sessions.accept(substitute, in: session, until: end)
        return UserSession(
            accessToken: substitute.text, expiresAt: end, refreshToken: token.text,
            user: User(user))
    }

    /// Returns true if the token is one of the session's: the current one, the one before, or any
    /// that has a mark. Public ids are in lists and logs, so a token forged for one must not end
    /// its session.
    private func wasIssued(_ token: RefreshToken, in session: SessionRecord) -> Bool {
        token.isMarked(by: secret) || token.hasDigest(session.tokens.refreshDigest)
            || session.previousRefreshDigest.map(token.hasDigest) ?? false
    }

    /// Returns true if the tokens came into use so recently that another process of the same client
    /// may present the one before. A clock that was set back does not prolong that.
    private func isShared(_ session: SessionRecord, at time: Timestamp) -> Bool {
        guard let use = session.tokensUsedAt else { return false }
        return abs(time.milliseconds - use.milliseconds) <= Self.sharingMilliseconds
    }

    // MARK: Ending

    package func signOut(
        _ request: SignOutRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        try await end(caller.id, of: caller.requireUser())
    }

    package func list(
        _ request: FetchSessionsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<DeviceSession>> {
        try await list(of: caller.requireUser(), for: caller)
    }

    package func list(
        _ request: FetchUserSessionsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<DeviceSession>> {
        do throws(StoreError) { _ = try await store.user(request.id) } catch {
            throw ServiceError(error)
        }
        return try await list(of: request.id, for: caller)
    }

    package func list(
        of user: User.ID, for caller: Principal
    ) async throws(ServiceError) -> Reply<Page<DeviceSession>> {
        let time = system.now
        do throws(StoreError) {
            let sessions = try await store.sessions(of: user)
            return Reply(
                Page(
                    items: sessions.filter { $0.tokens.expiresAt > time }.map {
                        DeviceSession($0, to: caller)
                    }))
        } catch { throw ServiceError(error) }
    }

    package func end(
        _ request: EndSessionRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        try await endOwned(request.id, of: caller.requireUser())
    }

    package func end(
        _ request: EndUserSessionRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        try await endOwned(request.session, of: request.id)
    }

    /// Ends a session if it is one of this user.
    private func endOwned(
        _ id: String, of user: User.ID
    ) async throws(ServiceError) -> Reply<NoContent> {
        do throws(StoreError) {
            guard try await store.session(id).user == user else { throw .notFound }
        } catch { throw ServiceError(error) }
        return try await end(id, of: user)
    }

    /// Ends the session of these tokens, of which one was verified or is verified here: no one else
    /// may end it.
    ///
    /// - Parameters:
    ///   - id: The public id of a session whose access token was verified, even if it has expired.
    ///   - refresh: A refresh token as it was presented.
    package func end(verified id: String?, or refresh: String?) async throws(ServiceError) {
        let token = refresh.flatMap { RefreshToken($0) }
        guard let id = id ?? token?.sessionID else { return }
        let isVerified = id == token?.sessionID ? nil : id
        let session = try await ServiceError.ifFound { () throws(StoreError) in
            try await store.session(id)
        }
        guard let session, isVerified != nil || token.map({ wasIssued($0, in: session) }) ?? true
        else { return }
        _ = try await end(id, of: session.user)
    }

    package func end(
        _ id: String, of user: User.ID
    ) async throws(ServiceError) -> Reply<NoContent> {
        do throws(StoreError) { try await store.endSession(id) } catch {
            throw ServiceError(error)
        }
        access.sessions.end(id, of: user)
        return Reply(NoContent())
    }
}

extension DeviceSession {
    /// A session without its tokens, as its user sees it.
    init(_ session: SessionRecord, to caller: Principal) {
        self.init(
            id: session.id, device: session.device, address: session.address,
            createdAt: session.createdAt, usedAt: session.usedAt,
            isCurrent: caller.kind == .session && session.id == caller.id)
    }
}
