import ArticleAPI
import ArticleStore
import BroadsheetPlatform

@testable import ArticleServices

/// The parts of a store that an index needs, of which one fails at one of the index's writes and
/// all later ones, as if the process had ended there.
final class FaultyIndexStore: ArticleListings, ChangeRepository, SearchRepository {
    private struct State {
        var writes = 0
        var failing: Int?
        var isLate = false
    }

    let store: any ArticleStore
    private let state = Lock(State())

    init(_ store: any ArticleStore) { self.store = store }

    /// The number of writes so far.
    var writes: Int { state.withLock { $0.writes } }

    /// True if a write has failed.
    var hasFailed: Bool {
        state.withLock { state in state.failing.map { state.writes >= $0 } ?? false }
    }

    /// Fails at this write from now on, counted from 1; if `isLate`, after having done it.
    func fail(at number: Int?, isLate: Bool = false) {
        state.withLock { $0 = State(writes: 0, failing: number, isLate: isLate) }
    }

    private static let failure = StoreError.unavailable("the process has ended")

    private func write<Value>(
        _ work: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let (isFailing, isDone) = state.withLock { state in
            state.writes += 1
            guard let failing = state.failing else { return (false, true) }
            let isFailing = state.writes >= failing
            return (isFailing, !isFailing || state.isLate && state.writes == failing)
        }
        guard isDone else { throw Self.failure }
        let value = try await work()
        if isFailing { throw Self.failure }
        return value
    }

    // MARK: Writes

    func putSearchBlocks(
        _ blocks: [SearchBlockRecord], of segment: Int64
    ) async throws(StoreError) {
        try await write { () throws(StoreError) in
            try await store.putSearchBlocks(blocks, of: segment)
        }
    }

    func commitSearch(_ commit: SearchCommit) async throws(StoreError) {
        try await write { () throws(StoreError) in try await store.commitSearch(commit) }
    }

    func resetSearch() async throws(StoreError) {
        try await write { () throws(StoreError) in try await store.resetSearch() }
    }

    func removeObsoleteSearchBlocks(
        except kept: Set<Int64>, limit: Int
    ) async throws(StoreError) -> Bool {
        try await write { () throws(StoreError) in
            try await store.removeObsoleteSearchBlocks(except: kept, limit: limit)
        }
    }

    func endSearchPurges(_ purges: [Article.ID: Int64]) async throws(StoreError) {
        try await write { () throws(StoreError) in try await store.endSearchPurges(purges) }
    }

    // MARK: Reads

    func searchPurges() async throws(StoreError) -> [Article.ID: Int64] {
        try await store.searchPurges()
    }

    func searchIndex() async throws(StoreError) -> SearchIndexRecord {
        try await store.searchIndex()
    }

    func searchKeys(of segment: Int64) async throws(StoreError) -> [SearchKeyRecord] {
        try await store.searchKeys(of: segment)
    }

    func searchBlocks(
        _ query: SearchBlockQuery
    ) async throws(StoreError) -> [SearchBlockQuery.Blocks]? {
        try await store.searchBlocks(query)
    }

    func searchBlocks(
        of segment: Int64, from number: Int, limitBytes: Int
    ) async throws(StoreError) -> [SearchBlockRecord] {
        try await store.searchBlocks(of: segment, from: number, limitBytes: limitBytes)
    }

    func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice {
        try await store.articles(query)
    }

    func articleCount() async throws(StoreError) -> Int { try await store.articleCount() }

    func changes(after sequence: Int64, limit: Int) async throws(StoreError) -> [ChangeRecord] {
        try await store.changes(after: sequence, limit: limit)
    }

    func changes(_ query: ChangeQuery) async throws(StoreError) -> ChangeSlice {
        try await store.changes(query)
    }

    func observeChanges(_ observer: any ChangeObserver) { store.observeChanges(observer) }
}
