public import ArticleAPI
public import ArticleClient
public import Observation

/// The articles of a store that match a query, for a view that lists them.
///
/// ```swift
/// let list = ObservedArticles(in: store, matching: ArticleQuery(tags: ["baking"]))
/// var titles: [String] { list.articles.map(\.article.title) }
/// ```
///
/// It follows the store while it exists, and keeps neither the store nor anything else alive. It is
/// used on the main actor.
@MainActor @Observable
public final class ObservedArticles {
    /// The articles in the order of the list, with their user's unsent writes.
    public private(set) var articles: [CachedArticle] = []
    /// True if the store has been read.
    public private(set) var isLoaded = false
    @ObservationIgnored private var following: ObservationTask?

    /// - Parameters:
    ///   - store: the store of the articles.
    ///   - query: the query for the listed ones.
    ///   - order: the order, as in a backend's list.
    ///   - limit: the maximum number of articles.
    public init(
        in store: ModelStore, matching query: ArticleQuery = ArticleQuery(),
        order: ArticleSort = .newestFirst, limit: Int = 100
    ) {
        following = ObservationTask(store.articles(matching: query, order: order, limit: limit)) {
            [weak self] in self?.receive($0)
        }
    }

    private func receive(_ articles: [CachedArticle]) {
        self.articles = articles
        if !isLoaded { isLoaded = true }
    }

    // MARK: Sections

    /// The list with a section for each day.
    ///
    /// - Parameter secondsFromGMT: the offset of the reader's time zone at a time, positive to the
    ///   east.
    public func byDay(
        secondsFromGMT: (Timestamp) -> Int
    ) -> Snapshot<ArticleSection, Article> {
        Snapshot(byDay: articles.lazy.map(\.article), secondsFromGMT: secondsFromGMT)
    }

    /// The list with a section for each tag.
    public var byTag: Snapshot<ArticleSection, ArticleEntry> {
        Snapshot(byTag: articles.lazy.map(\.article))
    }

    /// The list with a section for each author.
    public var byAuthor: Snapshot<ArticleSection, ArticleEntry> {
        Snapshot(byAuthor: articles.lazy.map(\.article))
    }
}
