public import ArticleAPI
import ArticleModels
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

extension FetchChangesRequest: RememberedRequest {
    public func news(in item: ChangePage<Article>, seenAt time: Timestamp) -> [ModelNews] {
        let known = fields.map { AttributeSet<Article>($0) } ?? .inLists
        let isFiltered = !ArticleQuery(self).matchesEverything
        return item.changes.compactMap {
            $0.news(knowing: known, isFiltered: isFiltered, seenAt: time)
        }
    }
}

// MARK: - Authors

extension FetchAuthorsRequest: RememberedRequest {
    public func news(in item: Page<Author>, seenAt time: Timestamp) -> [ModelNews] {
        item.items.map { .author(ModelFacts($0, knowing: .all, seenAt: time)) }
    }
}

extension FetchAuthorRequest: RememberedRequest {
    public var usesCachedResponses: Bool { false }

    public func news(in item: Author, seenAt time: Timestamp) -> [ModelNews] {
        [.author(ModelFacts(item, knowing: .all, seenAt: time))]
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.authorEnded(id, .notFound(seenAt: time))]
    }

    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Author>? {
        guard let facts = try await store.facts(of: id), let author = facts.model() else {
            return nil
        }
        return RememberedItem(author, seenAt: facts.seenAt)
    }
}

extension ReplaceAuthorRequest: RememberedRequest {
    public func news(in item: Author, seenAt time: Timestamp) -> [ModelNews] {
        [.author(ModelFacts(item, knowing: .all, seenAt: time))]
    }
}

// MARK: - Comments

extension AttributeSet<Comment> {
    fileprivate static func requested(_ fields: FieldSelection?) -> Self {
        fields.map { AttributeSet($0) } ?? .inLists
    }
}

extension [Comment] {
    fileprivate func news(_ fields: FieldSelection?, seenAt time: Timestamp) -> [ModelNews] {
        let known = AttributeSet<Comment>.requested(fields)
        return map { .comment(ModelFacts($0, knowing: known, seenAt: time)) }
    }
}

extension FetchCommentsRequest: RememberedRequest {
    public func news(in item: Page<Comment>, seenAt time: Timestamp) -> [ModelNews] {
        item.items.news(fields, seenAt: time)
    }

    /// The first page, as far as the store has it; `nil` if it has nothing of it.
    public func remembered(
        in store: ModelStore
    ) async throws(ModelStoreError) -> RememberedItem<Page<Comment>>? {
        guard cursor == nil, fields == nil else { return nil }
        let found = try await store.commentFacts(
            on: articleID, order: sort ?? .oldest, limit: limit ?? 20)
        let comments = found.compactMap { $0.model() }
        guard let oldest = found.map(\.seenAt).min(), !comments.isEmpty else { return nil }
        return RememberedItem(Page(items: comments), seenAt: oldest)
    }
}

extension FetchAllCommentsRequest: RememberedRequest {
    public func news(in item: Page<Comment>, seenAt time: Timestamp) -> [ModelNews] {
        item.items.news(fields, seenAt: time)
    }
}

extension FetchCommentRequest: RememberedRequest {
    public func news(in item: Comment, seenAt time: Timestamp) -> [ModelNews] {
        [item].news(fields, seenAt: time)
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.commentEnded(id, .notFound(seenAt: time))]
    }
}

extension CreateCommentRequest: RememberedRequest {
    public func news(in item: Comment, seenAt time: Timestamp) -> [ModelNews] {
        [item].news(nil, seenAt: time)
    }
}

extension UpdateCommentRequest: RememberedRequest {
    public func news(in item: Comment, seenAt time: Timestamp) -> [ModelNews] {
        [item].news(nil, seenAt: time)
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.commentEnded(id, .notFound(seenAt: time))]
    }
}

extension DeleteCommentRequest: RememberedRequest {
    public func news(in item: NoContent, seenAt time: Timestamp) -> [ModelNews] {
        [.commentEnded(id, .deleted(from: expected?.revision, seenAt: time))]
    }

    public func newsOfAbsence(
        in store: ModelStore, seenAt time: Timestamp
    ) async throws(ModelStoreError) -> [ModelNews] {
        [.commentEnded(id, .notFound(seenAt: time))]
    }
}
