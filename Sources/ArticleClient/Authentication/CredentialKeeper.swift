/// Keeps credentials in their store: one step at a time, and the latest wins.
///
/// Whoever comes while another thread is at the store leaves the work to that thread, so nobody
/// waits for a store that another one stands still in. What could not be kept is tried again.
final class CredentialKeeper: Sendable {
    private struct State {
        var isBusy = false
        /// What the store does not hold yet; `.some(nil)`: nothing is to be in it.
        var pending: Credentials??
        var version = 0
        var failure: CredentialStoreError?
    }

    private let store: any CredentialStore
    private let state = Locked(State())

    init(_ store: any CredentialStore) { self.store = store }

    /// Whether a step failed, and nobody has tried it again yet.
    var isBehind: Bool { state.withLock { $0.failure != nil && !$0.isBusy } }

    /// Why the store does not hold what it should.
    var failure: CredentialStoreError? { state.withLock { $0.failure } }

    /// Makes the store hold these, or nothing.
    ///
    /// - Parameter version: later ones win, in whichever order they come.
    func keep(_ credentials: Credentials?, version: Int) throws(CredentialStoreError) {
        let isMine = state.withLock { state in
            if version > state.version {
                state.version = version
                state.pending = .some(credentials)
            }
            return Self.takeTurn(&state)
        }
        if isMine { try work() }
    }

    /// Tries again what failed.
    func retry() throws(CredentialStoreError) {
        if state.withLock({ $0.pending != nil && Self.takeTurn(&$0) }) { try work() }
    }

    /// What the store holds, `.some(nil)` where that is nothing; `nil` while something is still to
    /// be written to it, which makes what it holds old.
    func read() throws(CredentialStoreError) -> Credentials?? {
        guard state.withLock({ $0.pending == nil && Self.takeTurn(&$0) }) else { return nil }
        let outcome: Result<Credentials?, CredentialStoreError>
        do throws(CredentialStoreError) {
            outcome = .success(try store.load())
        } catch { outcome = .failure(error) }
        let isOld = state.withLock { $0.pending != nil }
        try work()
        return isOld ? nil : .some(try outcome.get())
    }

    private static func takeTurn(_ state: inout State) -> Bool {
        guard !state.isBusy else { return false }
        state.isBusy = true
        return true
    }

    /// Whoever has the turn writes until the store holds the latest, or a step fails.
    private func work() throws(CredentialStoreError) {
        while let next = nextStep() {
            do throws(CredentialStoreError) {
                if let next { try store.save(next) } else { try store.remove() }
                state.withLock { $0.failure = nil }
            } catch {
                let isLast = state.withLock { state in
                    state.failure = error
                    // A newer one goes ahead; it may fare better.
                    guard state.pending == nil else { return false }
                    state.pending = .some(next)
                    state.isBusy = false
                    return true
                }
                if isLast { throw error }
            }
        }
    }

    /// Gives the turn back where nothing is left to do.
    private func nextStep() -> Credentials?? {
        state.withLock { state in
            guard let next = state.pending else {
                state.isBusy = false
                return nil
            }
            state.pending = nil
            return .some(next)
        }
    }
}
