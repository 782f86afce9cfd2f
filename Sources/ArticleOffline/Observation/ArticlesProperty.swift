package import ArticleAPI

/// The list of a view's property, which is made when the view first has a library, and again when
/// the request or the library changes.
@MainActor package final class ArticlesProperty {
    package private(set) var list: ObservedArticles?
    private var request: FetchArticlesRequest?
    private weak var store: ModelStore?

    package nonisolated init() {}

    /// Shows the request's articles in the library; none without a library.
    package func show(_ request: FetchArticlesRequest, in library: OfflineLibrary?) {
        guard request != self.request || store == nil || library?.store !== store else { return }
        self.request = request
        store = library?.store
        list = library.map { ObservedArticles(of: request, in: $0) }
    }
}
