/// The current session and its transitions.
struct CurrentSession {
    /// A session that has ended.
    struct Ended {
        let id: Session.ID
        /// The owner whose cached responses must be removed; `nil` if the owner stays the same.
        let formerOwner: String?
    }

    private(set) var session = Session.anonymous
    private(set) var credentials: Credentials?
    /// Counts changes of the credentials.
    private(set) var version = 0
    /// The reason why the store could not be read yet.
    private(set) var unread: CredentialStoreError?
    /// Credentials that the backend refused to renew; renewing them is not tried again.
    var rejected: Credentials?
    /// Credentials whose renewal was not refused.
    var renewable: Credentials? { rejected == nil ? credentials : nil }
    private var lastID: Session.ID = 0

    var state: SessionState {
        if let unread { return .unavailable(unread) }
        guard let credentials else { return .signedOut }
        return rejected == credentials
            ? .expired(account: credentials.account) : .signedIn(account: credentials.account)
    }

    /// Returns true if work that belongs to this session may continue.
    func lasts(_ id: Session.ID) -> Bool { id == Session.anonymous.id || id == session.id }

    mutating func begin(_ credentials: Credentials) {
        lastID += 1
        session = Session(id: lastID, of: credentials)
        self.credentials = credentials
        version += 1
    }

    /// Begins a session with credentials that cannot be read yet.
    mutating func beginUnread(_ error: CredentialStoreError) {
        lastID += 1
        session = Session(id: lastID, owner: "")
        unread = error
    }

    /// Signs out; `nil` if no user was signed in.
    mutating func end(before next: Credentials?) -> Ended? {
        let former = session
        session = .anonymous
        credentials = nil
        unread = nil
        rejected = nil
        version += 1
        guard former != .anonymous else { return nil }
        let goesOn = former.owner == next.map { Session(id: 0, of: $0).owner }
        return Ended(id: former.id, formerOwner: goesOn ? nil : former.owner)
    }

    /// Continues the session with these credentials.
    mutating func renew(_ new: Credentials) {
        credentials = new
        rejected = nil
        version += 1
    }

    /// Returns the version under which credentials are stored that are not used yet.
    mutating func reserveVersion() -> Int {
        version += 1
        return version
    }

    /// Adopts the stored credentials, which another process may have changed.
    mutating func adopt(_ found: Credentials?) -> Ended? {
        guard unread == nil else {
            unread = nil
            credentials = found
            session = found.map { Session(id: session.id, of: $0) } ?? .anonymous
            version += 1
            return nil
        }
        guard found != credentials else { return nil }
        if let found, let account = found.account, account == credentials?.account {
            renew(found)
            return nil
        }
        let ended = end(before: found)
        if let found { begin(found) }
        return ended
    }
}

/// Writes credentials to their store, one operation at a time; the latest ones win.
///
/// While one thread is using the store, others leave their work to it, so that no thread waits for
/// another one that is blocked in the store. Failed operations are retried.
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

    init(_ store: any CredentialStore) { self.store = store }

    /// True if an operation failed and is not being retried.
    var isBehind: Bool { state.withLock { $0.failure != nil && !$0.isBusy } }

    /// The reason why the store is not up to date.
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

    /// Stores these credentials as `keep` does, and waits until that is done or has failed, also if
    /// another thread does it.
    func keepAndWait(_ credentials: Credentials, version: Int) async {
        try? keep(credentials, version: version)
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isBusy { state.waiters.append(continuation) }
                return !state.isBusy
            }
            if isDone { continuation.resume() }
        }
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
