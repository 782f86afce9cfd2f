public import ArticleAPI

extension SearchArticlesRequest: CacheableRequest {
    public func updates(in item: SearchPage<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = AttributeSet<Article>(requested: fields) ?? .inLists
        let response = ModelUpdate.response(
            to: self, type: Article.storedForm.name, ids: item.items.map(\.id.storedBytes),
            rest: item.json([.id]), seenAt: time)
        return item.items.map { .facts(ModelFacts($0.article, knowing: known, seenAt: time)) }
            + response
    }

    /// Returns the articles found in the store, and then those that the backend found last, for
    /// example in bodies that the store does not have. There are no more pages; `nil` if nothing is
    /// found, or if not all attributes are known. Later pages follow positions in the backend's
    /// list, which the store does not know.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<SearchPage<Article>>? {
        guard cursor == nil else { return nil }
        let limit = limit ?? Self.defaultLimit
        let found = try await store.search(query, matching: ArticleQuery(self), limit: limit)
        let (others, correctedTo) = try await formerHits(in: store)
        let ids = Set(found.items.map(\.id))
        let hits = (found.items + others.filter { !ids.contains($0.id) }).prefix(limit)
        let wanted = AttributeSet<Article>(requested: fields) ?? .inLists
        guard let oldest = hits.map(\.article.seenAt).min(),
            hits.allSatisfy({ $0.article.known.isSuperset(of: wanted) })
        else { return nil }
        let items = hits.map { hit in
            SearchHit(
                article: hit.article.article(showing: wanted), title: hit.title,
                excerpt: hit.excerpt)
        }
        return CachedItem(
            SearchPage(
                items: items, correctedTo: ids.isEmpty ? correctedTo : found.correctedTo),
            seenAt: oldest)
    }

    /// The hits of the backend's last response, as far as they are known and still match.
    private func formerHits(
        in store: ModelStore
    ) async throws(OfflineError) -> (hits: [SearchHit<CachedArticle>], correctedTo: String?) {
        let response = try await store.response(to: self, named: Article.storedForm.name)
        guard let response, let page = try? SearchPage<PartialArticle>(mapping: response.rest)
        else { return ([], nil) }
        let query = ArticleQuery(self)
        var hits: [SearchHit<CachedArticle>] = []
        for hit in page.items {
            guard let known = try await store.loadArticle(hit.id), query.matches(known.article)
            else { continue }
            hits.append(SearchHit(article: known, title: hit.title, excerpt: hit.excerpt))
        }
        return (hits, page.correctedTo)
    }

    private static var defaultLimit: Int { 20 }
}

extension SearchArticlesRequest: PartiallyCachedRequest {
    public func updates(inPart item: SearchPage<PartialArticle>, seenAt time: Timestamp)
        -> [ModelUpdate]
    {
        guard let fields else { return [] }
        return item.items.map { .facts(ModelFacts($0.article, fields, seenAt: time)) }
    }

    public func part(of item: SearchPage<Article>) -> SearchPage<PartialArticle>? {
        try? SearchPage<PartialArticle>(mapping: item.json(fields))
    }
}
