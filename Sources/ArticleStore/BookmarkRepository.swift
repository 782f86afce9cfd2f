public import ArticleAPI

/// Stores the bookmarks of users.
///
/// Bookmarks of articles that the user does not see are kept, but not listed. Each method is one
/// atomic step, and a write is durable when it returns. Safe to use from any thread.
///
/// ```swift
/// let (saved, isNew) = try await store.putBookmark(
///     of: article.id, for: user.id, position: 0.4, seeing: .everyone, at: time)
/// let page = try await store.bookmarks(
///     of: user.id, seeing: .everyone, after: nil, limit: 20)
/// try await store.deleteBookmark(of: article.id, for: user.id)
/// ```
public protocol BookmarkRepository: Sendable {
    /// One page of a user's bookmarks of articles that this audience sees, the newest first.
    func bookmarks(
        of user: User.ID, seeing audience: Audience, after position: BookmarkPosition?, limit: Int
    ) async throws(StoreError) -> Slice<Bookmark, BookmarkPosition>

    /// Adds a bookmark, or changes its position. If nothing differs, nothing is written.
    ///
    /// Throws `.notFound` if the user does not exist or does not see the article, and `.tooMany` if
    /// the user has 10,000 bookmarks.
    func putBookmark(
        of article: Article.ID, for user: User.ID, position: Double?, seeing audience: Audience,
        at time: Timestamp
    ) async throws(StoreError) -> (bookmark: Bookmark, isNew: Bool)

    /// Removes a bookmark, even if the user does not see the article. Throws `.notFound` if there
    /// is none.
    func deleteBookmark(
        of article: Article.ID, for user: User.ID
    ) async throws(StoreError)
}

/// A place in a list of bookmarks. See ``BookmarkRepository``.
public struct BookmarkPosition: Sendable, Hashable {
    public var createdAt: Timestamp
    public var article: Article.ID

    public init(createdAt: Timestamp, article: Article.ID) {
        self.createdAt = createdAt
        self.article = article
    }
}
