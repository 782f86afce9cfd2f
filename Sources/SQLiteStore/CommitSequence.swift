import ArticleStore
import Synchronization

/// Tells readers whether something was committed since they looked: what they see is as new as a
/// transaction that began now would show it, as long as the clock stands still.
final class CommitSequence: Sendable {
    /// Odd while a commit is under way.
    private let count = Atomic<UInt64>(0)

    /// What the clock shows; `nil` while a commit is under way.
    var time: UInt64? {
        let count = count.load(ordering: .acquiring)
        return count & 1 == 0 ? count : nil
    }

    /// Runs what shows readers another state, or needs them to let go of theirs; by one thread.
    func advance<Result>(
        _ change: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.add(1, ordering: .sequentiallyConsistent) }
        return try change()
    }
}
