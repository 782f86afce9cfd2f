/// Writes credentials to their store, one operation at a time; the latest ones win.
///
/// While one thread is using the store, others leave their work to it, so that no thread waits for
/// another one that is blocked in the store. Failed operations are retried.
final class CredentialKeeper: Sendable {
    private struct State {
        var isBusy = false
        /// What is still to be written; `.some(nil)` removes the stored credentials.
        var pending: Credentials??
        var version = 0
        var failure: CredentialStoreError?
    }

    private let store: any CredentialStore
    private let state = Locked(State())

    init(_ store: any CredentialStore) { self.store = store }

    /// Whether an operation failed and is not being retried.
    var isBehind: Bool { state.withLock { $0.failure != nil && !$0.isBusy } }

    /// Why the store is not up to date.
    var failure: CredentialStoreError? { state.withLock { $0.failure } }

    /// Stores these credentials, or removes the stored ones.
    ///
    /// - Parameter version: the highest version wins, in whichever order the calls are made.
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

    /// Retries a failed operation.
    func retry() throws(CredentialStoreError) {
        if state.withLock({ $0.pending != nil && Self.takeTurn(&$0) }) { try work() }
    }

    /// The stored credentials, or `.some(nil)` if there are none; `nil` while a write is pending,
    /// because the stored ones are then out of date.
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

    /// Writes until the store is up to date or an operation fails; called by the one thread whose
    /// turn it is.
    private func work() throws(CredentialStoreError) {
        while let next = nextStep() {
            do throws(CredentialStoreError) {
                if let next { try store.save(next) } else { try store.remove() }
                state.withLock { $0.failure = nil }
            } catch {
                let isLast = state.withLock { state in
                    state.failure = error
                    // A newer operation is tried next; it may succeed.
                    guard state.pending == nil else { return false }
                    state.pending = .some(next)
                    state.isBusy = false
                    return true
                }
                if isLast { throw error }
            }
        }
    }

    /// The next operation; ends the turn if there is none.
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
