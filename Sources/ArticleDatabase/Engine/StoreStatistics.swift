public import ArticleStore

/// Counters since a store was opened, and current queue lengths.
public struct StoreStatistics: Sendable, Hashable {
    /// Number of commits, each with one flush of the log.
    public var commits: Int
    /// Number of writes in these commits.
    public var writes: Int
    /// Number of attempted steps in these commits, including failures and dry runs.
    public var steps: Int
    /// Number of steps that failed because the disk is full.
    public var fullSteps: Int
    /// Histogram of the steps per commit with the upper bounds `sharingBounds`, and one bucket
    /// above these.
    public var commitsBySharing: [Int]
    /// Number of checkpoints of the log; 0 if the engine makes them by itself.
    public var checkpoints: Int
    /// Number of reads waiting for a connection, and of writes waiting for a commit.
    public var waitingReads: Int
    public var waitingWrites: Int
    /// The duration of the present commit so far, in seconds; 0 if there is none.
    public var commitSeconds: Double
    /// The cause of that commit's wait, if further writes are rejected because of it.
    public var commitDelay: CommitDelay?

    public static let sharingBounds = [1, 2, 4, 8, 16, 32, 64, 128]
}
