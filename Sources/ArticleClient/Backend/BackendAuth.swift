import ArticleAPI
import BroadsheetHTTP

/// Manages the current user's credentials: their storage and their renewal.
///
/// A request belongs to the session in which it was made, from one `signIn` to the next `signIn` or
/// `signOut`. It is never sent with another session's token: when its session ends, it fails with
/// `BackendError.signedOut`, whether it is in progress, waiting for a retry, or queued. Renewing
/// the token does not end the session. Requests that were made while signed out need no credentials
/// and continue when a user signs in. Safe to use from any thread.
///
/// ```swift
/// let auth = try BackendAuth(store: store)
/// try auth.signIn(Credentials(token: key, account: "ada"))
/// let backend = BackendService(configuration: configuration, transport: transport, auth: auth)
/// ```
public final class BackendAuth: Sendable {
    /// Gets new credentials for expired ones. The service that it receives sends no credentials,
    /// so that a rejected renewal does not trigger another one. If the returned credentials have
    /// no `account`, they keep that of the old ones.
    public typealias Refresh = @Sendable (Credentials, BackendService) async throws -> Credentials

    private struct State {
        var current = CurrentSession()
        var renewal: SharedTask<Void>?
        /// True while renewed credentials are written to the store, before they are used.
        var isStoring = false
        var waits = WaitingCallers()
        var alarm: (instant: Duration, task: Task<Void, Never>)?
        var subscribers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var lastSubscriber = 0
        var reported: SessionState?
        /// The caches from which responses are removed when a session ends.
        var caches: [WeakCache] = []

        /// Returns true if no alarm is set for this instant or an earlier one.
        func isBefore(_ instant: Duration) -> Bool {
            alarm.map { instant < $0.instant } ?? true
        }

        /// Notifies subscribers if the state has changed.
        mutating func report() {
            guard current.state != reported else { return }
            reported = current.state
            for subscriber in subscribers.values { subscriber.yield(current.state) }
        }

        /// Removes and returns the remains of an ended session.
        mutating func takeCleanup(of ended: CurrentSession.Ended?) -> SessionCleanup {
            guard let ended else { return SessionCleanup() }
            return SessionCleanup(
                waits: waits.removeAll(of: ended.id), renewal: renewal.take(),
                owner: ended.formerOwner, caches: caches.compactMap(\.cache))
        }
    }

    private struct WeakCache {
        weak var cache: ResponseCache?
    }

    /// The remains of a session; they are cleared outside of the lock.
    private struct SessionCleanup {
        var waits: [WaitingCallers.Leave] = []
        var renewal: SharedTask<Void>?
        var owner: String?
        var caches: [ResponseCache] = []

        func clear() {
            renewal?.end(.failure(.signedOut))
            for leave in waits { leave(.signedOut) }
            if let owner { for cache in caches { cache.removeAll(of: owner) } }
        }
    }

    /// `nil` if credentials are kept in memory only.
    private let credentialWriter: CredentialWriter?
    let refresh: Refresh?
    private let state: Locked<State>

    /// - Parameters:
    ///   - store: is read now, which may block. A temporary failure (`isTemporary`) is not thrown:
    ///     `sessionState` is `unavailable`, and the next request reads the store again.
    ///   - refresh: renews credentials, by default at the backend that issued them; `nil` if they
    ///     cannot be renewed.
    public init(
        store: any CredentialStore, refresh: Refresh? = BackendAuth.renewSession
    ) throws(CredentialStoreError) {
        credentialWriter = CredentialWriter(store)
        self.refresh = refresh
        var first = State()
        do throws(CredentialStoreError) {
            if let credentials = try store.load() { first.current.begin(credentials) }
        } catch {
            guard error.isTemporary else { throw error }
            first.current.beginUnread(error)
        }
        state = Locked(first)
    }

    /// A key or token that is kept in memory only; `nil` for anonymous requests.
    public convenience init(token: String? = nil) {
        self.init(token.map { Credentials(token: $0) }, refresh: Self.renewSession)
    }

    /// Credentials that are kept in memory only.
    package init(_ credentials: Credentials?, refresh: Refresh?) {
        credentialWriter = nil
        self.refresh = refresh
        var first = State()
        if let credentials { first.current.begin(credentials) }
        state = Locked(first)
    }

    deinit { state.withLock { $0.alarm?.task }?.cancel() }

    // MARK: Who is signed in

