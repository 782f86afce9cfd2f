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
/// One that is made of a library and a request also asks the backend, at first and by `refresh`;
/// in SwiftUI, `@Articles(tag: "baking")` is such a list for a view.
///
/// It follows the store while it exists, and keeps neither the store nor anything else alive. It is
/// used on the main actor.
@MainActor @Observable
public final class ObservedArticles {
    /// The articles in the order of the list, with their user's unsent writes.
    public private(set) var articles: [CachedArticle] = []
    /// True if the store has been read.
    public private(set) var isLoaded = false
    /// True while the backend is being asked.
    public private(set) var isFetching = false
    /// The error of the last fetch, beside the articles that the store has; `nil` if it has not
    /// failed.
    public private(set) var error: BackendError?
    @ObservationIgnored private var following: ObservationTask?
    @ObservationIgnored private var fetching: ObservationTask?
    @ObservationIgnored private let source:
        (backend: BackendService, request: FetchArticlesRequest)?

    /// - Parameters:
    ///   - store: the store of the articles.
    ///   - query: the query for the listed ones.
    ///   - order: the order, as in a backend's list.
    ///   - limit: the maximum number of articles.
    public init(
        in store: ModelStore, matching query: ArticleQuery = ArticleQuery(),
        order: ArticleSort = .newestFirst, limit: Int = 100
    ) {
        source = nil
        following = ObservationTask(store.articles(matching: query, order: order, limit: limit)) {
            [weak self] in self?.receive($0)
        }
    }

    /// The articles of the store that a request lists, which is sent to the backend at once. What
    /// the response has comes into the store, and so into the list.
    ///
    /// - Parameters:
    ///   - request: the filters and the order; its `limit` is the maximum number of articles, 100
    ///     if there is none. Its cursor and fields do not count for what the store has.
    ///   - library: the library of the user.
    public init(of request: FetchArticlesRequest, in library: OfflineLibrary) {
        source = (library.backend, request)
        let updates = library.store.articles(
            matching: ArticleQuery(request), order: request.sort ?? .newestFirst,
            limit: request.limit ?? 100)
        following = ObservationTask(updates) { [weak self] in self?.receive($0) }
        isFetching = true
        fetching = ObservationTask(request, from: library.backend) { [weak self] outcome in
            self?.received(outcome.map { _ in })
        }
    }

    /// Asks the backend again, as a user does who pulls; `error` says if it fails. A list that was
    /// made of a store asks nobody.
    public func refresh() async {
        guard let source else { return }
        isFetching = true
        received(await source.backend.outcome(of: source.request).map { _ in })
    }

    private func received(_ outcome: Result<Void, BackendError>) {
        isFetching = false
        switch outcome {
        case .success: error = nil
        // Nobody waits for it.
        case .failure(let error) where error.isStopped: break
        case .failure(let error): self.error = error
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
