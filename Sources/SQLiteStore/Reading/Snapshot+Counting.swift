import ArticleAPI
import ArticleStore

extension Snapshot {
    /// The number of articles on all pages of a list. Counting stops at 10,000, and at the limit
    /// for examined rows.
    func count(_ query: ArticleQuery) throws(StoreError) -> PageCount {
        var query = query
        query.after = nil
        // Ordering by publication iterates over the rarest facet.
        query.sort = .newestFirst
        var count = PageCount(value: 0, isExact: true)
        guard let plan = try ListingPlan(query, in: self) else { return count }
        var examined = 0
        for cursor in try open(plan, query) {
            while let entry = cursor.entry {
                guard examined < configuration.examinedRowsPerCount else {
                    count.isExact = false
                    return count
                }
                examined += 1
                if try matches(entry, cursor.state, plan, &examined),
                    try isCandidate(entry, query, &examined)
                {
                    guard count.value < ArticleLimits.count else {
                        count.isExact = false
                        return count
                    }
                    count.value += 1
                }
                try cursor.advance()
            }
        }
        return count
    }

    private func isCandidate(
        _ entry: ListingCursor.Entry, _ query: ArticleQuery, _ examined: inout Int
    ) throws(StoreError) -> Bool {
        guard query.isBounded else { return true }
        examined += 1
        return try candidate(entry, query) != nil
    }
}
