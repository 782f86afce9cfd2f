public import ArticleAPI

/// An article as a store knows it, with its user's writes that the backend has not received.
///
/// ```swift
/// for await cached in store.article(id) {
///     if let cached { show(cached) }
/// }
/// ```
public struct CachedArticle: Sendable, Hashable, Identifiable {
    /// With unsent writes, as it will be when they were sent. By-lines have the newest names.
    public let article: Article
    /// Its attributes that are known. One that is not is `nil` in the article.
    public let known: AttributeSet<Article>
    /// True if it stays in the store.
    public let isPinned: Bool
    /// The status of its unsent writes; `nil` if there are none.
    public let pending: OutboxEntry.Status?

    /// The time at which it was last seen.
    let seenAt: Timestamp

    public var id: Article.ID { article.id }

    package init(
        article: Article, known: AttributeSet<Article>, isPinned: Bool,
        pending: OutboxEntry.Status?, seenAt: Timestamp
    ) {
        self.article = article
        self.known = known
        self.isPinned = isPinned
        self.pending = pending
        self.seenAt = seenAt
    }

    /// Returns true if both are the same, regardless of the time at which they were last seen.
    public static func == (one: Self, other: Self) -> Bool {
        one.article == other.article && one.known == other.known
            && one.isPinned == other.isPinned && one.pending == other.pending
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(article) }

    /// An article of which some attributes are known, or all.
    public struct Partial: Sendable, Hashable, Identifiable {
        /// Every known attribute. By-lines have the newest names.
        public let article: PartialArticle
        /// The attributes that have a value or are known to have none.
        public let known: AttributeSet<Article>
        /// The article, if enough of it is known.
        public let whole: CachedArticle?

        /// The time at which it was last seen.
        let seenAt: Timestamp

        public var id: Article.ID { article.id }

        public static func == (one: Self, other: Self) -> Bool {
            one.article == other.article && one.known == other.known && one.whole == other.whole
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(article) }
    }
}

extension CachedArticle.Partial {
    /// `nil` for no article that a backend could send.
    init?(_ cached: CachedArticle) {
        guard let article = try? PartialArticle(mapping: cached.article.json()) else { return nil }
        self.init(
            article: article, known: cached.known, whole: cached, seenAt: cached.seenAt)
    }
}

/// A comment as a store knows it, or one that its user has written and that was not sent yet.
///
/// ```swift
/// for cached in try await store.loadComments(on: id) {
///     show(cached.comment, isSent: cached.pending == nil)
/// }
/// ```
public struct CachedComment: Sendable, Hashable, Identifiable {
    /// An unsent one has the status `pending`, no author, and the time at which it was written.
    public let comment: ArticleComment
    /// The status of an unsent comment; `nil` for one that the backend has.
    public let pending: OutboxEntry.Status?

    /// The time at which it was last seen.
    let seenAt: Timestamp

    public var id: ArticleComment.ID { comment.id }

    /// Returns true if both are the same, regardless of the time at which they were last seen.
    public static func == (one: Self, other: Self) -> Bool {
        one.comment == other.comment && one.pending == other.pending
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(comment) }
}
