public import ArticleAPI

extension SearchArticlesRequest: CacheableRequest {
    public func updates(in item: SearchPage<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = AttributeSet<Article>(requested: fields) ?? .inLists
        return item.items.map { .article(ModelFacts($0.article, knowing: known, seenAt: time)) }
    }

    /// Returns the articles found in the store, which have no more pages; `nil` if there are none,
    /// or if not all attributes are known. Later pages follow positions in the backend's list,
    /// which the store does not know.
    public func cached(
        in store: ModelStore
    ) async throws(ModelStoreError) -> CachedItem<SearchPage<Article>>? {
        guard cursor == nil else { return nil }
        let wanted = AttributeSet<Article>(requested: fields) ?? .inLists
        let found = try await store.search(
            query, matching: ArticleQuery(self), limit: limit ?? Self.defaultLimit)
        guard let oldest = found.items.map(\.article.seenAt).min(),
            found.items.allSatisfy({ $0.article.known.isSuperset(of: wanted) })
        else { return nil }
        let items = found.items.map { hit in
            SearchHit(
                article: hit.article.article(showing: wanted), title: hit.title,
                excerpt: hit.excerpt)
        }
        return CachedItem(
            SearchPage(items: items, correctedTo: found.correctedTo), seenAt: oldest)
    }

    private static var defaultLimit: Int { 20 }
}

extension SearchArticlesRequest: PartiallyCachedRequest {
    public func updates(inPart item: SearchPage<PartialArticle>, seenAt time: Timestamp)
        -> [ModelUpdate]
    {
        guard let fields else { return [] }
        return item.items.map { .article(ModelFacts($0.article, fields, seenAt: time)) }
    }

    public func part(of item: SearchPage<Article>) -> SearchPage<PartialArticle>? {
        try? SearchPage<PartialArticle>(mapping: item.json(fields))
    }
}
