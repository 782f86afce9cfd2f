import ArticleAPI
package import ArticleStore
package import BroadsheetPlatform

/// Completes interrupted work, and removes expired records, without a request.
///
/// Of several processes, the leader does it. Safe to use from any thread.
public final class CleanupTask: Sendable {
    private let store: any ArticleStore
    private let retention: RetentionRules
    private let system: SystemEnvironment
    private let log: @Sendable (String) -> Void
    private let progress: @Sendable (String) -> Void
    /// The time at which the last walk over the histories ended.
    private let walked = Lock<Timestamp?>(nil)

    private static let interval = Duration.seconds(600)
    private static let walkMilliseconds: Int64 = 3_600_000

    /// - Parameters:
    ///   - retention: the limits of the history that is kept.
    ///   - log: receives the reasons of failures.
    ///   - progress: receives reports about removed history.
    package init(
        store: any ArticleStore, retention: RetentionRules = RetentionRules(),
        system: SystemEnvironment, log: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.store = store
        self.retention = retention
        self.system = system
        self.log = log
        self.progress = progress
    }

    /// Cleans up now and every 10 minutes, until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await store.node.waitForLeadership()
            await cleanUp()
            // Cancelled: the loop ends.
            await system.sleep(Self.interval)
        }
    }

    /// Does everything that is due now.
    public func cleanUp() async {
        do throws(StoreError) {
            for id in try await store.unfinishedDeletions() {
                try await store.finishDeletion(of: id, at: system.now)
            }
            while try await store.removeExpiredOutcomes(at: system.now) > 0 {}
            let time = system.now
            if walked.withLock({ $0.map { time.milliseconds - $0.milliseconds } }) ?? .max
                >= Self.walkMilliseconds
            {
                try await removeHistory()
                walked.withLock { $0 = time }
            }
        } catch { log("cannot clean up: \(error.reason)") }
    }

    /// Removes history that is not kept. After each step, it leaves the store alone for four times
    /// as long as the step took.
    private func removeHistory() async throws(StoreError) {
        var walk = RetentionProgress()
        while !walk.isComplete, !Task.isCancelled {
            let start = system.uptime
            walk = try await store.removeHistory(retention, at: system.now, walk)
            await system.sleep((system.uptime - start) * 4)
        }
        guard walk.revisions + walk.articles > 0 else { return }
        progress(
            "history: removed \(walk.revisions.counted("revision")) and "
                + "\(walk.articles.counted("deleted article"))")
    }
}