    /// The state of the session, signed in or signed out.
    public var sessionState: SessionState { state.withLock { $0.current.state } }

    /// True if there are credentials to send.
    public var isSignedIn: Bool { state.withLock { $0.current.credentials != nil } }

    /// The current session state, and then each change. A reader that falls behind receives only
    /// the latest state.
    public var states: AsyncStream<SessionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            state.reported = state.current.state
            continuation.yield(state.current.state)
            return state.lastSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// The reason why the current credentials could not be stored. Later requests retry this.
    public var storeFailure: CredentialStoreError? { credentialWriter?.failure }

    /// Begins a session with new credentials and stores them. The previous session ends as with
    /// `signOut`, but its cached responses are kept if the account is the same.
    ///
    /// - Throws: errors of the store; the session has begun nevertheless. If another thread is
    ///   using the store, that thread writes the credentials and nothing is thrown here.
    public func signIn(_ credentials: Credentials) throws(CredentialStoreError) {
        let version = replace(by: credentials)?.version
        try keep(credentials, version)
    }

    /// Ends the session here, without telling the backend as `BackendService.signOut()` does:
    /// removes the credentials from memory and from the store, removes the account's cached
    /// responses, and ends requests in progress with `BackendError.signedOut`. Throws as `signIn`.
    public func signOut() throws(CredentialStoreError) {
        let version = replace(by: nil)?.version
        try keep(nil, version)
    }

    /// Begins a session with these credentials, or none; `storeFailure` reports errors of the
    /// store.
    ///
    /// - Parameter id: the session to end; `nil` for the current one.
    /// - Returns: the credentials of the former session, and the new session; `nil` if the session
    ///   to end had ended before, so that nothing has changed.
    @discardableResult
    func exchangeCredentials(
        for new: Credentials?, in id: Session.ID? = nil
    ) -> (former: Credentials?, session: Session.ID)? {
        let exchange = replace(by: new, in: id)
        try? keep(new, exchange?.version)
        return exchange.map { ($0.former, $0.session) }
    }

    private func replace(
        by new: Credentials?, in id: Session.ID? = nil
    ) -> (former: Credentials?, session: Session.ID, version: Int)? {
        let (cleanup, exchange) = state.withLock { state in
            let old = state.current
            guard id == nil || id == old.session.id else {
                return (SessionCleanup(), nil as (Credentials?, Session.ID, Int)?)
            }
            let ended = state.current.end(before: new)
            if let new { state.current.begin(new) }
            state.report()
            let exchange = (old.credentials, state.current.session.id, state.current.version)
            return (state.takeCleanup(of: ended), exchange)
        }
        cleanup.clear()
        return exchange
    }

    private func keep(_ new: Credentials?, _ version: Int?) throws(CredentialStoreError) {
        if let version { try credentialWriter?.keep(new, version: version) }
    }

    /// Reads the store again, for example after another process that shares it has signed in or
    /// out, or after the device was unlocked. May block.
    ///
    /// Different credentials of the same account count as renewed; those of another or an unknown
    /// account begin a new session.
    public func reload() throws(CredentialStoreError) {
        guard let credentialWriter else { return }
        let version = state.withLock { $0.current.version }
        if let found = try credentialWriter.read() { adopt(found, ifStill: version) }
    }

    /// Reads the store as `reload` does, on a thread apart.
    private func reloadApart() async throws(CredentialStoreError) {
        guard let credentialWriter else { return }
        let version = state.withLock { $0.current.version }
        if let found = try await credentialWriter.readApart() { adopt(found, ifStill: version) }
    }

    private func adopt(_ found: Credentials?, ifStill version: Int) {
        let cleanup = state.withLock { state in
            guard state.current.version == version, !state.isStoring else {
                return SessionCleanup()
            }
            let ended = state.current.adopt(found)
            state.report()
            return state.takeCleanup(of: ended)
        }
        cleanup.clear()
    }

    // MARK: For requests

    /// The current session.
    var sessionID: Session.ID { state.withLock { $0.current.session.id } }

    /// Removes responses from this cache when their session ends.
    func attach(_ cache: ResponseCache) {
        state.withLock { state in
            // Bounded by the number of caches in use.
            state.caches.removeAll { $0.cache == nil || $0.cache === cache }
            state.caches.append(WeakCache(cache: cache))
        }
    }

    /// True if there is a store that may have to be read or written before a request.
    var hasStore: Bool { credentialWriter != nil }

