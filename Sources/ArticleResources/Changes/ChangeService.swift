package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore

/// The operations that list the changes for a caller since a token was given out.
package struct ChangeService: Sendable {
    package let articles: ArticleService
    let tokens: ChangeTokens

    package init(articles: ArticleService, tokens: ChangeTokens) {
        self.articles = articles
        self.tokens = tokens
    }

    package func list(
        _ request: FetchChangesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ChangePage<Article>> {
        let list = try ChangeList(request, caller: caller)
        let position = try await position(request.since, in: list)
        let slice = try await slice(of: list, after: position)
        let page = ChangePage(
            changes: slice.items.map(\.change), next: tokens.seal(slice.position, in: list.name),
            more: !slice.isLast)
        return Reply(
            page, fields: request.fields, renderer: articles.renderer(of: request.fields),
            dependencies: request.isPersonal ? nil : .lists)
    }

    /// The position of a client with this token; `nil` for the beginning, or for the present if the
    /// list starts there.
    package func position(
        _ token: String?, in list: ChangeList
    ) async throws(ServiceError) -> ChangePosition? {
        guard let token, token != FetchChangesRequest.now else { return nil }
        return try await tokens.open(token, in: list.name) { try await present(of: list).epoch }
    }

    /// The position of a client that has everything.
    func present(of list: ChangeList) async throws(ServiceError) -> ChangePosition {
        var query = list.query
        query.startsNow = true
        do { return try await articles.store.changes(query).position } catch {
            throw ServiceError(error)
        }
    }

    /// The page of changes that follows a position.
    func slice(
        of list: ChangeList, after position: ChangePosition?
    ) async throws(ServiceError) -> ChangeSlice {
        var query = list.query
        query.position = position
        if position != nil { query.startsNow = false }
        do {
            return try await bounded(articles.store.changes(query), after: query, list.fields)
        } catch { throw ServiceError(error) }
    }

    /// The slice with the HTML of its articles, cut to the size limit for pages but to no less than
    /// one article.
    private func bounded(
        _ slice: ChangeSlice, after query: ChangeQuery, _ fields: FieldSelection?
    ) async throws -> ChangeSlice {
        guard query.withBodies else { return slice }
        let all = slice.items.compactMap { item -> Article? in
            if case .putArticle(let article, _) = item.change { article } else { nil }
        }
        var kept = try await articles.bounded(all, fields)[...]
        var cut = slice
        cut.items = []
        for var item in slice.items {
            if case .putArticle(_, let revision) = item.change {
                guard let article = kept.popFirst() else { break }
                item.change = .putArticle(article, revision: revision)
            }
            cut.items.append(item)
        }
        if cut.items.count < slice.items.count, !cut.items.isEmpty {
            cut.position = slice.position(at: cut.items.count - 1, after: query.position)
            cut.isLast = false
        }
        return cut
    }
}

extension ChangeSlice {
    /// The position of a client that has the slice up to this change.
    ///
    /// - Parameters:
    ///   - index: that of the change in `items`.
    ///   - start: the position from which the slice was read.
    package func position(at index: Int, after start: ChangePosition?) -> ChangePosition {
        // A snapshot begins at the audience's last change, where a slice that is complete ends.
        ChangePosition(
            epoch: position.epoch, sequence: items[index].sequence,
            base: start?.base ?? position.base, seen: position.seen, mark: position.mark)
    }
}

/// The requested changes: the query for the store, and the name to which its tokens are bound.
package struct ChangeList: Sendable {
    var query: ChangeQuery
    /// Identifies filters, types and audience, but not the fields and the page size.
    let name: String
    /// The requested attributes of articles.
    package let fields: FieldSelection?
    /// The cost of a page.
    let cost: RequestCost

    /// - Throws: if the request's types need another parameter or another caller.
    init(
        _ request: FetchChangesRequest, caller: Principal
    ) throws(ServiceError) {
        // All types are the same whether or not they are named.
        let kinds = request.types ?? SyncKind.content
        let user = try Self.user(of: kinds, caller)
        try Self.check(request.article, for: kinds)
        var list = request
        list.since = nil
        list.fields = nil
        list.limit = nil
        list.types = kinds
        // Readers' additions differ for each of them.
        let reader = request.isPersonal ? " \(user?.description ?? "")" : ""
        name = "\(caller.audienceName)\(reader)?\(RequestPrinter.target(of: list))"
        fields = request.fields
        cost = request.cost

        var query = ChangeQuery(audience: caller.audience)
        query.filter = ArticleFilter(request)
        query.kinds = kinds
        query.article = request.article
        query.user = user
        query.startsNow = request.since == FetchChangesRequest.now
        query.limit = request.limit ?? 100
        query.withBodies = BodyHTML.needsBody(request.fields)
        self.query = query
    }

    /// The user for whom the changes are; `nil` if they are the same for all users.
    private static func user(
        of kinds: Set<SyncKind>, _ caller: Principal
    ) throws(ServiceError) -> User.ID? {
        if kinds.contains(.bookmark) {
            guard caller.role != nil else { throw .unauthenticated(.missing) }
            return try caller.requireUser()
        }
        return kinds.contains(.comment) ? caller.user : nil
    }

    private static func check(
        _ article: Article.ID?, for kinds: Set<SyncKind>
    ) throws(ServiceError) {
        let isForComments = kinds.contains(.comment)
        if article == nil, isForComments {
            throw .badParameter("article", "is required for the type comment")
        }
        if article != nil, !isForComments {
            throw .badParameter("article", "is only for the type comment")
        }
    }
}

extension FetchChangesRequest: PersonalRequest {
    package var isPersonal: Bool { types.map { !$0.isSubset(of: SyncKind.content) } ?? false }
    package var requiresUser: Bool { types?.contains(.bookmark) ?? false }
}
