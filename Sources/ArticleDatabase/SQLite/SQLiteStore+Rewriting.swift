public import ArticleStore

extension SQLiteStore {
    public func rewrite() async throws(StoreError) {
        try await commits.rewrite(on: core.writer)
    }
}
