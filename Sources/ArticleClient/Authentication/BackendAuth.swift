import ArticleAPI
import HTTP

/// Who is signed in: their credentials, where these are kept, and how they are renewed.
///
/// A request belongs to the session in which it was made, from one `signIn` to the next `signIn`
/// or `signOut`. It never goes out with another session's token: when its session ends it fails
/// with `BackendError.signedOut`, whether it is under way, waits for another try, or stands in a
/// queue. A renewed token keeps the session. Requests that were made signed out need no
/// credentials, and go on when somebody signs in.
public final class BackendAuth: Sendable {
    /// Gets new credentials for old ones. The service that it is given sends without any
    /// credentials, so that a renewal that is refused does not call for another one. What is
    /// returned without an `account` has that of the old ones.
    public typealias Refresh = @Sendable (Credentials, BackendService) async throws -> Credentials

    private struct State {
        var current = CurrentSession()
        var renewal: SharedTask<Void>?
        var waits = Waits()
        var alarm: (instant: ContinuousClock.Instant, task: Task<Void, Never>)?
        var subscribers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var lastSubscriber = 0
        var told: SessionState?
        /// The caches whose copies go with a session.
        var caches: [WeakCache] = []

        /// Whether nobody wakes as early as that.
        func isBefore(_ instant: ContinuousClock.Instant) -> Bool {
            alarm.map { instant < $0.instant } ?? true
        }

        /// Tells subscribers, where something has changed for them.
        mutating func tell() {
            guard current.state != told else { return }
            told = current.state
            for subscriber in subscribers.values { subscriber.yield(current.state) }
        }

        /// Takes out what a session leaves behind that ended.
        mutating func takeLeftovers(of ended: CurrentSession.Ended?) -> Leftovers {
            guard let ended else { return Leftovers() }
            return Leftovers(
                waits: waits.removeAll(of: ended.id), renewal: renewal.take(),
                owner: ended.formerOwner, caches: caches.compactMap(\.cache))
        }
    }

    private struct WeakCache {
        weak var cache: ResponseCache?
    }

    /// What a session leaves behind; it is cleared away outside of the lock.
    private struct Leftovers {
        var waits: [Waits.Leave] = []
        var renewal: SharedTask<Void>?
        var owner: String?
        var caches: [ResponseCache] = []

        func clear() {
            renewal?.end(.failure(.signedOut))
            for leave in waits { leave(.signedOut) }
            if let owner { for cache in caches { cache.removeAll(of: owner) } }
        }
    }

    /// `nil`: nothing is kept.
    private let keeper: CredentialKeeper?
    private let refresh: Refresh?
    private let state: Locked<State>

