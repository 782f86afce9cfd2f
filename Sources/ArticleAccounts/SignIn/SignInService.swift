package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Finds out who signs in: by name and password, or by the ID token of a provider.
package struct SignInService: Sendable {
    let store: any ArticleStore
    let hasher: PasswordHasher
    let throttle: SignInThrottle
    /// `nil` if there are none.
    let providers: OpenIDProviders?
    let rules: SignUpRules
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, hasher: PasswordHasher, throttle: SignInThrottle,
        providers: OpenIDProviders?, rules: SignUpRules, system: SystemEnvironment
    ) {
        self.store = store
        self.hasher = hasher
        self.throttle = throttle
        self.providers = providers
        self.rules = rules
        self.system = system
    }

    package func user(
        with proof: SignInProof, _ context: RequestContext
    ) async throws(ServiceError) -> UserRecord {
        let user =
            switch proof {
            case .password(let name, let password):
                try await verified(name: name, password: password, context)
            case .identity(let identity): try await identified(by: identity, context)
            }
        guard !user.isDisabled else { throw .unauthenticated(.disabled) }
        return user
    }

    // MARK: Passwords

    /// The user with this name and password. Unknown names take the same time as wrong passwords.
    private func verified(
        name: String, password: String, _ context: RequestContext
    ) async throws(ServiceError) -> UserRecord {
        let password = try Password(presented: password)
        // A text that cannot be a name is nevertheless looked up.
        let key = (try? AccountName(name))?.key ?? " \(name)"
        let attempt = SignInAttempt(name: key, from: context)
        try throttle.begin(attempt)
        let (user, verification) = try await verify(password, of: key, attempt, context)
        guard let user, case .correct(let newHash) = verification else {
            throw .unauthenticated(.wrongPassword)
        }
        throttle.succeed(attempt)
        if let newHash, let oldHash = user.passwordHash {
            // The next sign-in tries again if this fails.
            _ = try? await store.rehash(user.id, from: oldHash, to: newHash)
        }
        return user
    }

    private func verify(
        _ password: Password, of key: String, _ attempt: SignInAttempt, _ context: RequestContext
    ) async throws(ServiceError) -> (UserRecord?, PasswordHasher.Verification) {
        do throws(ServiceError) {
            let user = try await ServiceError.ifFound { () throws(StoreError) in
                try await store.user(named: key)
            }
            let verification = try await hasher.verify(
                password, against: user?.passwordHash,
                for: .init(context, isKnown: throttle.isKnown(attempt)))
            return (user, verification)
        } catch {
            throttle.withdraw(attempt)
            throw error
        }
    }

    // MARK: Identities

    /// The user with this identity. A new identity gets an account where that is allowed.
    private func identified(
        by identity: ProvidedIdentity, _ context: RequestContext
    ) async throws(ServiceError) -> UserRecord {
        guard let providers else {
            throw .invalidValue("/provider", "is not the name of a provider")
        }
        let verified = try await providers.verify(
            provider: identity.provider, idToken: identity.idToken, nonce: identity.nonce)
        let record = IdentityRecord(issuer: verified.issuer, subject: verified.subject)
        if let user = try await user(identifiedBy: record) {
            try await use(verified)
            return user
        }
        let invitation = try await rules.admit(identity.invitation, context)
        try await use(verified)
        return try await create(record, invitation)
    }

    private func user(
        identifiedBy identity: IdentityRecord
    ) async throws(ServiceError) -> UserRecord? {
        try await ServiceError.ifFound { () throws(StoreError) in
            try await store.user(identifiedBy: identity)
        }
    }

    /// Uses up the token, which is accepted once.
    private func use(_ identity: VerifiedIdentity) async throws(ServiceError) {
        do throws(StoreError) {
            try await store.useIdentityToken(
                identity.tokenDigest, until: identity.acceptedUntil, at: system.now)
        } catch { throw ServiceError(error) }
    }

    private func create(
        _ identity: IdentityRecord, _ invitation: InvitationRecord?
    ) async throws(ServiceError) -> UserRecord {
        while true {
            let time = system.now
            let name = "user-\(ByteText.hexadecimal(system.randomBytes(4)))"
            let user = UserRecord(
                id: system.newID(at: time), name: name, nameKey: name, displayName: name,
                role: invitation?.role ?? Role.reader.rawValue, passwordHash: nil,
                createdAt: time)
            do throws(StoreError) {
                try await store.createUser(
                    user, using: invitation?.id, identity: identity, at: time)
                return user
            } catch {
                switch error {
                case .nameTaken: continue
                // Another sign-in with the identity was faster.
                case .identityTaken:
                    if let user = try await self.user(identifiedBy: identity) { return user }
                case .notFound: throw SignUpRules.badInvitation
                default: throw ServiceError(error)
                }
            }
        }
    }
}
