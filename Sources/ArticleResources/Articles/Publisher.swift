import ArticleAPI
package import ArticleStore
package import BroadsheetPlatform

/// Publishes scheduled articles when they are due.
///
/// It also works if the clock is set, and if others publish articles of the same store: the store
/// decides whether an article is still scheduled. Of several processes, the leader publishes.
public final class Publisher: Sendable {
    private let store: any ArticleStore
    private let system: SystemEnvironment
    private let log: @Sendable (String) -> Void
    private let progress: @Sendable (String) -> Void
    private let state: Lock<State>
    private let commits: CommitSignal

    private struct State {
        var hasCaughtUp: Bool
        var publishedCount = 0
        /// The last logged failure; `nil` after a success.
        var failure: String?
    }

    /// The interval at which the clock is read while an article is scheduled.
    private static let interval = Duration.milliseconds(250)
    /// Small enough for other writers, whose turn is between two batches.
    private static let articlesPerBatch = 100

    /// - Parameters:
    ///   - log: receives the reason why articles cannot be published, once.
    ///   - progress: receives a line when they can be again.
    package init(
        store: any ArticleStore, system: SystemEnvironment,
        log: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(StoreError) {
        self.store = store
        self.system = system
        self.log = log
        self.progress = progress
        let time = system.now
        let next = try await store.nextPublication()
        state = Lock(State(hasCaughtUp: next.map { $0 > time } ?? true))
        commits = CommitSignal(system)
        store.observeChanges(commits)
    }

    /// True if everything has been published that was due at the start.
    package var hasCaughtUp: Bool { state.withLock { $0.hasCaughtUp } }

    /// The number of articles that this publisher has published.
    public var publishedCount: Int { state.withLock { $0.publishedCount } }

    /// Publishes articles until the task is cancelled. Called once.
    public func run() async {
        while !Task.isCancelled {
            if !store.node.isLeader {
                await noteOthersWork()
            } else if await !publishDueArticles() {
                await commits.wait()
            }
            // Cancelled: the loop ends.
            await system.sleep(Self.interval)
        }
    }

    /// Publishes everything that is due now.
    ///
    /// - Returns: true if articles remain scheduled, or may do so because of a failure.
    @discardableResult
    public func publishDueArticles() async -> Bool {
        do throws(StoreError) {
            var next = try await store.nextPublication()
            while let due = next, !Task.isCancelled {
                let time = system.now
                guard due <= time else { break }
                let done = try await store.publishDueArticles(
                    at: time, limit: Self.articlesPerBatch)
                state.withLock { $0.publishedCount += done.published }
                next = done.next
            }
            if !Task.isCancelled { succeeded() }
            return next != nil
        } catch {
            failed(error.reason)
            return true
        }
    }

    /// Finds out whether the leader has published everything that was due at the start.
    private func noteOthersWork() async {
        guard !hasCaughtUp else { return }
        do throws(StoreError) {
            let time = system.now
            if try await store.nextPublication().map({ $0 > time }) ?? true { succeeded() }
        } catch { failed(error.reason) }
    }

    private func succeeded() {
        let isRecovered = state.withLock { state in
            state.hasCaughtUp = true
            return state.failure.take() != nil
        }
        if isRecovered { progress("scheduled articles are being published again") }
    }

    private func failed(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure != reason
        }
        if isNew { log("cannot publish scheduled articles: \(reason)") }
    }
}
