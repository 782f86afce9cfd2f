public import ArticleAPI
public import ArticleModels

/// What a response says of one model: some of its attributes, or that it is not there.
///
/// A value; use it anywhere.
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

    /// Why a model is not shown any more.
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

extension AttributeSet<Article> {
    /// What articles in lists and changes contain, unless `fields` selects other attributes.
    public static var inLists: Self { all.subtracting(["body", "bodyHTML", "commentCount"]) }

    /// What responses with one article contain, unless `fields` selects other attributes.
    public static var inArticles: Self { all.subtracting(["bodyHTML", "commentCount"]) }
}
