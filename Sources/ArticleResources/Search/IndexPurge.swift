import ArticleAPI
import ArticleSearch
import ArticleStore

/// The removal of purged articles from the index: segments with dead documents of these articles
/// are written again without them, and the blocks of the old ones are removed.
struct IndexPurge {
    /// As the store tells it.
    package let articles: [Article.ID: Int64]
    /// The segments that are still to be written; `nil` until the merge has ended that had begun
    /// before.
    var segments: Set<Int64>?
}

extension IndexUpdater {
    /// Returns the purged articles that the index still has to forget. Asked before changes are
    /// followed: at their end, the documents are dead.
    func purges() async throws(IndexError) -> [Article.ID: Int64] {
        try await IndexError.catching { [store] () throws(StoreError) in
            try await store.searchPurges()
        }
    }

    /// Begins to forget, unless it is being done.
    mutating func forget(_ articles: [Article.ID: Int64]) {
        guard !articles.isEmpty, purge == nil else { return }
        purge = IndexPurge(articles: articles)
    }

    /// The next segment that has to be written again; `nil` if there is none.
    mutating func segmentToPurge() -> Segment? {
        guard let articles = purge?.articles else { return nil }
        // Those that are made from now on have no dead documents of these articles.
        let numbers =
            purge?.segments
            ?? Set(view.segments(withDead: Set(articles.keys)).map(\.number))
        let next = view.segments.first { numbers.contains($0.number) }
        purge?.segments = numbers.subtracting(next.map { [$0.number] } ?? numbers)
        return next
    }

    /// Reports to the store that nothing is left of the purged articles.
    ///
    /// - Returns: true if there was anything to report.
    mutating func endPurge() async throws(IndexError) -> Bool {
        guard let articles = purge?.articles else { return false }
        try await IndexError.catching { [store] () throws(StoreError) in
            try await store.endSearchPurges(articles)
        }
        purge = nil
        return true
    }
}
