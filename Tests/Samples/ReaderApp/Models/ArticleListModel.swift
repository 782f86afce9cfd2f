import BroadsheetKit
import Observation

/// A list of articles. Pages of the backend fill the library; the rows are what the library has, so
/// that they are there without a network, with edits that were not sent yet.
@MainActor @Observable final class ArticleListModel {
    /// The rows that are shown: with these statuses, up to this number.
    struct Query: Hashable {
        var status: Article.Status
        var limit: Int
    }

    private static let pageLength = 20

    private(set) var query: Query
    private(set) var articles: [CachedArticle] = []
    /// True once the library was read.
    private(set) var isLoaded = false
    private let pages: PagedList<FetchArticlesRequest>
    private let library: LibraryModel

    init(_ library: LibraryModel, status: Article.Status = .published) {
        self.library = library
        query = Query(status: status, limit: Self.pageLength)
        pages = PagedList(
            library.offline.backend,
            FetchArticlesRequest(limit: Self.pageLength, status: status))
    }

    var isLoading: Bool { pages.isLoading }

    /// The reason why the last page did not come, to be shown beside the rows.
    var problem: ErrorText? { pages.error.flatMap { ErrorText(ifShown: $0) } }

    /// Follows the library; to be called again when `query` has changed.
    func follow() async {
        let updates = library.offline.store.articles(
            matching: ArticleQuery(status: query.status), limit: query.limit)
        for await articles in updates {
            self.articles = articles
            if !isLoaded { isLoaded = true }
        }
    }

    /// Loads the first page when the list appears first.
    func start() async { if pages.state.phase == .idle { await refresh() } }

    /// Loads the first page again, as when the user pulls the list.
    func refresh() async {
        library.offline.networkDidChange()
        await pages.refresh()
    }

    /// Tries again what has failed.
    func retry() async { await pages.more() }

    /// Shows more rows before the end of the list is reached.
    func didAppear(_ article: CachedArticle) async {
        guard articles.suffix(5).contains(where: { $0.id == article.id }) else { return }
        if articles.count == query.limit { query.limit += Self.pageLength }
        if pages.error == nil { await pages.more() }
    }

    func show(_ status: Article.Status) async {
        guard status != query.status else { return }
        query = Query(status: status, limit: Self.pageLength)
        articles = []
        await pages.show(FetchArticlesRequest(limit: Self.pageLength, status: status))
    }
}
