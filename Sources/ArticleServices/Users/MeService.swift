import ArticleAPI
import ArticleStore
import HTTPServer

/// What users do with their own accounts.
struct MeService: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    let hasher: PasswordHasher
    let throttle: SignInThrottle
    let now: @Sendable () -> Timestamp

    /// How long after a sign-in an account without a password can get one.
    private static let firstPasswordMilliseconds: Int64 = 5 * 60 * 1_000

    func register(on routes: inout Routes) {
        routes.on(FetchMeRequest.self, fetch)
        routes.on(UpdateMeRequest.self, update)
        routes.on(DeleteMeRequest.self, delete)
        routes.on(ChangePasswordRequest.self, changePassword)
    }

    private func fetch(
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

    private func update(
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
                        current.id, expecting: expected, change, at: now())))
        } catch { throw ServiceError(error) }
    }

    private func delete(
        _ request: DeleteMeRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<NoContent> {
        let current = try await record(of: caller)
        let expected = try current.revision(expectedBy: request.expected)
        let deletion = AccountDeletion(store: store, access: access)
        try await deletion.delete(
            current.id, expecting: expected, request.comments ?? .keep, at: now())
        return Reply(NoContent())
    }

    // MARK: Password

    private func changePassword(
        _ request: ChangePasswordRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> Reply<NoContent> {
        let password = try Password(chosen: request.change.password)
        let user = try await record(of: caller)
        try await verify(request.change.current, of: user, caller, context)
        let hash = try await hasher.hash(password, for: context.clientNumber)
        let kept = caller.kind == .session ? caller.id : nil
        let changed = try await set(hash, of: user, keeping: kept)
        access.userChanged(changed, keeping: kept)
        return Reply(NoContent())
    }

    /// Checks the current password. A stolen token must not allow to guess it faster than signing
    /// in does.
    private func verify(
        _ current: String?, of user: UserRecord, _ caller: Principal, _ context: RequestContext
    ) async throws(ServiceError) {
        guard let current else { return try await checkRecentSignIn(of: user, caller) }
        let password = try Password(presented: current)
        let attempt = SignInAttempt(name: user.nameKey, address: context.limitedClient)
        try throttle.begin(attempt)
        let verification: PasswordHasher.Verification
        do throws(ServiceError) {
            verification = try await hasher.verify(
                password, against: user.passwordHash, for: context.clientNumber)
        } catch {
            throttle.withdraw(attempt)
            throw error
        }
        guard verification != .wrong else { throw .invalidValue("/current", "is wrong") }
        throttle.succeed(attempt)
    }

    /// An account that has no password may get one soon after its sign-in.
    private func checkRecentSignIn(
        of user: UserRecord, _ caller: Principal
    ) async throws(ServiceError) {
        guard user.passwordHash == nil, caller.kind == .session else {
            throw .invalidValue("/current", "is missing")
        }
        let session: SessionRecord
        do throws(StoreError) { session = try await store.session(caller.id) } catch {
            throw ServiceError(error)
        }
        let end = session.createdAt.advanced(byMilliseconds: Self.firstPasswordMilliseconds)
        guard now() <= end else {
            throw .invalidValue("/current", "is missing; without a password, sign in again first")
        }
    }

    /// Stores the hash, unless the password has been changed since it was verified.
    private func set(
        _ hash: String, of user: UserRecord, keeping kept: String?
    ) async throws(ServiceError) -> UserRecord {
        var user = user
        while true {
            do throws(StoreError) {
                return try await store.updateUser(
                    user.id, expecting: user.revision,
                    UserChange(passwordHash: hash, keptSession: kept), at: now())
            } catch {
                guard case .preconditionFailed = error else { throw ServiceError(error) }
            }
            // Something else may have been changed.
            let verified = user.passwordHash
            do throws(StoreError) { user = try await store.user(user.id) } catch {
                throw ServiceError(error)
            }
            guard user.passwordHash == verified else {
                throw .invalidValue("/current", "is wrong")
            }
        }
    }
}
