/// Stores people's accounts: users, their identities and sessions, and invitations to become one.
///
/// None of this is part of the change sequence or of exports: observers are not notified. Safe to
/// use from any thread.
///
/// ```swift
/// func signedIn(in store: some AccountRepository) async throws -> Int {
///     try await store.allSessions(after: nil, limit: 1_000).items.count
/// }
/// ```
public protocol AccountRepository: UserRepository, IdentityRepository, SessionRepository,
    InvitationRepository
{}
