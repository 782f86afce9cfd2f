import ArticleStore

/// Accumulates the changes to the facets' counters in a commit and writes them once, as the
/// articles of a commit share most of their facets.
struct FacetCounts {
    fileprivate struct Change {
        var facet: Int64
        var live: Int64
        var published: Int64
    }

    private var changes: [Change] = []

    /// The current position, to which `undo(to:)` can return.
    var mark: Int { changes.count }

    /// Counts the transition of an article from one state to another under a facet; `nil` means
    /// that it is not listed there.
    mutating func add(_ facet: Int64, from before: StoredState?, to after: StoredState?) {
        let live: Int64 = (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        let published: Int64 = (after == .published ? 1 : 0) - (before == .published ? 1 : 0)
        guard live != 0 || published != 0 else { return }
        changes.append(Change(facet: facet, live: live, published: published))
    }

    /// Discards changes after the mark.
    mutating func undo(to mark: Int) { changes.removeSubrange(mark...) }

    /// Writes the accumulated changes in the transaction that counted them.
    mutating func write(to connection: Connection) throws(StoreError) {
        var sums: [Int64: Change] = [:]
        for change in changes {
            sums[change.facet, default: Change(facet: change.facet, live: 0, published: 0)]
                .add(change)
        }
        changes.removeAll(keepingCapacity: true)
        for sum in sums.values.sorted(by: { $0.facet < $1.facet })
        where sum.live != 0 || sum.published != 0 {
            let row = try connection.statement(SQL.countFacet)
            try row.bind(1, sum.facet)
            try row.bind(2, sum.live)
            try row.bind(3, sum.published)
            try row.run()
        }
    }
}

extension FacetCounts.Change {
    fileprivate mutating func add(_ other: Self) {
        live += other.live
        published += other.published
    }
}
