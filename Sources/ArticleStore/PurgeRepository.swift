public import ArticleAPI

/// Removes texts for good. Safe to use from any thread.
///
/// ```swift
/// let removed = try await store.purge(article.id, revisions: [], by: edit)
/// ```
public protocol PurgeRepository: Sendable {
    /// Removes revisions of an article, or the article with its whole history, its slugs, its
    /// comments, and the mark of its import. That deletes it, if it was not deleted before; its id
    /// is not used again. Revisions removed before are skipped.
    ///
    /// The files still have the text until ``StoreMaintenance/rewrite()``, and the index of the
    /// search while the article is one of ``SearchRepository/searchPurges()``.
    ///
    /// - Parameter revisions: Their numbers; empty for the whole article.
    /// - Throws: `.notFound` if there never was such an article or revision; `.conflict` if one of
    ///   the revisions is the last one.
    func purge(
        _ id: Article.ID, revisions: [Int], by edit: Edit
    ) async throws(StoreError) -> PurgeCounts

    /// Removes the index of the search with all its blocks: where no server can do less.
    func eraseSearch() async throws(StoreError)
}

/// The numbers of records removed by a purge. See ``PurgeRepository``.
public struct PurgeCounts: Sendable, Hashable {
    public var revisions: Int
    public var comments: Int

    public init(revisions: Int, comments: Int) {
        self.revisions = revisions
        self.comments = comments
    }
}
