public import ArticleAPI

extension FetchArticlesRequest: CacheableRequest {
    public func updates(in item: Page<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = AttributeSet<Article>(requested: fields) ?? .inLists
        return item.items.map { .facts(ModelFacts($0, knowing: known, seenAt: time)) }
    }

    /// The first page, as far as the store has it; `nil` if it has nothing of it, or not all
    /// attributes. Later pages follow positions in the backend's list, which the store does not
    /// know.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Page<Article>>? {
        guard cursor == nil else { return nil }
        let wanted = AttributeSet<Article>(requested: fields) ?? .inLists
        let found = try await store.loadArticles(
            matching: ArticleQuery(self), order: sort ?? .newestFirst,
            limit: limit ?? Self.defaultLimit)
        guard !found.isEmpty, found.allSatisfy({ $0.known.isSuperset(of: wanted) }) else {
            return nil
        }
        let count = count.map { _ in PageCount(value: found.count, isExact: false) }
        let page = Page(items: found.map { $0.article(showing: wanted) }, count: count)
        return CachedItem(page, seenAt: found.map(\.seenAt).min() ?? store.time())
    }

    static var defaultLimit: Int { 20 }
}

extension FetchArticleRequest: CacheableRequest {
    public var usesCachedResponses: Bool { false }

    public func updates(in item: Article, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = AttributeSet<Article>(requested: fields) ?? .inArticles
        return [.facts(ModelFacts(item, knowing: known, seenAt: time))]
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        switch key {
        case .id(let id): [.removed(Article.self, id, .notFound(seenAt: time))]
        case .slug(let slug):
            try await store.loadArticle(slug: slug).map {
                [.removed(Article.self, $0.id, .notFound(seenAt: time))]
            } ?? []
        }
    }

    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Article>? {
        let wanted = AttributeSet<Article>(requested: fields) ?? .inArticles
        let found =
            switch key {
            case .id(let id): try await store.loadArticle(id)
            case .slug(let slug): try await store.loadArticle(slug: slug)
            }
        guard let found, found.known.isSuperset(of: wanted) else { return nil }
        return CachedItem(found.article(showing: wanted), seenAt: found.seenAt)
    }
}

extension AttributeSet where Model == Article {
    /// The attributes that a selection names, as a whole or in part; `nil` without a selection.
    init?(requested fields: FieldSelection?) {
        guard let fields else { return nil }
        self.init(named: fields.names.map { name in String(name.prefix { $0 != "." }) } + ["id"])
    }
}

extension CachedArticle {
    /// The article as a response would show it: attributes that cost the backend more than others
    /// only if they were requested.
    func article(showing wanted: AttributeSet<Article>) -> Article {
        var shown = article
        if !wanted.contains("body") { shown.body = nil }
        if !wanted.contains("bodyHTML") { shown.bodyHTML = nil }
        if !wanted.contains("commentCount") { shown.commentCount = nil }
        return shown
    }
}

// MARK: - Some attributes

extension PartialRequest: CacheableRequest where Whole: PartiallyCachedRequest {
    public var usesCachedResponses: Bool { whole.usesCachedResponses }

    public func updates(in item: Whole.Partial, seenAt time: Timestamp) -> [ModelUpdate] {
        whole.updates(inPart: item, seenAt: time)
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        try await whole.updatesForMissing(in: store, seenAt: time)
    }

    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Whole.Partial>? {
        try await whole.cachedPart(in: store)
    }
}

/// A request whose responses a store also remembers if they have some attributes only. See
/// ``CacheableRequest``.
public protocol PartiallyCachedRequest: SparseRequest, CacheableRequest {
    /// Returns the updates of a response with the selected attributes.
    func updates(inPart item: Partial, seenAt time: Timestamp) -> [ModelUpdate]

    /// The selected attributes of an item.
    func part(of item: Item) -> Partial?

    /// The selected attributes as they are known; `nil` if one of them is unknown.
    func cachedPart(in store: ModelStore) async throws(OfflineError) -> CachedItem<Partial>?
}

