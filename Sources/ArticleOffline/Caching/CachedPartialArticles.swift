public import ArticleAPI

/// Articles of which some attributes are known, as in a list with `fields`.
extension ModelStore {
    /// Returns what is known of an article; `nil` if that is nothing, or it was deleted.
    public func loadPartialArticle(
        _ id: Article.ID
    ) throws(OfflineError) -> CachedArticle.Partial? {
        try reading { () throws(OfflineError) in try engine.partialArticle(id) }
    }

    /// Returns the articles of the last response to the request, in its order, each with everything
    /// that is known of it. Without a response, these are the whole articles that match, as
    /// ``loadArticles(matching:order:limit:)`` returns them.
    ///
    /// ```swift
    /// let rows = try await store.loadPartialArticles(of: feed).compactMap(\.article.title)
    /// ```
    public func loadPartialArticles(
        of request: PartialRequest<FetchArticlesRequest>
    ) throws(OfflineError) -> [CachedArticle.Partial] {
        if let (_, articles) = try partialArticles(inResponseTo: request.whole) { return articles }
        let whole = request.whole
        return try loadArticles(
            matching: ArticleQuery(whole), order: whole.sort ?? .newestFirst,
            limit: whole.limit ?? FetchArticlesRequest.defaultLimit
        ).compactMap { CachedArticle.Partial($0) }
    }

    /// The known part of an article, and then again after each change.
    public nonisolated func partialArticle(
        _ id: Article.ID
    ) -> StoreUpdates<CachedArticle.Partial?> {
        updates(of: .model(Article.self, id)) { (store) throws(OfflineError) in
            try await store.loadPartialArticle(id)
        }
    }

    /// The articles of a list, and then again after each change. An article keeps its place when
    /// more of it becomes known.
    public nonisolated func partialArticles(
        of request: PartialRequest<FetchArticlesRequest>
    ) -> StoreUpdates<[CachedArticle.Partial]> {
        updates(of: .models(Article.self)) { (store) throws(OfflineError) in
            try await store.loadPartialArticles(of: request)
        }
    }

    /// The last response to a request for some attributes, and its articles that are not deleted;
    /// `nil` if there is none.
    func partialArticles(
        inResponseTo request: FetchArticlesRequest
    ) throws(OfflineError) -> (page: Page<PartialArticle>, articles: [CachedArticle.Partial])? {
        guard let response = try response(to: request, named: Article.storedForm.name),
            let page = try? Page<PartialArticle>(mapping: response.rest)
        else { return nil }
        let articles = try reading { () throws(OfflineError) in
            var articles: [CachedArticle.Partial] = []
            for bytes in response.ids {
                guard let id = Article.ID(storedBytes: bytes),
                    let article = try engine.partialArticle(id)
                else { continue }
                articles.append(article)
            }
            return articles
        }
        return (page, articles)
    }
}

extension Page<PartialArticle> {
    /// The update by which a store keeps the page as the response to a request.
    func kept<Model: StorableModel>(
        asResponseTo request: some BackendAPIRequest, of type: Model.Type, seenAt time: Timestamp
    ) -> [ModelUpdate] {
        var rest = self
        rest.items = []
        return ModelUpdate.response(
            to: request, type: Model.storedForm.name, ids: items.map(\.id.storedBytes),
            rest: rest.json(), seenAt: time)
    }
}
