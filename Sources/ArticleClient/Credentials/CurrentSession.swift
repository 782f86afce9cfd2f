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
