public import ArticleAPI
import BroadsheetHTTP

extension TagCondition {
    /// The revision in the one version that is expected, the 7 of `7-x1y2z3`; `nil` if there is
    /// another number of versions.
    var revision: Int? {
        guard case .tags(let tags) = self, tags.count == 1 else { return nil }
        return Int(tags[0].value.prefix { $0 != "-" })
    }
}

// MARK: - Changes

extension FetchChangesRequest: CacheableRequest {
    public func updates(in item: ChangePage<Article>, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = fields.map { AttributeSet<Article>($0) } ?? .inLists
        let isFiltered = !ArticleQuery(self).matchesEverything
        return item.changes.compactMap {
            $0.update(knowing: known, isFiltered: isFiltered, seenAt: time)
        }
    }
}

// MARK: - Authors

extension FetchAuthorsRequest: CacheableRequest {}

extension FetchAuthorRequest: ModelRequest {
    public var modelID: Author.ID { id }
}

extension ReplaceAuthorRequest: ModelRequest {
    public var modelID: Author.ID { id }
}

// MARK: - Comments

extension AttributeSet<ArticleComment> {
    fileprivate static func requested(_ fields: FieldSelection?) -> Self {
        fields.map { AttributeSet($0) } ?? .inLists
    }
}

extension [ArticleComment] {
    fileprivate func updates(_ fields: FieldSelection?, seenAt time: Timestamp) -> [ModelUpdate] {
        let known = AttributeSet<ArticleComment>.requested(fields)
        return map { .facts(ModelFacts($0, knowing: known, seenAt: time)) }
    }
}

extension FetchCommentsRequest: CacheableRequest {
    public func updates(in item: Page<ArticleComment>, seenAt time: Timestamp) -> [ModelUpdate] {
        item.items.updates(fields, seenAt: time)
    }

    /// The first page, as far as the store has it; `nil` if it has nothing of it.
    public func cached(
        in store: ModelStore
    ) async throws(OfflineError) -> CachedItem<Page<ArticleComment>>? {
        guard cursor == nil, fields == nil else { return nil }
        let found = try await store.loadComments(
            on: articleID, order: sort ?? .oldest, limit: limit ?? 20)
        guard let oldest = found.map(\.seenAt).min() else { return nil }
        return CachedItem(Page(items: found.map(\.comment)), seenAt: oldest)
    }
}

extension FetchAllCommentsRequest: CacheableRequest {
    public func updates(in item: Page<ArticleComment>, seenAt time: Timestamp) -> [ModelUpdate] {
        item.items.updates(fields, seenAt: time)
    }
}

extension FetchCommentRequest: CacheableRequest {
    public func updates(in item: ArticleComment, seenAt time: Timestamp) -> [ModelUpdate] {
        [item].updates(fields, seenAt: time)
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(ArticleComment.self, id, .notFound(seenAt: time))]
    }
}

extension CreateCommentRequest: CacheableRequest {
    public func updates(in item: ArticleComment, seenAt time: Timestamp) -> [ModelUpdate] {
        [item].updates(nil, seenAt: time)
    }
}

extension UpdateCommentRequest: CacheableRequest {
    public func updates(in item: ArticleComment, seenAt time: Timestamp) -> [ModelUpdate] {
        [item].updates(nil, seenAt: time)
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(ArticleComment.self, id, .notFound(seenAt: time))]
    }
}

extension DeleteCommentRequest: CacheableRequest {
    public func updates(in item: NoContent, seenAt time: Timestamp) -> [ModelUpdate] {
        [.removed(ArticleComment.self, id, .deleted(from: expected?.revision, seenAt: time))]
    }

    public func updatesForMissing(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(OfflineError) -> [ModelUpdate] {
        [.removed(ArticleComment.self, id, .notFound(seenAt: time))]
    }
}
