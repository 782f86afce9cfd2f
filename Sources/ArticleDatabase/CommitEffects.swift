import ArticleAPI
import ArticleStore
import Platform

/// What the steps of the open transaction leave for its commit: counters to write, changes to
/// announce, and what only the processes that share the database need to know.
struct CommitEffects {
    var counts = FacetCounts()
    private(set) var changes: [ChangeRecord] = []
    /// Whether there were more changes than are kept.
    private(set) var isTruncated = false
    private(set) var accessChanges: [AccessChange] = []
    /// Whether another history begins, in which everything has another version.
    var beginsHistory = false
    /// The random number of the commit; `nil` if nothing has asked for it.
    private var commitMark: Int64?
    /// If there are more changes, observers are not told of them one by one.
    static let mostChanges = 500

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

    /// The random number that tells this commit from all others, with which its changes are marked.
    ///
    /// A machine that is set back together with its memory may repeat its random numbers, but not
    /// at the same nanoseconds.
    mutating func takeCommitMark() -> Int64 {
        if let commitMark { return commitMark }
        let random = Int64.random(in: .min ... .max) ^ SystemClock.monotonicNanoseconds
        let mark = random == 0 ? 1 : random
        commitMark = mark
        return mark
    }

    mutating func add(_ change: ChangeRecord) {
        if changes.count < Self.mostChanges {
            changes.append(change)
        } else {
            isTruncated = true
        }
    }

    mutating func add(_ change: AccessChange) { accessChanges.append(change) }

    mutating func clear() {
        undo(to: .begin)
        beginsHistory = false
        commitMark = nil
    }

    /// Discards effects after the mark.
    mutating func undo(to mark: Mark) {
        counts.undo(to: mark.counts)
        changes.removeSubrange(mark.changes...)
        isTruncated = mark.isTruncated
        accessChanges.removeSubrange(mark.accessChanges...)
    }
}
