import ArticleAPI
import ArticleAdminAPI
import ArticleStore

/// Sources are not delayed.
extension SlowStore {
    func createSource(
        _ source: ContentSource, by edit: Edit
    ) async throws(StoreError) -> ContentSource {
        try await store.createSource(source, by: edit)
    }

    func source(_ id: ContentSource.ID) async throws(StoreError) -> ContentSource {
        try await store.source(id)
    }

    func sources(
        after id: ContentSource.ID?, limit: Int
    ) async throws(StoreError) -> Slice<ContentSource, ContentSource.ID> {
        try await store.sources(after: id, limit: limit)
    }

    func updateSource(
        _ id: ContentSource.ID, _ changes: ContentSource.Changes,
        expecting expectation: Precondition, at time: Timestamp
    ) async throws(StoreError) -> ContentSource {
        try await store.updateSource(id, changes, expecting: expectation, at: time)
    }

    func deleteSource(
        _ id: ContentSource.ID, expecting expectation: Precondition
    ) async throws(StoreError) { try await store.deleteSource(id, expecting: expectation) }

    func requestPoll(
        of id: ContentSource.ID, at time: Timestamp
    ) async throws(StoreError) -> ContentSource { try await store.requestPoll(of: id, at: time) }

    func dueSources(at time: Timestamp) async throws(StoreError) -> [DueSource] {
        try await store.dueSources(at: time)
    }

    func position(of id: ContentSource.ID) async throws(StoreError) -> SourcePosition {
        try await store.position(of: id)
    }

    func digests(
        of keys: [[UInt8]], from id: ContentSource.ID
    ) async throws(StoreError) -> [[UInt8]?] { try await store.digests(of: keys, from: id) }

    func importItems(
        _ items: [SourceItem], from id: ContentSource.ID, at revision: Int, round: Int,
        time: Timestamp
    ) async throws(StoreError) -> [Result<SourceOutcome, StoreError>] {
        try await store.importItems(items, from: id, at: revision, round: round, time: time)
    }

    func deleteMissing(
        from id: ContentSource.ID, at revision: Int, round: Int, limit: Int, time: Timestamp
    ) async throws(StoreError) -> (deleted: Int, hasMore: Bool) {
        try await store.deleteMissing(
            from: id, at: revision, round: round, limit: limit, time: time)
    }

    func recordPoll(_ poll: SourcePoll, of id: ContentSource.ID) async throws(StoreError) {
        try await store.recordPoll(poll, of: id)
    }

    func sourceCounts(at time: Timestamp) async throws(StoreError) -> SourceCounts {
        try await store.sourceCounts(at: time)
    }
}
