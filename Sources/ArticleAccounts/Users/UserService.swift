package import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Creates, shows and changes accounts.
package struct UserService: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    let hasher: PasswordHasher
    let rules: SignUpRules
    let cursors: CursorSealer
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, access: Authenticator, hasher: PasswordHasher, rules: SignUpRules,
        cursors: CursorSealer, system: SystemEnvironment
    ) {
        self.store = store
        self.access = access
        self.hasher = hasher
        self.rules = rules
        self.cursors = cursors
        self.system = system
    }

    // MARK: Signing up

    package func create(
        _ request: SignUpRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<User> {
        let draft = request.user
        let isAdmin = caller.role == .admin
        guard draft.role == nil || isAdmin else {
            throw .invalidValue("/role", "may only be set by admins")
        }
        let name = try AccountName(draft.name)
        let password = try Password(chosen: draft.password, forName: name.key)
        let invitation = isAdmin ? nil : try await rules.admit(draft.invitation, context)
        try await checkAvailable(name)
        let role = draft.role.flatMap { Role($0) }?.rawValue ?? invitation?.role
        let hash = try await hasher.hash(password, for: .init(context))
        let time = system.now
        let user = UserRecord(
            id: system.newID(at: time), name: name.text, nameKey: name.key,
            displayName: draft.displayName ?? name.text, role: role ?? Role.reader.rawValue,
            passwordHash: hash, createdAt: time)
        do throws(StoreError) {
            try await store.createUser(user, using: invitation?.id, at: time)
        } catch {
            // The invitation was used in the meantime.
            if case .notFound = error { throw SignUpRules.badInvitation }
            throw ServiceError(error)
        }
        return Reply(User(user), location: FetchUserRequest(id: user.id))
    }

    /// Rejects a name that is taken before its password is hashed.
    private func checkAvailable(_ name: AccountName) async throws(ServiceError) {
        guard try await user(named: name) == nil else { throw .nameTaken }
    }

    // MARK: Invitations

    private static let dayMilliseconds: Int64 = 24 * 3_600 * 1_000

    package func invite(
        _ request: CreateInvitationRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Invitation> {
        let time = system.now
        let expiry =
            request.invitation.expiresAt
            ?? time.advanced(byMilliseconds: 7 * Self.dayMilliseconds)
        guard expiry > time else { throw .invalidValue("/expiresAt", "is in the past") }
        guard expiry <= time.advanced(byMilliseconds: 90 * Self.dayMilliseconds) else {
            throw .invalidValue("/expiresAt", "is more than 90 days from now")
        }
        guard let role = Role(request.invitation.role) else {
            throw .invalidValue("/role", "is not known")
        }
        let code = "bsi_\(ByteText.base64URL(system.randomBytes(32)))"
        let record = InvitationRecord(
            id: ByteText.hexadecimal(system.randomBytes(8)), digest: Digest.sha256(code.utf8),
            role: role.rawValue, createdBy: caller.account ?? "", createdAt: time,
            expiresAt: expiry)
        do throws(StoreError) { try await store.createInvitation(record) } catch {
            if case .tooMany = error {
                throw .invalidValue("", "there are too many unused invitations")
            }
            throw ServiceError(error)
        }
        return Reply(
            Invitation(
                id: record.id, code: code, role: role.shown, createdAt: time, expiresAt: expiry))
    }

    // MARK: Reading

    package func list(
        _ request: FetchUsersRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<User>> {
        guard let name = request.name else {
            let page = try await cursors.page(of: "users", from: request.cursor) { after in
                try await store.users(after: after, limit: request.limit ?? 20)
            }
            return Reply(Page(items: page.items.map { User($0) }, next: page.next))
        }
        guard let name = try? AccountName(name), let found = try await user(named: name) else {
            return Reply(Page(items: []))
        }
        return Reply(Page(items: [User(found)]))
    }

    private func user(named name: AccountName) async throws(ServiceError) -> UserRecord? {
        try await ServiceError.ifFound { () throws(StoreError) in
            try await store.user(named: name.key)
        }
    }

    package func fetch(
        _ request: FetchUserRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<User> {
        let record = try await record(of: request.id)
        let seesAll = caller.user == record.id || caller.role == .admin
        return Reply(seesAll ? User(record) : User(publicOf: record))
    }

    private func record(of id: User.ID) async throws(ServiceError) -> UserRecord {
        do throws(StoreError) { return try await store.user(id) } catch {
            throw ServiceError(error)
        }
    }

    // MARK: Changing

    package func update(
        _ request: UpdateUserRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<User> {
        let current = try await record(of: request.id)
        let expected = try current.revision(expectedBy: request.expected)
        var change = try UserChange(request.changes, name: current.name)
        if case .set(let password) = request.changes.password {
            change.passwordHash = try await hasher.hash(
                Password(chosen: password, forName: current.nameKey), for: .init(context))
        }
        do throws(StoreError) {
            let user = try await store.updateUser(
                request.id, expecting: expected, change, at: system.now)
            if user.accessEpoch != current.accessEpoch { access.userChanged(user) }
            return Reply(User(user))
        } catch { throw ServiceError(error) }
    }

    package func delete(
        _ request: DeleteUserRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        let expected = try await record(of: request.id).revision(expectedBy: request.expected)
        let deletion = AccountDeletion(store: store, access: access)
        try await deletion.delete(
            request.id, expecting: expected, request.comments ?? .keep, at: system.now)
        return Reply(NoContent())
    }
}

extension UserChange {
    /// Everything but the password.
    ///
    /// - Parameter name: That of the account, which is the default of the display name.
    fileprivate init(_ changes: User.Changes, name: String) throws(ServiceError) {
        self.init()
        displayName = UserChange.displayName(changes.displayName, name: name)
        switch changes.role {
        case .keep: break
        case .clear: throw .invalidValue("/role", "cannot be null")
        case .set(let role): self.role = Role(role)?.rawValue
        }
        switch changes.isDisabled {
        case .keep: break
        case .clear: throw .invalidValue("/disabled", "cannot be null")
        case .set(let isDisabled): self.isDisabled = isDisabled
        }
        if changes.password == .clear { throw .invalidValue("/password", "cannot be null") }
    }

    /// The new display name; `nil` to keep it.
    static func displayName(_ change: Change<String>, name: String) -> String? {
        switch change {
        case .keep: nil
        case .clear: name
        case .set(let text): text
        }
    }
}

/// Decides who may create an account.
package struct SignUpRules: Sendable {
    let store: any ArticleStore
    let policy: AccountConfiguration.SignUp
    let throttle: SignUpThrottle
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, policy: AccountConfiguration.SignUp, throttle: SignUpThrottle,
        system: SystemEnvironment
    ) {
        self.store = store
        self.policy = policy
        self.throttle = throttle
        self.system = system
    }

    /// Counts an attempt to sign up, and rejects it where it needs an invitation.
    ///
    /// - Parameter code: That of an invitation.
    /// - Returns: The invitation, which is used up when the account is created.
    func admit(
        _ code: String?, _ context: RequestContext
    ) async throws(ServiceError) -> InvitationRecord? {
        if let address = context.limitedClient {
            try throttle.take(address, in: context.limitedNetworks)
        }
        if let code { return try await invitation(code) }
        guard policy == .open else { throw .signUpClosed }
        return nil
    }

    /// The valid invitation with this code.
    private func invitation(_ code: String) async throws(ServiceError) -> InvitationRecord {
        let found = try await ServiceError.ifFound { () throws(StoreError) in
            try await store.invitation(withDigest: Digest.sha256(code.utf8))
        }
        guard let found, found.usedAt == nil, found.expiresAt > system.now else {
            throw Self.badInvitation
        }
        return found
    }

    static let badInvitation = ServiceError.invalidValue(
        "/invitation", "is not a valid invitation, was used, or has expired")
}

/// Deletes accounts, in two steps: the revision is only checked before anything is erased.
struct AccountDeletion: Sendable {
    let store: any ArticleStore
    let access: Authenticator

    package func delete(
        _ id: User.ID, expecting revision: Int?, _ comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(ServiceError) {
        do throws(StoreError) {
            try await begin(id, expecting: revision, comments, at: time)
        } catch { throw ServiceError(error) }
        try await finish(id, at: time)
    }

    /// Ends access to the account. `CleanupTask` deletes the rest if `finish` fails.
    func begin(
        _ id: User.ID, expecting revision: Int?, _ comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(StoreError) {
        try await store.beginDeletion(of: id, expecting: revision, comments: comments, at: time)
        access.userDeleted(id)
    }

    func finish(_ id: User.ID, at time: Timestamp) async throws(ServiceError) {
        do throws(StoreError) {
            try await store.finishDeletion(of: id, at: time)
        } catch { throw ServiceError(error) }
    }
}

extension User: Versioned {
    /// Identifies the revision, also among those of a restored database; `nil` if only the public
    /// part is known.
    package var version: String? {
        guard let revision, let updatedAt else { return nil }
        let state = "\(id) \(revision) \(updatedAt)"
        let mark = ByteText.hexadecimal(Digest.sha256(state.utf8).prefix(Epoch.markLength / 2))
        return "\(revision)-\(mark)"
    }
}

extension UserRecord {
    /// The revision that a write expects: this one if the precondition names it, `nil` for any.
    func revision(expectedBy condition: IfMatch?) throws(ServiceError) -> Int? {
        switch Precondition(condition) {
        case .anything, .existing, .nothing: return nil
        case .versions(let versions):
            guard let version = User(self).version, versions.contains(version) else {
                throw .preconditionFailed(current: revision)
            }
            return revision
        }
    }
}
