public import ArticleAPI
public import ArticleAdminAPI

/// Finds, creates, edits and deletes articles.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let update = ArticleUpdate(.changes(Article.Changes(title: .set("Rye bread"))))
/// let edited = try await store.updateArticle(id, update, expecting: .existing, by: edit)
/// ```
public protocol ArticleRepository: Sendable {
    /// The article with its body; former slugs are also found. Throws `.notFound` for deleted and
    /// invisible articles.
    func edition(of key: Article.Key, visibleTo audience: Audience) async throws(StoreError)
        -> ArticleVersion

    /// Creates an article with revision 1. Throws `.idTaken`, `.slugTaken`, `.unknownAuthor`,
    /// `.authorDiffers`, `.unknownOwner` or `.ownerFixed`.
    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article

    /// Applies the update to the article in a new revision; equal content creates none. Throws
    /// `.invalid` if the update does not fit the article.
    func updateArticle(
        _ id: Article.ID, _ update: ArticleUpdate, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> Article

    /// Deletes an article, leaving a tombstone: a revision with the action `deleted`. The slug
    /// stays reserved.
    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError)

    // MARK: Rendered bodies

    /// The stored HTML of the articles' bodies at their revisions by this renderer, in the same
    /// order; `nil` if there is none.
    func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?]

    /// Stores the rendered body of an article at a revision. This is not a change of the article
    /// and has no number in the change sequence. Nothing is stored for a text that the article no
    /// longer has, or if it is deleted. Throws `.notFound` without that revision.
    func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError)
}

extension RevisionRepository {
    /// The history as editors see it.
    public func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) async throws(StoreError) -> Slice<Revision, Int> {
        try await revisions(of: id, below: number, limit: limit, visibleTo: .editors)
    }

    /// The article as it was at a revision, as editors see it.
    public func revision(_ number: Int, of id: Article.ID) async throws(StoreError) -> Article {
        try await revision(number, of: id, visibleTo: .editors)
    }
}

extension ArticleRepository {
    /// The article without its metadata.
    public func article(
        _ key: Article.Key, visibleTo audience: Audience
    ) async throws(StoreError) -> Article {
        try await edition(of: key, visibleTo: audience).article
    }
}

/// The history of articles, also of deleted ones.
///
/// Revisions are only added: none is changed or removed. Safe to use from any thread.
///
/// ```swift
/// let history = try await store.revisions(of: id, below: nil, limit: 20)
/// let first = try await store.revision(1, of: id)
/// ```
public protocol RevisionRepository: Sendable {
    /// The history, newest first: at most `limit` revisions with numbers below `number`. Actors
    /// have their current names.
    ///
    /// Editors see all histories, authors those of articles that they own, also deleted ones; of
    /// others, `.notOwner` is thrown for public and `.notFound` for hidden articles.
    func revisions(
        of id: Article.ID, below number: Int?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Revision, Int>

    /// The article as it was at a revision, for those who may see its history.
    func revision(
        _ number: Int, of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> Article

    /// One page of deleted articles, the last deleted one first: editors see all, authors those
    /// that they own, others none. A position is the time of a deletion and the article's id.
    func deletedArticles(
        after: ArticlePosition?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<DeletedArticle, ArticlePosition>

    /// Adds a revision with the content of an earlier one; a deleted article is undeleted. The
    /// owner stays as it is.
    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) -> Article
}

/// An article with the time of its last change, for `Last-Modified`.
///
/// ```swift
/// let edition = try await store.edition(of: .slug("bread"), visibleTo: .editors)
/// let isUnchanged = edition.changedAt <= time
/// ```
public struct ArticleVersion: Sendable, Hashable {
    public var article: Article
    /// The time at which it or one of its authors last changed.
    public var changedAt: Timestamp

    public init(article: Article, changedAt: Timestamp) {
        self.article = article
        self.changedAt = changedAt
    }
}
