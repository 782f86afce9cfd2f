public import ArticleAPI

/// Publishes scheduled articles when they are due.
///
/// The store has no clock: a scheduled article stays hidden until it is published. Safe to use
/// from any thread.
///
/// ```swift
/// let done = try await store.publishDueArticles(at: time, limit: 100)
/// let hasMore = done.next.map { $0 <= time } ?? false
/// ```
public protocol PublicationRepository: Sendable {
    /// Publishes scheduled articles whose `publishedAt` is not after `time`, in its order, at most
    /// `limit` (1 to 1,000). Each becomes `published` by a revision of the system; one that was
    /// imported can still be updated by its file.
    ///
    /// - Returns: The number of published articles, and the time at which the next one is due.
    func publishDueArticles(
        at time: Timestamp, limit: Int
    ) async throws(StoreError) -> (published: Int, next: Timestamp?)

    /// The earliest `publishedAt` of a scheduled article, which may have passed; `nil` if there is
    /// none.
    func nextPublication() async throws(StoreError) -> Timestamp?

    /// The numbers of scheduled articles.
    func scheduledCounts(at time: Timestamp) async throws(StoreError) -> ScheduledCounts
}

/// The numbers of scheduled articles; each is at most 10,000, at which counting stops.
///
/// ```swift
/// let counts = try await store.scheduledCounts(at: time)
/// let total = counts.upcoming + counts.overdue
/// ```
public struct ScheduledCounts: Sendable, Hashable {
    /// Those that are due later.
    public var upcoming: Int
    /// Those that are due but not published yet.
    public var overdue: Int

    public init(upcoming: Int, overdue: Int) {
        self.upcoming = upcoming
        self.overdue = overdue
    }
}
