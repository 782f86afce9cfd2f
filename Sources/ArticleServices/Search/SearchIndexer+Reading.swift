import ArticleSearch
import ArticleStore

/// Reading the stored part of the index.
extension SearchIndexer {
    /// How often a search begins again because segments were merged meanwhile.
    private static let attempts = 4

    /// Does something with the blocks of a view in which keys of these ranges may be.
    func reading<Result>(
        _ ranges: [TermRange],
        _ work: (SearchView, [RangeBlocks]) throws(SearchIndexError) -> Result
    ) async throws(ServiceError) -> Result {
        for _ in 0..<Self.attempts {
            let view = try view()
            guard let blocks = try await blocks(of: ranges, in: view) else { continue }
            do throws(SearchIndexError) { return try work(view, blocks) } catch {
                switch error {
                case .corrupt(let reason): reportDamage(reason)
                }
                throw .indexing
            }
        }
        throw .busy
    }

    /// `nil` if the view is no longer the present one, and its segments are being removed.
    private func blocks(
        of ranges: [TermRange], in view: SearchView
    ) async throws(ServiceError) -> [RangeBlocks]? {
        // A segment without documents has no blocks of keys.
        let numbers = view.segments.filter { $0.count > 0 }.map(\.number)
        let query = SearchBlockQuery(
            ranges.map { SearchKeyRange(low: $0.low, high: $0.high) }, in: numbers)
        let found: [RangeBlocks]?
        do throws(StoreError) { found = try await store.searchBlocks(query) } catch {
            if case .tooMany = error {
                throw .badParameter("q", "matches too much: add letters to its last word")
            }
            throw ServiceError(error)
        }
        guard var rest = found?[...] else { return nil }
        return view.segments.map { segment in
            (segment.count > 0 ? rest.popFirst() : nil) ?? ranges.map { _ in [] }
        }
    }
}
