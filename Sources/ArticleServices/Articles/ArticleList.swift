import ArticleAPI
import ArticleStore

/// A list of articles that a request asks for: the store's question, and the name that binds its
/// cursors.
struct ArticleList {
    let query: ArticleQuery
    /// Filters, order and audience; not the fields, the page's size, the count, or the
    /// moment.
    let name: String

    init(
        _ request: FetchArticlesRequest, caller: Principal, now: Timestamp, cursors: CursorSealer
    ) throws(ServiceError) {
        var list = request
        list.cursor = nil
        list.fields = nil
        list.limit = nil
        list.count = nil
        // Said or left out, the same order is the same list.
        list.sort = request.sort ?? .newestFirst
        name = "\(caller.isEditor ? "editors" : "everyone")?\(RequestPrinter.target(of: list))"

        var query = ArticleQuery(audience: caller.audience(at: now), now: now)
        query.tags = request.tags.map { Tag(named: $0).key }
        query.author = request.author
        query.language = request.language
        query.status = request.status
        query.source = request.source
        query.publishedAfter = request.publishedAfter
        query.publishedBefore = request.publishedBefore
        query.sort = request.sort ?? .newestFirst
        query.limit = request.limit ?? 20
        query.counts = request.count == .exact
        query.withBodies =
            request.fields?.contains("body") ?? false
            || BodyHTML.isAskedFor(by: request.fields)
        if let cursor = request.cursor { query.after = try cursors.open(cursor, in: name) }
        self.query = query
    }
}
