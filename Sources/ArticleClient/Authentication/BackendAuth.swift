import ArticleAPI
import HTTP

/// Where the token lives, and how it is renewed: by one request, however many were refused.
public final class BackendAuth: Sendable {
    /// Gets new credentials for old ones. The service that it is given sends without any
    /// credentials, so that a renewal that is refused does not call for another one.
    public typealias Refresh = @Sendable (Credentials, BackendService) async throws -> Credentials

    private struct State {
        var credentials: Credentials?
        /// Credentials that the backend would not renew: they are not tried again.
        var refused: Credentials?
        var renewal: Flight<Credentials?>?
    }

    private let store: any CredentialStore
    private let refresh: Refresh?
    private let state: Guarded<State>

    /// - Parameters:
    ///   - store: read once, now; it may block.
    ///   - refresh: `nil`: keys are not renewed.
    public init(
        store: any CredentialStore, refresh: Refresh? = nil
    ) throws(CredentialStoreError) {
        self.store = store
        self.refresh = refresh
        state = Guarded(State(credentials: try store.load()))
    }

    /// A key or token that is kept in memory only; `nil`: a stranger.
    public init(token: String? = nil) {
        let credentials = token.map { Credentials(token: $0) }
        store = MemoryCredentialStore(credentials)
        refresh = nil
        state = Guarded(State(credentials: credentials))
    }

    /// Whether there are credentials to send.
    public var isSignedIn: Bool { state.withLock { $0.credentials != nil } }

    /// Takes new credentials, and keeps them.
    public func signIn(_ credentials: Credentials) throws(CredentialStoreError) {
        state.withLock { state in
            state.credentials = credentials
            state.refused = nil
            // A renewal of the old ones does not count any more.
            state.renewal = nil
        }
        try store.save(credentials)
    }

    /// Forgets the credentials, here and where they are kept.
    public func signOut() throws(CredentialStoreError) {
        state.withLock { state in
            state.credentials = nil
            state.refused = nil
            state.renewal = nil
        }
        try store.remove()
    }

    // MARK: For requests

    var token: String? { state.withLock { $0.credentials?.token } }

    /// What there is instead of a token that the backend has refused: the new one, if it was
    /// renewed in the meantime, or one that is renewed now; `nil` if none can be had.
    ///
    /// - Throws: what kept the renewal from being answered, which says nothing of the credentials.
    func token(
        insteadOf refused: String, by service: @autoclosure () -> BackendService
    ) async throws(BackendError) -> String? {
        enum Way {
            case token(String?)
            case renewal(Flight<Credentials?>, begins: Credentials?)
        }
        let way: Way = state.withLock { state in
            guard let credentials = state.credentials else { return .token(nil) }
            guard credentials.token == refused else { return .token(credentials.token) }
            guard refresh != nil, state.refused != credentials else { return .token(nil) }
            if let renewal = state.renewal { return .renewal(renewal, begins: nil) }
            let renewal = Flight<Credentials?>(outlivesWaiters: true)
            state.renewal = renewal
            return .renewal(renewal, begins: credentials)
        }
        switch way {
        case .token(let token): return token
        case .renewal(let renewal, let old):
            if let old, let refresh { begin(renewal, of: old, refresh, service()) }
            return try await (renewal.join() ?? .failure(.cancelled)).get()?.token
        }
    }

    private func begin(
        _ renewal: Flight<Credentials?>, of old: Credentials, _ refresh: @escaping Refresh,
        _ service: BackendService
    ) {
        renewal.start { [self] in
            let outcome: Result<Credentials, BackendError>
            do { outcome = .success(try await refresh(old, service)) } catch {
                outcome = .failure(Self.failure(error))
            }
            return settle(renewal, of: old, outcome)
        }
    }

    /// What the renewal came to counts only while nobody has signed in or out meanwhile.
    private func settle(
        _ renewal: Flight<Credentials?>, of old: Credentials,
        _ outcome: Result<Credentials, BackendError>
    ) -> Result<Credentials?, BackendError> {
        let (result, isNew) = state.withLock { state in
            guard state.renewal === renewal else {
                return (Result<Credentials?, BackendError>.success(state.credentials), false)
            }
            state.renewal = nil
            switch outcome {
            case .success(let new):
                state.credentials = new
                return (.success(new), true)
            case .failure(.problem(let problem)) where Self.isFinal(problem.status):
                state.refused = old
                return (.success(nil), false)
            case .failure(.unauthorized):
                state.refused = old
                return (.success(nil), false)
            case .failure(let error): return (.failure(error), false)
            }
        }
        guard isNew, case .success(let new?) = result else { return result }
        do throws(CredentialStoreError) {
            try store.save(new)
        } catch {
            return .failure(.transport(TransportFailure(.credentials, error.description)))
        }
        return result
    }

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
