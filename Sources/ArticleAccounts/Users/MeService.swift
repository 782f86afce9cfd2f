package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// The operations of users on their own accounts.
package struct MeService: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    let hasher: PasswordHasher
    let throttle: SignInThrottle
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, access: Authenticator, hasher: PasswordHasher,
        throttle: SignInThrottle, system: SystemEnvironment
    ) {
        self.store = store
        self.access = access
        self.hasher = hasher
        self.throttle = throttle
        self.system = system
    }

    /// The time after a sign-in in which an account without a password can get one, or be deleted.
    private static let recentMilliseconds: Int64 = 5 * 60 * 1_000

    package func fetch(
        _ request: FetchMeRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<User> {
        Reply(User(try await record(of: caller)))
    }

    /// The account of the caller, which may have been deleted since it was authenticated.
    private func record(of caller: Principal) async throws(ServiceError) -> UserRecord {
        let user = try caller.requireUser()
        let record = try await ServiceError.ifFound { () throws(StoreError) in
            try await store.user(user)
        }
        guard let record else { throw .unauthenticated(.unknown) }
        return record
    }

    package func update(
        _ request: UpdateMeRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<User> {
        let current = try await record(of: caller)
        let expected = try current.revision(expectedBy: request.expected)
        let change = UserChange(
            displayName: UserChange.displayName(
                request.changes.displayName, name: current.name))
        do throws(StoreError) {
            return Reply(
                User(
                    try await store.updateUser(
                        current.id, expecting: expected, change, at: system.now)))
        } catch { throw ServiceError(error) }
    }

    package func delete(
        _ request: DeleteMeRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<NoContent> {
        let user = try await record(of: caller)
        let expected = try user.revision(expectedBy: request.expected)
        try await verify(request.current, of: user, caller, context)
        let deletion = AccountDeletion(store: store, access: access)
        try await write(to: user, expecting: expected) { (revision) throws(StoreError) in
            try await deletion.begin(
                user.id, expecting: revision, request.comments ?? .keep, at: system.now)
        }
        try await deletion.finish(user.id, at: system.now)
        return Reply(NoContent())
    }

    package func changePassword(
        _ request: ChangePasswordRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<NoContent> {
        let user = try await record(of: caller)
        let password = try Password(chosen: request.change.password, forName: user.nameKey)
        try await verify(request.change.current, of: user, caller, context)
        let hash = try await hasher.hash(password, for: .init(context))
        let changed = try await write(to: user) { (revision) throws(StoreError) in
            try await store.updateUser(
                user.id, expecting: revision,
                UserChange(passwordHash: hash, keptSession: caller.id), at: system.now)
        }
        access.userChanged(changed, keeping: caller.id)
        return Reply(NoContent())
    }

    // MARK: Verification

    /// Checks the current password. A stolen token must not allow to guess it faster than signing
    /// in does.
    private func verify(
        _ current: String?, of user: UserRecord, _ caller: Principal, _ context: RequestContext
    ) async throws(ServiceError) {
        guard let current else { return try await checkRecentSignIn(of: user, caller) }
        let password = try Password(presented: current)
        let attempt = SignInAttempt(name: user.nameKey, from: context)
        try throttle.begin(attempt)
        let verification: PasswordHasher.Verification
        do throws(ServiceError) {
            verification = try await hasher.verify(
                password, against: user.passwordHash,
                for: .init(context, isKnown: throttle.isKnown(attempt)))
        } catch {
            throttle.withdraw(attempt)
            throw error
        }
        guard verification != .wrong else { throw .invalidValue("/current", "is wrong") }
        throttle.succeed(attempt)
    }

    /// Requires a recent sign-in of an account without a password, in place of one.
    private func checkRecentSignIn(
        of user: UserRecord, _ caller: Principal
    ) async throws(ServiceError) {
        guard user.passwordHash == nil else {
            throw .invalidValue("/current", "is missing")
        }
        let session: SessionRecord
        do throws(StoreError) { session = try await store.session(caller.id) } catch {
            throw ServiceError(error)
        }
        let end = session.createdAt.advanced(byMilliseconds: Self.recentMilliseconds)
        guard system.now <= end else {
            throw .invalidValue("/current", "is missing; without a password, sign in again first")
        }
    }

    /// Writes to an account whose password was verified, unless it has been changed since then.
    ///
    /// - Parameters:
    ///   - verified: The account at that time.
    ///   - expected: The revision that the client expects; `nil` for any.
    ///   - write: Expects the revision that it is given.
    private func write<Result>(
        to verified: UserRecord, expecting expected: Int? = nil,
        _ write: (_ revision: Int) async throws(StoreError) -> Result
    ) async throws(ServiceError) -> Result {
        var user = verified
        while true {
            do throws(StoreError) { return try await write(user.revision) } catch {
                guard case .preconditionFailed = error, expected == nil else {
                    throw ServiceError(error)
                }
            }
            // Something else may have been changed.
            do throws(StoreError) { user = try await store.user(user.id) } catch {
                throw ServiceError(error)
            }
            guard user.passwordHash == verified.passwordHash else {
                throw .invalidValue("/current", "is wrong")
            }
        }
    }
}