extension PartiallyCachedRequest {
    /// Those of the item as it is known.
    public func cachedPart(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Partial>? {
        guard let found = try await cached(in: store), let part = part(of: found.item) else {
            return nil
        }
        return CachedItem(part, seenAt: found.seenAt)
    }
}

extension FetchArticlesRequest: PartiallyCachedRequest {
    public func updates(inPart item: Page<PartialArticle>, seenAt time: Timestamp) -> [ModelUpdate]
    {
        guard let fields else { return [] }
        return item.items.map { .facts(ModelFacts($0, fields, seenAt: time)) }
            + item.kept(asResponseTo: self, of: Article.self, seenAt: time)
    }

    public func part(of item: Page<Article>) -> Page<PartialArticle>? {
        try? Page<PartialArticle>(mapping: item.json(fields))
    }

    /// The articles of the last response in their order, or the first page as far as the store has
    /// whole articles.
    public func cachedPart(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Page<PartialArticle>>? {
        guard let (page, articles) = try await store.partialArticles(inResponseTo: self) else {
            return try await cached(in: store).flatMap { found in
                part(of: found.item).map { CachedItem($0, seenAt: found.seenAt) }
            }
        }
        let wanted = AttributeSet<Article>(requested: fields) ?? .inLists
        guard articles.allSatisfy({ $0.known.isSuperset(of: wanted) }),
            let oldest = articles.map(\.seenAt).min()
        else { return nil }
        var shown = page
        shown.items = articles.compactMap { $0.article.selecting(fields) }
        return CachedItem(shown, seenAt: oldest)
    }
}

extension FetchArticleRequest: PartiallyCachedRequest {
    public func updates(inPart item: PartialArticle, seenAt time: Timestamp) -> [ModelUpdate] {
        guard let fields else { return [] }
        return [.facts(ModelFacts(item, fields, seenAt: time))]
    }

    public func part(of item: Article) -> PartialArticle? {
        try? PartialArticle(mapping: item.json(fields))
    }

    public func cachedPart(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<PartialArticle>? {
        guard case .id(let id) = key else {
            return try await cached(in: store).flatMap { found in
                part(of: found.item).map { CachedItem($0, seenAt: found.seenAt) }
            }
        }
        let wanted = AttributeSet<Article>(requested: fields) ?? .inArticles
        guard let found = try await store.loadPartialArticle(id),
            found.known.isSuperset(of: wanted), let part = found.article.selecting(fields)
        else { return nil }
        return CachedItem(part, seenAt: found.seenAt)
    }
}

extension PartialArticle {
    /// The article with the selected attributes only.
    fileprivate func selecting(_ fields: FieldSelection?) -> PartialArticle? {
        fields == nil ? self : try? PartialArticle(mapping: json(fields))
    }
}

// MARK: - Writes

extension Article {
    /// Returns the updates of the article that a write made, from its response.
    fileprivate func updates(seenAt time: Timestamp) -> [ModelUpdate] {
        [.facts(ModelFacts(self, knowing: .inArticles, seenAt: time))]
    }
}

extension CreateArticleRequest: CacheableRequest {
    public func updates(in item: Article, seenAt time: Timestamp) -> [ModelUpdate] {
        item.updates(seenAt: time)
    }
}

extension ReplaceArticleRequest: CacheableRequest {
    public func updates(in item: Article, seenAt time: Timestamp) -> [ModelUpdate] {
        item.updates(seenAt: time)
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(Article.self, id, .notFound(seenAt: time))]
    }
}

extension UpdateArticleRequest: CacheableRequest {
    public func updates(in item: Article, seenAt time: Timestamp) -> [ModelUpdate] {
        item.updates(seenAt: time)
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(Article.self, id, .notFound(seenAt: time))]
    }
}

extension RestoreRevisionRequest: CacheableRequest {
    public func updates(in item: Article, seenAt time: Timestamp) -> [ModelUpdate] {
        item.updates(seenAt: time)
    }
}

extension DeleteArticleRequest: CacheableRequest {
    public func updates(in item: NoContent, seenAt time: Timestamp) -> [ModelUpdate] {
        [.removed(Article.self, id, .deleted(from: expected?.revision, seenAt: time))]
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(Article.self, id, .notFound(seenAt: time))]
    }
}