    /// Reads the store if that failed before, and begins to retry a failed write.
    func reloadFromStore() async throws(BackendError) {
        guard let credentialWriter else { return }
        if state.withLock({ $0.current.unread != nil }) { try await readForRequest() }
        if credentialWriter.isBehind { credentialWriter.retry() }
    }

    /// The session that a call belongs to.
    ///
    /// - Parameter id: the session in which the call was made; `nil` for the current one.
    func session(_ id: Session.ID? = nil) throws(BackendError) -> Session {
        if id == Session.anonymous.id { return .anonymous }
        let session = state.withLock { $0.current.session }
        guard id == nil || session.id == id else { throw .signedOut }
        return session
    }

    private func readForRequest() async throws(BackendError) {
        do throws(CredentialStoreError) {
            try await reloadApart()
        } catch { throw BackendError(error) }
        // Another thread may be using the store.
        guard let error = state.withLock({ $0.current.unread }) else { return }
        throw BackendError(error)
    }

    /// The current token of the session; `nil` for anonymous requests.
    func token(of session: Session) throws(BackendError) -> String? {
        guard session.id != Session.anonymous.id else { return nil }
        let token = state.withLock { state in
            state.current.session.id == session.id ? state.current.credentials?.token : nil
        }
        guard let token else { throw .signedOut }
        return token
    }

    /// Returns true if this is the current token, has expired, and can be renewed.
    func hasExpired(_ token: String, at seconds: @autoclosure () -> Int64) -> Bool {
        guard refresh != nil, let current = state.withLock({ $0.current.renewable }),
            current.token == token
        else { return false }
        return current.hasExpired(at: seconds())
    }

    /// Performs the work unless the session has ended; it cannot end meanwhile.
    func whileValid(_ session: Session, _ work: () -> Void) {
        state.withLock { state in
            if state.current.lasts(session.id) { work() }
        }
    }

    /// The backend accepted the token: credentials that were rejected once may be valid later.
    func accept(_ token: String) {
        state.withLock { state in
            guard state.current.rejected != nil, state.current.credentials?.token == token
            else { return }
            state.current.rejected = nil
            state.report()
        }
    }

    /// A token to use instead of one that the backend has rejected: the current one if it was
    /// renewed in the meantime, or else a renewed one; `nil` if it cannot be renewed.
    ///
    /// - Throws: the reason why the renewal got no response, which proves nothing about
    ///   credentials; `signedOut` if the session has ended.
    func token(
        insteadOf rejected: String, of session: Session,
        by service: @autoclosure () -> BackendService
    ) async throws(BackendError) -> String? {
        guard let token = try token(of: session) else { return nil }
        guard token == rejected else { return token }
        let (renewal, old) = state.withLock { state -> (SharedTask<Void>?, Credentials?) in
            guard state.current.session.id == session.id, let old = state.current.credentials,
                old.token == rejected
            else { return (nil, nil) }
            if let renewal = state.renewal { return (renewal, nil) }
            let renewal = SharedTask<Void>(outlivesWaiters: true)
            state.renewal = renewal
            return (renewal, old)
        }
        if let renewal {
            if let old { begin(renewal, of: old, service()) }
            try await (renewal.join() ?? .failure(.cancelled)).get()
        }
        let new = try self.token(of: session)
        return new == rejected ? nil : new
    }

    private func begin(_ renewal: SharedTask<Void>, of old: Credentials, _ service: BackendService)
    {
        renewal.start { [self] in
            await BackgroundTime.during("Renewing the session") {
                let outcome = await renewed(old, by: service)
                if case .success(let new?) = outcome { await store(new, for: old, renewal) }
                return settle(renewal, of: old, outcome)
            }
        }
    }

    /// The new credentials; `nil` if these are not current any more.
    private func renewed(
        _ old: Credentials, by service: BackendService
    ) async -> Result<Credentials?, BackendError> {
        // Another process may have renewed them. Failures of the store are ignored here.
        try? await reloadApart()
        let isOld = state.withLock {
            $0.current.credentials == old && $0.current.rejected != old
        }
        guard isOld else { return .success(nil) }
        guard let refresh else { return .failure(Self.rejection) }
        do {
            var new = try await refresh(old, service)
            guard old.account == nil || new.account ?? old.account == old.account else {
                return .failure(Self.foreign)
            }
            new.account = new.account ?? old.account
            return .success(new)
        } catch { return .failure(Self.failure(error)) }
    }

