import ArticleAPI
import ArticleStore

/// A requested list of articles: the query for the store, and the name to which its cursors are
/// bound.
struct ArticleList {
    let query: ArticleQuery
    /// Identifies filters, order and audience, but not the fields, the page size, the count or the
    /// time.
    let name: String

    init(
        _ request: FetchArticlesRequest, caller: Principal, now: Timestamp, cursors: CursorSealer
    ) throws(ServiceError) {
        var list = request
        list.cursor = nil
        list.fields = nil
        list.limit = nil
        list.count = nil
        // The default order is the same list whether or not it is specified.
        list.sort = request.sort ?? .newestFirst
        name = "\(caller.seesHidden ? "editors" : "everyone")?\(RequestPrinter.target(of: list))"

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
