public import ArticleAPI
public import ArticleAdminAPI

/// The part of a store that exports the data kept about a user.
///
/// Writes are neither blocked by an export nor part of it. Safe to use from any thread; the closure
/// runs on a thread of the store, once for each record.
///
/// ```swift
/// let kept = Lock<[AccountRecord]>([])
/// try await store.exportAccount(user.id) { record in kept.withLock { $0.append(record) } }
/// ```
public protocol AccountExportSource: Sendable {
    /// Passes all that is kept about a user to `body` from one snapshot, in the order of the cases
    /// of `AccountRecord`. Stops if `body` throws (`.rejected`).
    ///
    /// Throws `.notFound` if the user does not exist, and `.busy` if too many exports wait.
    func exportAccount(
        _ id: User.ID, _ body: @escaping @Sendable (AccountRecord) throws -> Void
    ) async throws(StoreError)
}

/// One record of the data kept about a user. See ``AccountExportSource``.
public enum AccountRecord: Sendable, Hashable {
    /// The first one, once.
    case account(UserRecord)
    /// The one with which the account was created, if it is kept.
    case invitation(InvitationRecord)
    case identity(IdentityRecord)
    /// Most recently used first.
    case session(SessionRecord)
    /// A key that acts for the user; oldest first.
    case key(KeyRecord)
    case article(AccountExport.OwnedArticle)
    /// A comment, even one that the user does not see; oldest first.
    case comment(ArticleComment)
    /// A bookmark, even of an article that the user does not see; newest first.
    case bookmark(Bookmark)
}