    /// - Parameters:
    ///   - store: read now; it may block. A failure that is temporary (`isTemporary`) throws
    ///     nothing: `state` is `unavailable`, and the store is read again when a request is sent.
    ///   - refresh: `nil`: keys are not renewed.
    public init(
        store: any CredentialStore, refresh: Refresh? = nil
    ) throws(CredentialStoreError) {
        keeper = CredentialKeeper(store)
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

    /// A key or token that is kept in memory only; `nil`: anonymous.
    public init(token: String? = nil) {
        keeper = nil
        refresh = nil
        var first = State()
        if let token { first.current.begin(Credentials(token: token)) }
        state = Locked(first)
    }

    deinit { state.withLock { $0.alarm?.task }?.cancel() }

    // MARK: Who is signed in

    /// Who is signed in now.
    public var sessionState: SessionState { state.withLock { $0.current.state } }

    /// Whether there are credentials to send.
    public var isSignedIn: Bool { state.withLock { $0.current.credentials != nil } }

    /// Who is signed in: first as it is now, then each time it changes. A reader that falls behind
    /// gets the latest state only.
    public var states: AsyncStream<SessionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            state.told = state.current.state
            continuation.yield(state.current.state)
            return state.lastSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Why the store does not hold these credentials, where it could not be written. It is tried
    /// again with later requests.
    public var storeFailure: CredentialStoreError? { keeper?.failure }

    /// Begins a session with new credentials, and keeps them. The session before ends as by
    /// `signOut`; copies of its responses stay only if both are of the same account.
    ///
    /// - Throws: what the store throws; the session has begun all the same. While another thread
    ///   is at the store that thread writes, and nothing is thrown here.
    public func signIn(_ credentials: Credentials) throws(CredentialStoreError) {
        try change(to: credentials)
    }

    /// Ends the session: forgets the credentials, here and where they are kept, removes the copies
    /// of the account's responses, and ends what is under way with `BackendError.signedOut`.
    ///
    /// - Throws: as `signIn`.
    public func signOut() throws(CredentialStoreError) { try change(to: nil) }

    private func change(to credentials: Credentials?) throws(CredentialStoreError) {
        let (leftovers, version) = state.withLock { state in
            let ended = state.current.end(before: credentials)
            if let credentials { state.current.begin(credentials) }
            state.tell()
            return (state.takeLeftovers(of: ended), state.current.version)
        }
        leftovers.clear()
        try keeper?.keep(credentials, version: version)
    }

    /// Reads the store again, as where another process that shares it has signed in or out, or the
    /// device was unlocked. May block.
    ///
    /// Other credentials of the same account are taken as renewed ones; those of another account,
    /// or of an unknown one, begin a session.
    public func reload() throws(CredentialStoreError) {
        guard let keeper else { return }
        let version = state.withLock { $0.current.version }
        guard let found = try keeper.read() else { return }
        let leftovers = state.withLock { state in
            guard state.current.version == version else { return Leftovers() }
            let ended = state.current.adopt(found)
            state.tell()
            return state.takeLeftovers(of: ended)
        }
        leftovers.clear()
    }

    // MARK: For requests

    /// The session in which something is made now.
    var sessionID: Session.ID { state.withLock { $0.current.session.id } }

    /// Copies in this cache go when their session ends.
    func attach(_ cache: ResponseCache) {
        state.withLock { state in
            // As many as are in use.
            state.caches.removeAll { $0.cache == nil || $0.cache === cache }
            state.caches.append(WeakCache(cache: cache))
        }
    }

    /// The session that a call belongs to.
    ///
    /// - Parameter id: that in which it was made; `nil`: now.
    func session(_ id: Session.ID? = nil) async throws(BackendError) -> Session {
        // Without a store, there is nothing to catch up with.
        if let keeper {
            if state.withLock({ $0.current.unread != nil }) { try await readForRequest() }
            if keeper.isBehind { _ = ClientTask.startApart { try? keeper.retry() } }
        }
        if id == Session.anonymous.id { return .anonymous }
        let session = state.withLock { $0.current.session }
        guard id == nil || session.id == id else { throw .signedOut }
        return session
    }

    @concurrent
    private func readForRequest() async throws(BackendError) {
        do throws(CredentialStoreError) { try reload() } catch { throw BackendError(error) }
        // Another thread may be at the store.
        guard let error = state.withLock({ $0.current.unread }) else { return }
        throw BackendError(error)
    }

    /// Its token now; `nil`: it sends none.
    func token(of session: Session) throws(BackendError) -> String? {
        guard session.id != Session.anonymous.id else { return nil }
        let token = state.withLock { state in
            state.current.session.id == session.id ? state.current.credentials?.token : nil
        }
        guard let token else { throw .signedOut }
        return token
    }

    /// Does this while nobody can end the session; not at all if it has ended.
    func whileLasting(_ session: Session, _ work: () -> Void) {
        state.withLock { state in
            if state.current.lasts(session.id) { work() }
        }
    }

    /// The token was taken after all: credentials that are refused once may be good later.
    func accept(_ token: String) {
        state.withLock { state in
            guard state.current.refused != nil, state.current.credentials?.token == token
            else { return }
            state.current.refused = nil
            state.tell()
        }
    }

    /// What there is instead of a token that the backend has refused: the new one, if it was
    /// renewed in the meantime, or one that is renewed now; `nil` if none can be had.
    ///
    /// - Throws: what kept the renewal from being answered, which says nothing of the credentials;
    ///   `signedOut` if the session is over.
    func token(
        insteadOf refused: String, of session: Session,
        by service: @autoclosure () -> BackendService
    ) async throws(BackendError) -> String? {
        guard let token = try token(of: session) else { return nil }
        guard token == refused else { return token }
        let (renewal, old) = state.withLock { state -> (SharedTask<Void>?, Credentials?) in
            guard state.current.session.id == session.id, let old = state.current.credentials,
                old.token == refused
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
        return new == refused ? nil : new
    }

    private func begin(_ renewal: SharedTask<Void>, of old: Credentials, _ service: BackendService)
    {
        renewal.start { [self] in
            // Another process may have renewed them. A store that cannot be read says nothing.
            try? reload()
            let isOld = state.withLock {
                $0.current.credentials == old && $0.current.refused != old
            }
            guard isOld else { return settle(renewal, of: old, .success(nil)) }
            guard let refresh else { return settle(renewal, of: old, .failure(Self.refusal)) }
            do {
                var new = try await refresh(old, service)
                guard old.account == nil || new.account ?? old.account == old.account else {
                    return settle(renewal, of: old, .failure(Self.foreign))
                }
                new.account = new.account ?? old.account
                return settle(renewal, of: old, .success(new))
            } catch { return settle(renewal, of: old, .failure(Self.failure(error))) }
        }
    }

    /// What the renewal came to counts only while its session lasts.
    private func settle(
        _ renewal: SharedTask<Void>, of old: Credentials,
        _ outcome: Result<Credentials?, BackendError>
    ) -> Result<Void, BackendError> {
        let (result, version) = state.withLock { state -> (Result<Void, BackendError>, Int?) in
            guard state.renewal === renewal else { return (.failure(.signedOut), nil) }
            state.renewal = nil
            defer { state.tell() }
            switch outcome {
            case .success(let new):
                guard let new, state.current.credentials == old else { return (.success(()), nil) }
                state.current.renew(new)
                return (.success(()), state.current.version)
            case .failure(.problem(let problem)) where !Self.isFinal(problem.status):
                return (.failure(.problem(problem)), nil)
            case .failure(.problem), .failure(.unauthorized):
                state.current.refused = old
                return (.success(()), nil)
            case .failure(let error): return (.failure(error), nil)
            }
        }
        // Who waits has the new token either way; `storeFailure` tells what went wrong.
        if let version, case .success(let new?) = outcome {
            try? keeper?.keep(new, version: version)
        }
        return result
    }

    private static let refusal = BackendError.unauthorized(
        Problem(type: "about:blank", title: "", status: HTTPStatus.unauthorized.code))
    private static let foreign = BackendError.transport(
        TransportFailure(.credentials, "the renewal gave credentials of another account"))

    /// Whether a refusal says something of the credentials, and would be the same later.
    private static func isFinal(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }

    private static func failure(_ error: any Error) -> BackendError {
        if error is CancellationError { return .cancelled }
        return error as? BackendError
            ?? .transport(TransportFailure(.credentials, "the renewal failed: \(error)"))
    }
}

// MARK: - Waiting

extension BackendAuth {
    /// Calls `leave` when the time is over or the session ends, unless the wait is ended before.
    ///
    /// - Returns: what ends it; `nil` if the session is over, and `leave` was called.
    func wait(
        in session: Session.ID, for time: Duration, _ leave: @escaping Waits.Leave
    ) -> Int? {
        // As good as for ever; and no sum is too large for a clock.
        let deadline = ContinuousClock.now + min(max(time, .zero), .seconds(1 << 32))
        let (wait, isNext) = state.withLock { state -> (Int?, Bool) in
            guard state.current.lasts(session) else {
                return (nil, false)
            }
            return (state.waits.add(session, until: deadline, leave), state.isBefore(deadline))
        }
        if wait == nil { leave(.signedOut) }
        if isNext { setAlarm(deadline) }
        return wait
    }

    func endWait(_ wait: Int) { state.withLock { $0.waits.remove(wait) } }

    /// One task wakes for all who wait, as a rule long after most of them have left.
    private func setAlarm(_ instant: ContinuousClock.Instant) {
        let task = ClientTask.start(at: instant) { [weak self] in self?.wake(instant) }
        let useless = state.withLock { state -> Task<Void, Never>? in
            guard state.isBefore(instant) else { return task }
            defer { state.alarm = (instant, task) }
            return state.alarm?.task
        }
        useless?.cancel()
    }

    private func wake(_ instant: ContinuousClock.Instant) {
        let (late, next) = state.withLock { state in
            if state.alarm?.instant == instant { state.alarm = nil }
            return (state.waits.removeAll(until: .now), state.waits.nextDeadline)
        }
        for leave in late { leave(.timedOut) }
        if let next { setAlarm(next) }
    }
}