    /// Stores the new credentials before any of them is used: the backend accepts the old refresh
    /// token until then, so an app that is killed at any moment has one that is valid.
    ///
    /// If that fails, they are used nevertheless; `storeFailure` reports the error.
    private func store(
        _ new: Credentials, for old: Credentials, _ renewal: SharedTask<Void>
    ) async {
        let version = state.withLock { state -> Int? in
            guard state.renewal === renewal, state.current.credentials == old else { return nil }
            state.isStoring = true
            return state.current.reserveVersion()
        }
        guard let version else { return }
        await credentialWriter?.keepAndWait(new, version: version)
        state.withLock { $0.isStoring = false }
    }

    /// Applies the outcome of the renewal, unless its session has ended.
    private func settle(
        _ renewal: SharedTask<Void>, of old: Credentials,
        _ outcome: Result<Credentials?, BackendError>
    ) -> Result<Void, BackendError> {
        state.withLock { state in
            guard state.renewal === renewal else { return .failure(.signedOut) }
            state.renewal = nil
            defer { state.report() }
            switch outcome {
            case .success(let new):
                if let new, state.current.credentials == old { state.current.renew(new) }
                return .success(())
            case .failure(let error) where error.rejectsCredentials:
                state.current.rejected = old
                return .success(())
            case .failure(let error): return .failure(error)
            }
        }
    }
}

// MARK: - Waiting

extension BackendAuth {
    /// Calls `leave` when the time is over or the session ends, unless the wait is ended before.
    ///
    /// - Returns: the argument for `endWait`; `nil` if the session has ended and `leave` was
    ///   called.
    func wait(_ waitLimit: WaitLimit, _ leave: @escaping WaitingCallers.Leave) -> Int? {
        let check = SystemTime.now + min(max(waitLimit.left, .zero), ClientEnvironment.limitWait)
        let (wait, isNext) = state.withLock { state -> (Int?, Bool) in
            guard state.current.lasts(waitLimit.session) else {
                return (nil, false)
            }
            return (state.waits.add(waitLimit, check: check, leave), state.isBefore(check))
        }
        if wait == nil { leave(.signedOut) }
        if isNext { setAlarm(check) }
        return wait
    }

    func endWait(_ wait: Int) { state.withLock { $0.waits.remove(wait) } }

    /// One task wakes up for all waiters, most of which have usually left long before.
    private func setAlarm(_ instant: Duration) {
        let task = ClientTask.start(at: instant) { [weak self] in self?.wake(instant) }
        let useless = state.withLock { state -> Task<Void, Never>? in
            guard state.isBefore(instant) else { return task }
            defer { state.alarm = (instant, task) }
            return state.alarm?.task
        }
        useless?.cancel()
    }

    private func wake(_ instant: Duration) {
        let (late, next) = state.withLock { state in
            if state.alarm?.instant == instant { state.alarm = nil }
            return (state.waits.removeOverdue(at: SystemTime.now), state.waits.nextCheck)
        }
        for leave in late { leave(.timedOut) }
        if let next { setAlarm(next) }
    }
}

// MARK: - Renewing

extension BackendAuth {
    /// Renews a session of the backend with its refresh token (`RefreshSessionRequest`); keys and
    /// other credentials without a refresh token cannot be renewed.
    ///
    /// If the response is lost, the request is repeated: the backend gives the same tokens again
    /// until one of them is used.
    public static let renewSession: Refresh = { old, backend in
        guard let token = old.refreshToken else { throw BackendAuth.rejection }
        var options = RequestOptions()
        options.isRepeatable = true
        let session = try await backend.send(
            RefreshSessionRequest(refreshToken: token), options: options)
        var new = Credentials(session).new(at: backend.environment.wallSeconds())
        // An app may have its own name of the account, which stays the same.
        new.account = old.account ?? new.account
        return new
    }

    private static let rejection = BackendError.unauthorized(Problem(.unauthenticated))
    private static let foreign = BackendError.transport(
        TransportFailure(.credentials, "the renewal returned credentials of another account"))

    private static func failure(_ error: any Error) -> BackendError {
        if error is CancellationError { return .cancelled }
        return error as? BackendError
            ?? .transport(TransportFailure(.credentials, "the renewal failed: \(error)"))
    }
}

extension BackendError {
    /// True for the backend's verdict on credentials, so that another renewal would not help.
    fileprivate var rejectsCredentials: Bool {
        guard let problem else { return false }
        return problem.status < 500 && !isTransient
    }
}
