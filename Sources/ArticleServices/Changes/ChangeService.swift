import ArticleAPI
import ArticleStore

/// What has changed for a caller since a token was given out.
struct ChangeService: Sendable {
    let articles: ArticleService
    let tokens: ChangeTokens

    func list(
        _ request: FetchChangesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ChangePage<Article>> {
        let list = ChangeList(request, caller: caller)
        var query = list.query
        if let token = request.since, !query.startsNow {
            query.position = try await tokens.open(token, in: list.name) {
                try await position(of: list).epoch
            }
        }
        do {
            let slice = try await bounded(articles.store.changes(query), after: query, request)
            let page = ChangePage(
                changes: slice.items.map(\.change),
                next: tokens.seal(slice.position, in: list.name), more: !slice.isLast)
            return Reply(
                page, fields: request.fields, renderer: articles.renderer(of: request.fields),
                dependencies: .lists)
        } catch { throw ServiceError(error) }
    }

    /// The position of a client that has everything.
    private func position(of list: ChangeList) async throws(StoreError) -> ChangePosition {
        var query = list.query
        query.startsNow = true
        return try await articles.store.changes(query).position
    }

    /// The slice with the HTML of its articles, cut to the size limit for pages but to no less than
    /// one article.
    private func bounded(
        _ slice: ChangeSlice, after query: ChangeQuery, _ request: FetchChangesRequest
    ) async throws -> ChangeSlice {
        guard query.withBodies else { return slice }
        let all = slice.items.compactMap { item -> Article? in
            if case .putArticle(let article, _) = item.change { article } else { nil }
        }
        var kept = try await articles.bounded(all, request.fields)[...]
        var cut = slice
        cut.items = []
        for var item in slice.items {
            if case .putArticle(_, let revision) = item.change {
                guard let article = kept.popFirst() else { break }
                item.change = .putArticle(article, revision: revision)
            }
            cut.items.append(item)
        }
        if cut.items.count < slice.items.count, let last = cut.items.last {
            cut.position.sequence = last.sequence
            // A snapshot begins at the audience's last change, where a slice that is complete ends.
            cut.position.base = query.position?.base ?? slice.position.base
            cut.isLast = false
        }
        return cut
    }
}

/// The requested changes: the query for the store, and the name to which its tokens are bound.
private struct ChangeList {
    let query: ChangeQuery
    /// Identifies filters, types and audience, but not the fields and the page size.
    let name: String

    init(_ request: FetchChangesRequest, caller: Principal) {
        var list = request
        list.since = nil
        list.fields = nil
        list.limit = nil
        // All types are the same whether or not they are named.
        let kinds = request.types ?? Set(SyncKind.allCases)
        list.types = kinds
        name = "\(caller.audienceName)?\(RequestPrinter.target(of: list))"

        var query = ChangeQuery(audience: caller.audience)
        query.filter = ArticleFilter(request)
        query.kinds = kinds
        query.startsNow = request.since == FetchChangesRequest.now
        query.limit = request.limit ?? 100
        query.withBodies = BodyHTML.needsBody(request.fields)
        self.query = query
    }
}
