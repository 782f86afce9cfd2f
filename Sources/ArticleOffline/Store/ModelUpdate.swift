public import ArticleAPI

/// An update of one model from a response: some of its attributes, or its removal.
///
/// ```swift
/// let facts = ModelFacts(article, knowing: .inArticles, seenAt: time)
/// try await store.merge([.article(facts), .articleRemoved(deleted, .gone(revision: 4))])
/// ```
public enum ModelUpdate: Sendable, Hashable {
    case article(ModelFacts<Article>)
    case author(ModelFacts<Author>)
    case comment(ModelFacts<ArticleComment>)
    case articleRemoved(Article.ID, RemovalReason)
    case authorRemoved(Author.ID, RemovalReason)
    case commentRemoved(ArticleComment.ID, RemovalReason)

    /// The reason why a model is no longer shown.
    public enum RemovalReason: Sendable, Hashable {
        /// As of this revision, the backend does not have it, or does not show it to the account.
        case gone(revision: Int)
        /// As of this revision, it does not match a filter, or is gone; which one is not known.
        case unmatched(revision: Int)
        /// A request that was sent at this time did not find it.
        case notFound(seenAt: Timestamp)
        /// A request that was sent at this time has deleted it, at this revision or, if that is
        /// `nil`, at an unknown one.
        case deleted(from: Int?, seenAt: Timestamp)
    }
}

extension AttributeSet<ArticleComment> {
    /// The attributes of comments, unless `fields` selects others.
    static var inLists: Self { all.subtracting(["bodyHTML"]) }
}

extension AttributeSet<Article> {
    /// The attributes of articles in lists and changes, unless `fields` selects others.
    public static var inLists: Self { all.subtracting(["body", "bodyHTML", "commentCount"]) }

    /// The attributes of responses with one article, unless `fields` selects others.
    public static var inArticles: Self { all.subtracting(["bodyHTML", "commentCount"]) }
}

extension SyncChange<Article> {
    /// Returns the update of a change; `nil` for one that concerns no model which is kept.
    ///
    /// - Parameters:
    ///   - known: the attributes of articles that were requested.
    ///   - isFiltered: true if articles that do not match a filter are missing.
    ///   - time: the time at which the page was requested.
    func updates(
        knowing known: AttributeSet<Article>, isFiltered: Bool, seenAt time: Timestamp
    ) -> ModelUpdate? {
        switch self {
        case .putArticle(let article, _):
            .article(ModelFacts(article, knowing: known, seenAt: time))
        case .deleteArticle(let id, let revision):
            .articleRemoved(
                id, isFiltered ? .unmatched(revision: revision) : .gone(revision: revision))
        case .putAuthor(let author): .author(ModelFacts(author, knowing: .all, seenAt: time))
        case .deleteAuthor(let id, let revision): .authorRemoved(id, .gone(revision: revision))
        case .putComment(let comment):
            .comment(ModelFacts(comment, knowing: .inLists, seenAt: time))
        case .deleteComment(let id, let revision): .commentRemoved(id, .gone(revision: revision))
        case .putBookmark, .deleteBookmark, .unknown: nil
        }
    }
}
