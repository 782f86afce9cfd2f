public import ArticleStore

extension SQLiteStore {
    public func rewrite() async throws(StoreError) {
        try await commits.rewrite(on: core.writer)
    }

    public func vacuum(_ progress: VacuumProgress) async throws(StoreError) -> VacuumProgress {
        if let progress = try await commits.freePages(after: progress, on: core.writer) {
            return progress
        }
        try await rewrite()
        return VacuumProgress(done: 1, total: 1)
    }
}
