import ArticleAPI
import ArticleStore

/// Completes what was interrupted, and removes what has expired, without a request.
///
/// Of several processes, the leader does it. Safe to use from any thread.
public final class Housekeeper: Sendable {
    private let store: any ArticleStore
    private let now: @Sendable () -> Timestamp
    private let log: @Sendable (String) -> Void

    private static let interval = Duration.seconds(600)

    /// - Parameter log: receives the reason why something cannot be done.
    init(
        store: any ArticleStore, now: @escaping @Sendable () -> Timestamp,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.now = now
        self.log = log
    }

    /// Cleans up now and every 10 minutes, until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await store.node.waitForLeadership()
            await cleanUp()
            // Cancelled: the loop ends.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Does everything that is due now.
    public func cleanUp() async {
        do throws(StoreError) {
            for id in try await store.unfinishedDeletions() {
                try await store.finishDeletion(of: id, at: now())
            }
            while try await store.removeExpiredOutcomes(at: now()) > 0 {}
        } catch { log("cannot clean up: \(error.reason)") }
    }
}
