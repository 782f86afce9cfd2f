public import ArticleAPI
public import ArticleModels

/// What a response says of one model: some of its attributes, or that it is not there.
///
/// ```swift
/// let facts = ModelFacts(article, knowing: .inArticles, seenAt: time)
/// try await store.merge([.article(facts), .articleEnded(deleted, .gone(revision: 4))])
/// ```
public enum ModelNews: Sendable, Hashable {
    case article(ModelFacts<Article>)
    case author(ModelFacts<Author>)
    case comment(ModelFacts<Comment>)
    case articleEnded(Article.ID, Ending)
    case authorEnded(Author.ID, Ending)
    case commentEnded(Comment.ID, Ending)

    /// Why a model is no longer shown.
    public enum Ending: Sendable, Hashable {
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

extension AttributeSet<Comment> {
    /// What comments contain, unless `fields` selects other attributes.
    static var inLists: Self { all.subtracting(["bodyHTML"]) }
}

extension AttributeSet<Article> {
    /// What articles in lists and changes contain, unless `fields` selects other attributes.
    public static var inLists: Self { all.subtracting(["body", "bodyHTML", "commentCount"]) }

    /// What responses with one article contain, unless `fields` selects other attributes.
    public static var inArticles: Self { all.subtracting(["bodyHTML", "commentCount"]) }
}

extension SyncChange<Article> {
    /// What a change says; `nil` for one that concerns no model which is kept.
    ///
    /// - Parameters:
    ///   - known: the attributes of articles that were requested.
    ///   - isFiltered: whether articles that do not match a filter are missing.
    ///   - time: when the page was requested.
    func news(
        knowing known: AttributeSet<Article>, isFiltered: Bool, seenAt time: Timestamp
    ) -> ModelNews? {
        switch self {
        case .putArticle(let article, _):
            .article(ModelFacts(article, knowing: known, seenAt: time))
        case .deleteArticle(let id, let revision):
            .articleEnded(
                id, isFiltered ? .unmatched(revision: revision) : .gone(revision: revision))
        case .putAuthor(let author): .author(ModelFacts(author, knowing: .all, seenAt: time))
        case .deleteAuthor(let id, let revision): .authorEnded(id, .gone(revision: revision))
        case .putComment(let comment):
            .comment(ModelFacts(comment, knowing: .inLists, seenAt: time))
        case .deleteComment(let id, let revision): .commentEnded(id, .gone(revision: revision))
        case .putBookmark, .deleteBookmark, .unknown: nil
        }
    }
}
