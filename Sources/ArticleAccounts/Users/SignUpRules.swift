package import ArticleAPI
import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTPServer

/// Decides who may create an account.
package struct SignUpRules: Sendable {
    let store: any ArticleStore
    let policy: AccountConfiguration.SignUp
    let throttle: SignUpThrottle
    package let now: @Sendable () -> Timestamp

    package init(
        store: any ArticleStore, policy: AccountConfiguration.SignUp, throttle: SignUpThrottle,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.policy = policy
        self.throttle = throttle
        self.now = now
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
        guard let found, found.usedAt == nil, found.expiresAt > now() else {
            throw Self.badInvitation
        }
        return found
    }

    static let badInvitation = ServiceError.invalidValue(
        "/invitation", "is not a valid invitation, was used, or has expired")
}
