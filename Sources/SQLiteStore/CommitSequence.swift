import ArticleStore
import Synchronization

/// Lets readers detect commits: as long as the sequence does not change, an open read transaction
/// is as current as a new one.
final class CommitSequence: Sendable {
    /// Odd during a commit.
    private let count = Atomic<UInt64>(0)

    /// The current count; `nil` during a commit.
    var time: UInt64? {
        let count = count.load(ordering: .acquiring)
        return count & 1 == 0 ? count : nil
    }

    /// Runs an operation that changes what readers see, or requires them to end their transactions.
    /// Only called by one thread.
    func advance<Result>(
        _ change: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.add(1, ordering: .sequentiallyConsistent) }
        return try change()
    }
}
