import ArticleStore

/// What the steps of the open transaction leave for its commit: counters to write, and changes to
/// announce.
struct CommitEffects {
    var counts = FacetCounts()
    private(set) var changes: [ChangeRecord] = []
    /// Whether there were more changes than are kept.
    private(set) var isTruncated = false
    /// If there are more changes, observers are not told of them one by one.
    private static let mostChanges = 500

    /// A point in the transaction, to which `undo(to:)` returns.
    struct Mark {
        fileprivate var counts = 0
        fileprivate var changes = 0
        fileprivate var isTruncated = false

        /// The beginning of the transaction.
        static let begin = Mark()
    }

    var mark: Mark {
        Mark(counts: counts.mark, changes: changes.count, isTruncated: isTruncated)
    }

    mutating func add(_ change: ChangeRecord) {
        if changes.count < Self.mostChanges {
            changes.append(change)
        } else {
            isTruncated = true
        }
    }

    mutating func clear() { undo(to: .begin) }

    /// Discards effects after the mark.
    mutating func undo(to mark: Mark) {
        counts.undo(to: mark.counts)
        changes.removeSubrange(mark.changes...)
        isTruncated = mark.isTruncated
    }
}
