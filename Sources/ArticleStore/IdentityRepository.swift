public import ArticleAPI

/// Stores who users are at providers of OpenID Connect, and which of the providers' tokens were
/// used.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let identity = IdentityRecord(
///     issuer: "https://appleid.apple.com", subject: "001.ab.0042")
/// try await store.useIdentityToken(digest, until: expiry, at: time)
/// try await store.createUser(user, using: nil, identity: identity, at: time)
/// let found = try await store.user(identifiedBy: identity)
/// ```
public protocol IdentityRepository: Sendable {
    /// The user with this identity.
    func user(identifiedBy identity: IdentityRecord) async throws(StoreError) -> UserRecord

    /// Adds a user with an identity. An invitation is used up in the same step.
    ///
    /// Throws `.identityTaken` if a user has the identity, or as `createUser` without one does.
    func createUser(
        _ user: UserRecord, using invitation: String?, identity: IdentityRecord,
        at time: Timestamp
    ) async throws(StoreError)

    /// Records the use of a token that expires at `expiry`, and removes the records of those that
    /// have expired by `time`.
    ///
    /// Throws `.tokenUsed` if the use of this digest is recorded or the token has expired,
    /// `.tooMany` if there are 100,000 records.
    func useIdentityToken(
        _ digest: [UInt8], until expiry: Timestamp, at time: Timestamp
    ) async throws(StoreError)
}

/// A user's identity at a provider. See ``IdentityRepository``.
public struct IdentityRecord: Sendable, Hashable {
    /// The provider's claim `iss`.
    public var issuer: String
    /// The provider's name for the user: its claim `sub`.
    public var subject: String

    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
