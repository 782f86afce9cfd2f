package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Verifies access tokens, and remembers those that were verified, in bounded memory.
///
/// The process that changes sessions and users notifies its ring before it responds, so that a
/// session that has ended is rejected from then on; other processes follow within a second
/// (``AccessChangeFollower``). Safe to use from any thread.
package final class SessionCache: Sendable {
    private struct State {
        /// By the numbers of the sessions' public ids.
        var verified: [UInt64: Verified] = [:]
        /// The keys of `verified` by user.
        var numbers: [User.ID: Set<UInt64>] = [:]
        /// Access tokens that are valid, but not stored.
        var unstored: [UInt64: UnstoredToken] = [:]
        /// Incremented when a session ends or is renewed: earlier reads may be outdated.
        var generation = 0
        var observer: (@Sendable (AccessRevocation) -> Void)?
    }

    private struct Verified {
        let token: [UInt8]
        let principal: Principal
        /// `nil` if the user may see more than the public.
        let reader: VerifiedReader?
    }

    private struct UnstoredToken {
        let digest: [UInt8]
        /// That of the refresh token for which it was given out, until that is exchanged.
        let refreshDigest: [UInt8]
        let expiresAt: Timestamp
    }

    private let store: any ArticleStore
    private let scheduler: RequestScheduler
    private let capacity: Int
    private let system: SystemEnvironment
    private let state = Lock(State())

    /// - Parameters:
    ///   - store: The store of the sessions.
    ///   - capacity: The maximum verified tokens that are remembered; each takes less than 1 KiB.
    ///   - system: Its wall clock decides what has expired.
    package init(
        _ store: any ArticleStore, capacity: Int = 16_384, system: SystemEnvironment
    ) {
        self.store = store
        scheduler = RequestScheduler(workers: store.workers)
        self.capacity = capacity
        self.system = system
    }

    /// The user of this token.
    package func principal(
        of token: AccessToken, _ context: RequestContext
    ) async throws(ServiceError) -> Principal {
        let number = Self.number(of: token.sessionID)
        let (known, generation) = state.withLock { ($0.verified[number], $0.generation) }
        if let known, Digest.areEqual(Array(token.text.utf8), known.token) {
            guard !known.principal.isExpired(at: system.now) else {
                throw .unauthenticated(.expired)
            }
            return known.principal
        }
        // A made-up token costs a read, so its client waits its turn among anonymous clients.
        let client = RequestScheduler.client(.anonymous, context)
        let (principal, session) = try await scheduler.take(RequestCost(), of: client) {
            (_) throws(ServiceError) in try await read(token)
        }
        // Otherwise it is verified, and recorded, with its next use.
        guard await recordUse(of: token, in: session) else { return principal }
        cache(principal, token, number, readAt: generation)
        return principal
    }

    /// Records in the store that the token is in use, before anything is done for it: from then on,
    /// no node gives it out again (``SessionService/refresh(_:by:in:)``).
    ///
    /// - Returns: false if the store rejected it, as on a full disk.
    private func recordUse(of token: AccessToken, in session: SessionRecord) async -> Bool {
        guard session.previousRefreshDigest != nil, session.tokensUsedAt == nil,
            token.hasDigest(session.tokens.accessDigest)
        else { return true }
        do throws(StoreError) {
            try await store.recordTokenUse(
                ofSession: session.id, session.tokens.refreshDigest, at: system.now)
        } catch { return false }
        return true
    }

    private func read(
        _ token: AccessToken
    ) async throws(ServiceError) -> (Principal, SessionRecord) {
        guard let (session, user) = try await found(token.sessionID),
            let expiresAt = expiry(of: token, in: session), let role = Role(rawValue: user.role),
            !user.isDisabled
        else { throw .unauthenticated(.unknown) }
        guard system.now < expiresAt else { throw .unauthenticated(.expired) }
        return (
            .session(id: session.id, user: user.id, role: role, expiresAt: expiresAt), session
        )
    }

    /// `nil` if it is not the session's token.
    private func expiry(of token: AccessToken, in session: SessionRecord) -> Timestamp? {
        if token.hasDigest(session.tokens.accessDigest) { return session.tokens.accessExpiresAt }
        let unstored = state.withLock { $0.unstored[Self.number(of: session.id)] }
        guard let unstored, token.hasDigest(unstored.digest),
            unstored.refreshDigest == session.tokens.refreshDigest
        else { return nil }
        return unstored.expiresAt
    }

    private func found(
        _ id: String
    ) async throws(ServiceError) -> (SessionRecord, UserRecord)? {
        try await ServiceError.ifFound { () throws(StoreError) in
            let session = try await store.session(id)
            return (session, try await store.user(session.user))
        }
    }

    private func cache(
        _ principal: Principal, _ token: AccessToken, _ number: UInt64, readAt generation: Int
    ) {
        guard let user = principal.user else { return }
        let reader = VerifiedReader(
            token.text, account: user.description, sharesAddress: principal.sharesAddress,
            sender: principal.sender, expiresAt: principal.expiresAt)
        let verified = Verified(
            token: Array(token.text.utf8), principal: principal,
            reader: principal.seesHidden ? nil : reader)
        state.withLock { state in
            guard state.generation == generation else { return }
            // Any other one makes room: it is verified again when it is used.
            if state.verified.count >= capacity, let (other, _) = state.verified.first {
                Self.forget(other, in: &state)
            }
            state.verified[number] = verified
            state.numbers[user, default: []].insert(number)
        }
    }

    private static func forget(_ number: UInt64, in state: inout State) {
        guard let user = state.verified.removeValue(forKey: number)?.principal.user else { return }
        state.numbers[user]?.remove(number)
        if state.numbers[user]?.isEmpty ?? false { state.numbers[user] = nil }
    }

    /// Accepts a token that cannot be stored, for as long as this process runs and the refresh
    /// token of the session stays the same.
    func accept(_ token: AccessToken, in session: SessionRecord, until expiresAt: Timestamp) {
        // It may be the same token as before, with a later end.
        _ = forget(session.id)
        state.withLock { state in
            if state.unstored.count >= capacity, let (other, _) = state.unstored.first {
                state.unstored[other] = nil
            }
            state.unstored[Self.number(of: session.id)] = UnstoredToken(
                digest: token.digest, refreshDigest: session.tokens.refreshDigest,
                expiresAt: expiresAt)
        }
    }

    // MARK: Ending

    /// The session has new tokens.
    func renewed(_ id: String) { _ = forget(id) }

    /// The session has ended.
    package func end(_ id: String, of user: User.ID) { forget(id)?(.session(id, of: user)) }

    private func forget(_ id: String) -> (@Sendable (AccessRevocation) -> Void)? {
        state.withLock { state in
            state.generation += 1
            Self.forget(Self.number(of: id), in: &state)
            state.unstored[Self.number(of: id)] = nil
            return state.observer
        }
    }

    /// The sessions of the user have ended, all or all but one.
    func endAll(of user: User.ID, except kept: String?) {
        let observer = state.withLock { state in
            state.generation += 1
            let kept = kept.map(Self.number)
            for number in state.numbers[user] ?? [] where number != kept {
                Self.forget(number, in: &state)
            }
            return state.observer
        }
        observer?(.sessions(of: user, except: kept))
    }

    /// Any session may have ended.
    func forgetAll() {
        let observer = state.withLock { state in
            state.generation += 1
            (state.verified, state.numbers, state.unstored) = ([:], [:], [:])
            return state.observer
        }
        observer?(.all)
    }

    func observe(_ observer: @escaping @Sendable (AccessRevocation) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Returns true if the session has not ended, and its user has the same role.
    func isCurrent(_ principal: Principal) async -> Bool {
        let known = state.withLock { $0.verified[Self.number(of: principal.id)] }
        if known?.principal == principal { return true }
        guard let (session, user) = try? await found(principal.id) else { return false }
        return session.user == principal.user && !user.isDisabled
            && user.role == principal.role?.rawValue
    }

    // MARK: Cached responses

    /// The reader with these credentials, if the token was verified before.
    ///
    /// - Parameter number: The session's public id.
    func reader(_ number: UInt64, _ authorization: borrowing Span<UInt8>) -> PublicReader? {
        state.withLock { $0.verified[number]?.reader }?.reader(
            sending: authorization, system: system)
    }

    /// A public id has 16 hexadecimal digits.
    private static func number(of id: String) -> UInt64 { UInt64(id, radix: 16) ?? 0 }
}
