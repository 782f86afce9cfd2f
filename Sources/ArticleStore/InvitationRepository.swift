public import ArticleAPI

/// Stores invitations to become a user, each of which can be used once: digests of their codes,
/// never the codes themselves.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let invitation = InvitationRecord(
///     id: "i7", digest: digest, role: "author", createdBy: "k7", createdAt: time,
///     expiresAt: time.advanced(byMilliseconds: 86_400_000))
/// try await store.createInvitation(invitation)
/// let found = try await store.invitation(withDigest: digest)
/// try await store.createUser(user, using: found.id, at: time)
/// ```
public protocol InvitationRepository: Sendable {
    /// Adds an invitation, and removes unused ones that have expired. Throws
    /// `.tooMany` if there are 1,000 unused ones, `.idTaken` if its id or digest is in use.
    func createInvitation(_ invitation: InvitationRecord) async throws(StoreError)

    /// Unused invitations and the last 1,000 that were used, oldest first.
    func invitations() async throws(StoreError) -> [InvitationRecord]

    /// The invitation with this digest, even if it has been used or has expired.
    func invitation(withDigest digest: [UInt8]) async throws(StoreError) -> InvitationRecord

    /// Removes an unused invitation. Throws `.notFound` if it does not exist, or was used.
    func revokeInvitation(_ id: String) async throws(StoreError)
}

/// An invitation as it is stored. See ``InvitationRepository``.
public struct InvitationRecord: Sendable, Hashable {
    /// The public part, by which it is revoked.
    public var id: String
    /// SHA-256 of the code, 32 bytes.
    public var digest: [UInt8]
    /// The role that it gives: `admin`, `editor`, `author` or `reader`.
    public var role: String
    /// The id of the principal that created it, as text.
    public var createdBy: String
    public var createdAt: Timestamp
    public var expiresAt: Timestamp
    /// The time of its use; `nil` if it was not used.
    public var usedAt: Timestamp?
    /// The user that it was used for; `nil` once that user is deleted.
    public var usedBy: UserRecord.ID?

    /// A new invitation.
    public init(
        id: String, digest: [UInt8], role: String, createdBy: String, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.digest = digest
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        usedAt = nil
        usedBy = nil
    }
}
