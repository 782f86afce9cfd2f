package import ArticleAPI
import ArticleSearch
package import ArticleServiceCore
import ArticleStore

/// The search of public articles: all callers find the same.
package struct SearchService: Sendable {
    package let articles: ArticleService
    let indexer: SearchIndexer

    package init(articles: ArticleService, indexer: SearchIndexer) {
        self.articles = articles
        self.indexer = indexer
    }

    package func list(
        _ request: SearchArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<SearchPage<Article>> {
        let list = RequestedSearch(request)
        let cursor: SearchCursor? =
            if let cursor = request.cursor {
                try articles.cursors.open(cursor, in: list.name)
            } else { nil }
        let page: SearchPage<Article>
        do {
            let run = SearchRun(list, articles: articles, indexer: indexer)
            page = try await run.page(after: cursor)
        } catch { throw ServiceError(error) }
        // Later pages are rarely read twice.
        let isCacheable = cursor == nil && !Article.countsComments(request.fields)
        return Reply(
            page, fields: request.fields, renderer: articles.renderer(of: request.fields),
            dependencies: isCacheable ? .search : nil)
    }
}

/// A requested search: the query and the filter, and the name to which its cursors are bound.
struct RequestedSearch: Sendable {
    let query: SearchQuery
    let filter: SearchFilter
    let limit: Int
    package let fields: FieldSelection?
    private let request: SearchArticlesRequest

    init(_ request: SearchArticlesRequest) {
        query = SearchQuery(request.query)
        limit = request.limit ?? 20
        fields = request.fields
        var filter = SearchFilter()
        filter.tags = request.tags.map { ArticleTag(named: $0).key }
        filter.author = request.author
        filter.language = request.language
        filter.source = request.source
        filter.publishedAfter = request.publishedAfter
        filter.publishedBefore = request.publishedBefore
        self.filter = filter
        self.request = request
    }

    /// Identifies the query and the filters, but not the fields and the page size.
    var name: String {
        var list = request
        list.cursor = nil
        list.fields = nil
        list.limit = nil
        return "search public?\(RequestPrinter.target(of: list))"
    }
}
