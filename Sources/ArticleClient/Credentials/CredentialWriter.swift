import Dispatch

/// Writes credentials to their store, one operation at a time; the latest ones win.
///
/// While one thread is using the store, others leave their work to it, so that no thread waits for
/// another one that is blocked in the store. Asynchronous callers use it on a thread apart: Swift's
/// own threads are as few as the processor's cores. Failed operations are retried.
final class CredentialWriter: Sendable {
    private struct State {
        var isBusy = false
        /// The write that is still to be made; `.some(nil)` removes the stored credentials.
        var pending: Credentials??
        var version = 0
        var failure: CredentialStoreError?
        /// They wait for the end of the present turn.
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func endTurn() -> [CheckedContinuation<Void, Never>] {
            isBusy = false
            defer { waiters = [] }
            return waiters
        }
    }

    private let store: any CredentialStore
    private let state = Locked(State())
    /// Used by the one whose turn it is.
    private let queue = DispatchQueue(label: "broadsheet.credentials")

    init(_ store: any CredentialStore) { self.store = store }

    /// True if an operation failed and is not being retried.
    var isBehind: Bool { state.withLock { $0.failure != nil && !$0.isBusy } }

    /// The reason why the store is not up to date.
    var failure: CredentialStoreError? { state.withLock { $0.failure } }

    /// Stores these credentials, or removes the stored ones.
    ///
    /// - Parameter version: the highest version wins, in whichever order the calls are made.
    func keep(_ credentials: Credentials?, version: Int) throws(CredentialStoreError) {
        if takeTurn(toKeep: credentials, version) { try work() }
    }

    /// Stores these credentials as `keep` does, and waits until that is done or has failed, also if
    /// another thread does it.
    func keepAndWait(_ credentials: Credentials, version: Int) async {
        if takeTurn(toKeep: credentials, version) { startWork() }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isBusy { state.waiters.append(continuation) }
                return !state.isBusy
            }
            if isDone { continuation.resume() }
        }
    }

    /// Begins to retry a failed operation.
    func retry() {
        if state.withLock({ $0.pending != nil && Self.takeTurn(&$0) }) { startWork() }
    }

    /// The stored credentials, or `.some(nil)` if there are none; `nil` while a write is pending,
    /// because the stored ones are then out of date.
    func read() throws(CredentialStoreError) -> Credentials?? {
        guard takeTurnToRead() else { return nil }
        return try readInTurn()
    }

    /// Reads as `read` does, on a thread apart.
    func readApart() async throws(CredentialStoreError) -> Credentials?? {
        guard takeTurnToRead() else { return nil }
        let outcome = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: self.readInTurn)) }
        }
        return try outcome.get()
    }

    private func takeTurn(toKeep credentials: Credentials?, _ version: Int) -> Bool {
        state.withLock { state in
            if version > state.version {
                state.version = version
                state.pending = .some(credentials)
            }
            return Self.takeTurn(&state)
        }
    }

    private func takeTurnToRead() -> Bool {
        state.withLock { $0.pending == nil && Self.takeTurn(&$0) }
    }

    private func readInTurn() throws(CredentialStoreError) -> Credentials?? {
        let outcome: Result<Credentials?, CredentialStoreError>
        do throws(CredentialStoreError) {
            outcome = .success(try store.load())
        } catch { outcome = .failure(error) }
        let isOld = state.withLock { $0.pending != nil }
        try work()
        return isOld ? nil : .some(try outcome.get())
    }

    /// Does the work on a thread apart; `failure` reports errors.
    private func startWork() {
        queue.async { try? self.work() }
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
                let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
                    state.failure = error
                    // A newer operation is tried next; it may succeed.
                    guard state.pending == nil else { return nil }
                    state.pending = .some(next)
                    return state.endTurn()
                }
                if let waiters {
                    for waiter in waiters { waiter.resume() }
                    throw error
                }
            }
        }
    }

    /// The next operation; ends the turn if there is none.
    private func nextStep() -> Credentials?? {
        let (next, waiters) = state.withLock {
            state -> (Credentials??, [CheckedContinuation<Void, Never>]) in
            guard let next = state.pending else { return (nil, state.endTurn()) }
            state.pending = nil
            return (.some(next), [])
        }
        for waiter in waiters { waiter.resume() }
        return next
    }
}
