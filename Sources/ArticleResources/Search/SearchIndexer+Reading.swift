import ArticleSearch
import ArticleServiceCore
import ArticleStore

/// Reading the stored part of the index.
extension SearchIndexer {
    /// The maximum times that a search begins again because segments were merged meanwhile.
    private static let attempts = 4

    /// Does something with the blocks of a view in which keys of these ranges may be.
    func reading<Result>(
        _ ranges: [TermRange],
        _ work: (SearchView, [RangeBlocks]) throws(SearchIndexError) -> Result
    ) async throws(ServiceError) -> Result {
        for _ in 0..<Self.attempts {
            let view = try view()
            guard let blocks = try await blocks(of: ranges, in: view) else {
                // Only blocks that the present view does not need are removed.
                guard try self.view().hasSegments(of: view) else { continue }
                throw damaged("blocks of a segment are missing")
            }
            do throws(SearchIndexError) { return try work(view, blocks) } catch {
                switch error {
                case .corrupt(let reason): throw damaged(reason)
                }
            }
        }
        throw .busy
    }

    private func damaged(_ reason: String) -> ServiceError {
        reportDamage(reason)
        return .indexing
    }

    /// `nil` if blocks are missing, as those of segments that were merged are removed.
    private func blocks(
        of ranges: [TermRange], in view: SearchView
    ) async throws(ServiceError) -> [RangeBlocks]? {
        let query = SearchBlockQuery(
            view.segments.flatMap { segment in
                ranges.map { range in
                    SearchBlockRange(segment: segment.number, blocks: segment.blocks(of: range))
                }
            }, limitBytes: limits.searchBytes)
        let found: [SearchBlockQuery.Blocks]?
        do throws(StoreError) { found = try await store.searchBlocks(query) } catch {
            if case .tooMany = error {
                throw .badParameter("q", "matches too much: add letters to its last word")
            }
            throw ServiceError(error)
        }
        guard let found else { return nil }
        return view.segments.indices.map { segment in
            Array(found[segment * ranges.count..<(segment + 1) * ranges.count])
        }
    }
}

extension SearchView {
    /// Returns true if the segments are those of the other view, with more dead documents perhaps.
    fileprivate func hasSegments(of other: SearchView) -> Bool {
        segments.map(\.number) == other.segments.map(\.number)
    }
}
