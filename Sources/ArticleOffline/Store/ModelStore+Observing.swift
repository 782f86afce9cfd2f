public import ArticleAPI

/// Sequences of the store's values.
extension ModelStore {
    /// The article as it is known, and then again after each change; `nil` while it is not known.
    public nonisolated func article(_ id: Article.ID) -> StoreUpdates<CachedArticle?> {
        updates(of: .model(Article.self, id)) { (store) throws(OfflineError) in
            try await store.loadArticle(id)
        }
    }

    /// The first articles of a list, and then again after each change.
    public nonisolated func articles(
        matching query: ArticleQuery = ArticleQuery(), order: ArticleSort = .newestFirst,
        limit: Int = 100
    ) -> StoreUpdates<[CachedArticle]> {
        updates(of: .models(Article.self)) { (store) throws(OfflineError) in
            try await store.loadArticles(matching: query, order: order, limit: limit)
        }
    }

    /// The known comments on an article, and then again after each change.
    public nonisolated func comments(
        on article: Article.ID, order: CommentSort = .oldest, limit: Int = 100
    ) -> StoreUpdates<[CachedComment]> {
        updates(of: .comments(article)) { (store) throws(OfflineError) in
            try await store.loadComments(on: article, order: order, limit: limit)
        }
    }

    /// A sequence that holds the store only while it reads.
    package nonisolated func updates<Value: Sendable & Equatable>(
        of topic: StoreTopic,
        _ read: @escaping @Sendable (ModelStore) async throws(OfflineError) -> Value
    ) -> StoreUpdates<Value> {
        StoreUpdates(notices, of: topic) { [weak self] in
            guard let self else { return nil }
            do throws(OfflineError) {
                return .some(.some(try await read(self)))
            } catch {
                report(.notRead(error))
                return .some(nil)
            }
        }
    }
}
