public import ArticleAPI
import ArticleModels

extension FetchArticlesRequest: RememberedRequest {
    public func news(in item: Page<Article>, seenAt time: Timestamp) -> [ModelNews] {
        let known = AttributeSet<Article>(requested: fields) ?? .inLists
        return item.items.map { .article(ModelFacts($0, knowing: known, seenAt: time)) }
    }

    /// The first page, as far as the store has it; `nil` if it has nothing of it, or not all
    /// attributes. Later pages follow positions in the backend's list, which the store does not
    /// know.
    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Page<Article>>? {
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
        return RememberedItem(page, seenAt: found.map(\.seenAt).min() ?? store.time())
    }

    private static var defaultLimit: Int { 20 }
}

extension FetchArticleRequest: RememberedRequest {
    public var usesCachedResponses: Bool { false }

    public func news(in item: Article, seenAt time: Timestamp) -> [ModelNews] {
        let known = AttributeSet<Article>(requested: fields) ?? .inArticles
        return [.article(ModelFacts(item, knowing: known, seenAt: time))]
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        switch key {
        case .id(let id): [.articleEnded(id, .notFound(seenAt: time))]
        case .slug(let slug):
            try await store.loadArticle(slug: slug).map {
                [.articleEnded($0.id, .notFound(seenAt: time))]
            } ?? []
        }
    }

    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Article>? {
        let wanted = AttributeSet<Article>(requested: fields) ?? .inArticles
        let found =
            switch key {
            case .id(let id): try await store.loadArticle(id)
            case .slug(let slug): try await store.loadArticle(slug: slug)
            }
        guard let found, found.known.isSuperset(of: wanted) else { return nil }
        return RememberedItem(found.article(showing: wanted), seenAt: found.seenAt)
    }
}

extension AttributeSet where Model == Article {
    /// The attributes that a selection names, as a whole or in part; `nil` without a selection.
    init?(requested fields: FieldSelection?) {
        guard let fields else { return nil }
        self.init(fields.names.map { name in String(name.prefix { $0 != "." }) } + ["id"])
    }
}

extension RememberedArticle {
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

extension PartialRequest: RememberedRequest where Whole: RememberedInPart {
    public var usesCachedResponses: Bool { whole.usesCachedResponses }

    public func news(in item: Whole.Partial, seenAt time: Timestamp) -> [ModelNews] {
        whole.news(inPart: item, seenAt: time)
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        try await whole.newsOfAbsence(in: store, seenAt: time)
    }

    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Whole.Partial>? {
        guard let found = try await whole.remembered(in: store),
            let part = whole.part(of: found.item)
        else { return nil }
        return RememberedItem(part, seenAt: found.seenAt)
    }
}

/// A request whose responses a store also remembers if they have some attributes only. See
/// ``RememberedRequest``.
public protocol RememberedInPart: SparseRequest, RememberedRequest {
    /// Returns the updates of a response with the selected attributes.
    func news(inPart item: Partial, seenAt time: Timestamp) -> [ModelNews]

    /// The selected attributes of an item.
    func part(of item: Item) -> Partial?
}

extension FetchArticlesRequest: RememberedInPart {
    public func news(inPart item: Page<PartialArticle>, seenAt time: Timestamp) -> [ModelNews] {
        guard let fields else { return [] }
        return item.items.map { .article(ModelFacts($0, fields, seenAt: time)) }
    }

    public func part(of item: Page<Article>) -> Page<PartialArticle>? {
        try? Page<PartialArticle>(mapping: item.json(fields))
    }
}

extension FetchArticleRequest: RememberedInPart {
    public func news(inPart item: PartialArticle, seenAt time: Timestamp) -> [ModelNews] {
        guard let fields else { return [] }
        return [.article(ModelFacts(item, fields, seenAt: time))]
    }

    public func part(of item: Article) -> PartialArticle? {
        try? PartialArticle(mapping: item.json(fields))
    }
}

// MARK: - Writes

extension Article {
    /// Returns the updates of the article that a write made, from its response.
    fileprivate func news(seenAt time: Timestamp) -> [ModelNews] {
        [.article(ModelFacts(self, knowing: .inArticles, seenAt: time))]
    }
}

extension CreateArticleRequest: RememberedRequest {
    public func news(in item: Article, seenAt time: Timestamp) -> [ModelNews] {
        item.news(seenAt: time)
    }
}

extension ReplaceArticleRequest: RememberedRequest {
    public func news(in item: Article, seenAt time: Timestamp) -> [ModelNews] {
        item.news(seenAt: time)
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.articleEnded(id, .notFound(seenAt: time))]
    }
}

extension UpdateArticleRequest: RememberedRequest {
    public func news(in item: Article, seenAt time: Timestamp) -> [ModelNews] {
        item.news(seenAt: time)
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.articleEnded(id, .notFound(seenAt: time))]
    }
}

extension RestoreRevisionRequest: RememberedRequest {
    public func news(in item: Article, seenAt time: Timestamp) -> [ModelNews] {
        item.news(seenAt: time)
    }
}

extension DeleteArticleRequest: RememberedRequest {
    public func news(in item: NoContent, seenAt time: Timestamp) -> [ModelNews] {
        [.articleEnded(id, .deleted(from: expected?.revision, seenAt: time))]
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.articleEnded(id, .notFound(seenAt: time))]
    }
}
