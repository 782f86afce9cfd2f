import ArticleAPI
import ArticleStore

/// The effects of the open transaction's steps that are left for its commit: counters to write,
/// changes to announce, and notes for the processes that share the database.
struct CommitEffects {
    var counts = FacetCounts()
    private(set) var changes: [ChangeRecord] = []
    /// True if there were more changes than are kept.
    private(set) var isTruncated = false
    private(set) var accessChanges: [AccessChange] = []
    /// True if another history begins, in which everything has another version.
    var beginsHistory = false
    /// The random number that tells this commit from all others, with which its changes are marked.
    var commitMark: Int64 = 0
    /// If there are more changes, observers are not told of them one by one.
    static let limitChanges = 500

    /// A point in the transaction, to which `undo(to:)` returns.
    struct Mark {
        fileprivate var counts = 0
        fileprivate var changes = 0
        fileprivate var isTruncated = false
        fileprivate var accessChanges = 0

        /// The beginning of the transaction.
        static let begin = Mark()
    }

    var mark: Mark {
        Mark(
            counts: counts.mark, changes: changes.count, isTruncated: isTruncated,
            accessChanges: accessChanges.count)
    }

    mutating func add(_ change: ChangeRecord) {
        if changes.count < Self.limitChanges {
            changes.append(change)
        } else {
            isTruncated = true
        }
    }

    mutating func add(_ change: AccessChange) { accessChanges.append(change) }

    mutating func clear() {
        undo(to: .begin)
        beginsHistory = false
    }

    /// Discards effects after the mark.
    mutating func undo(to mark: Mark) {
        counts.undo(to: mark.counts)
        changes.removeSubrange(mark.changes...)
        isTruncated = mark.isTruncated
        accessChanges.removeSubrange(mark.accessChanges...)
    }
}

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

    /// Adds to the numbers of articles under a facet: of all, and of those that are public.
    mutating func add(_ facet: Int64, live: Int64, published: Int64) {
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

extension SQL {
    fileprivate static let countFacet: StaticString = """
        UPDATE facets SET live = live + ?2, published = published + ?3 WHERE number = ?1
        """
}
