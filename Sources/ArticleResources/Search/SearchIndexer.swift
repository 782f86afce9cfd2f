import ArticleAPI
import ArticleSearch
import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform

/// Keeps the search index: follows the public's changes, never in the transaction of a
/// write, and publishes an immutable view of the index for searches.
///
/// Changes that are not stored yet are followed again after a crash. An index of another history or
/// tokenizer, and one that is damaged, is built again in the background; until it has caught up
/// once, there is no view. Of several processes, the leader stores the index; the others load it,
/// and follow changes that are not stored yet in memory. Safe to use from any thread.
public final class SearchIndexer: Sendable {
    let store: any SearchIndexStore
    private let node: any StoreNode
    private let version: Int
    private let system: SystemEnvironment
    let limits: IndexLimits
    private let notices: Notices
    private let published: @Sendable () -> Void
    /// The lowest priority: where a server's writes take all of a processor, the index waits for
    /// them.
    private let pool = BackgroundPool(width: 1, depth: 1)
    private let state = Lock(State())
    /// Has the time of the first commit that the index may lack and that is not being followed.
    private let commits: CommitSignal

    /// Receives lines for the operator.
    package struct Notices: Sendable {
        let progress: @Sendable (String) -> Void
        let failure: @Sendable (String) -> Void

        package init(
            progress: @escaping @Sendable (String) -> Void,
            failure: @escaping @Sendable (String) -> Void
        ) {
            self.progress = progress
            self.failure = failure
        }
    }

    /// The state of the index, for metrics.
    public struct Statistics: Sendable, Hashable {
        /// The number of articles that are found.
        public var documents = 0
        public var segments = 0
        /// The size of the stored segments.
        public var bytes = 0
        /// The part of the changes that is in the index, 1 from the time when it has caught up.
        public var progress = 0.0
        /// The time since the commit of the oldest change that is not in the index.
        public var lagSeconds = 0.0
    }

    private struct State {
        /// `nil` until the index has caught up.
        var view: SearchView?
        var statistics = Statistics()
        /// The reason why the stored index cannot be used.
        var damage: String?
        /// The time of the first of the commits that are being followed.
        var followingSince: Duration?
        /// The last reported failure; `nil` after a success.
        var failure: String?
        /// True if the task has done everything and waits for a commit.
        var isWaiting = false
        /// True if the index was emptied since it last caught up.
        var wasReset = false
    }

    /// Commits that follow each other are indexed together.
    private static let gathering = Duration.milliseconds(50)
    private static let pause = Duration.seconds(1)
    /// Before an index is built again that was damaged while it was built.
    private static let longPause = Duration.seconds(60)
    /// An index of more changes is built with notices.
    private static let noticedChanges: Int64 = 10_000
    private static let noticeInterval = Duration.seconds(10)

    private static let storedInterval = Duration.seconds(10)

    /// - Parameters:
    ///   - node: this process, which is the leader or not.
    ///   - version: that of the tokenizer.
    ///   - limits: of steps and of the memory.
    ///   - notices: receive progress, and each reason of a failure once.
    ///   - published: called after the view has changed.
    package init(
        store: any SearchIndexStore, node: any StoreNode = SingleNode(),
        version: Int = SearchTokenizer.version, limits: IndexLimits = IndexLimits(),
        system: SystemEnvironment, notices: Notices,
        published: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.node = node
        self.version = version
        self.system = system
        var limits = limits
        if !node.isAlone { limits.removalDelay = Self.storedInterval * 3 }
        self.limits = limits
        self.notices = notices
        self.published = published
        commits = CommitSignal(system)
        store.observeChanges(commits)
    }

    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            if let since = state.followingSince ?? commits.since {
                statistics.lagSeconds = (system.uptime - since) / .seconds(1)
            }
            return statistics
        }
    }

    /// True if every commit is in the view, and nothing is left to do.
    var isCurrent: Bool {
        state.withLock { $0.view != nil && $0.isWaiting && commits.since == nil }
    }

    /// The present index.
    ///
    /// - Throws: `.indexing` if there is none yet.
    func view() throws(ServiceError) -> SearchView {
        guard let view = state.withLock({ $0.view }) else { throw .indexing }
        return view
    }

    /// Has the index built again, as its blocks are damaged.
    package func reportDamage(_ reason: String) {
        state.withLock { state in
            state.view = nil
            state.damage = reason
        }
        commits.wake()
    }

    /// There may be something to forget.
    package func wake() { commits.wake() }

    // MARK: Following

    /// Follows the changes until the task is cancelled. Called once.
    public func run() async {
        guard !node.isAlone else { return await followAlways() }
        await withDiscardingTaskGroup { group in
            group.addTask { [commits, system] in
                // The leader's writes to the index are not changes of which observers are notified.
                while !Task.isCancelled {
                    await system.sleep(Self.storedInterval)
                    commits.wake()
                }
            }
            await followAlways()
        }
    }

    private func followAlways() async {
        while !Task.isCancelled {
            do throws(IndexError) { try await follow() } catch {
                switch error {
                case .stopped: return
                case .store(let error):
                    report(error.reason)
                    await system.sleep(Self.pause)
                case .unusable where !node.isLeader:
                    // The leader may be replacing it.
                    state.withLock { $0.damage = nil }
                    await system.sleep(Self.pause)
                case .unusable(let reason):
                    let isRepeated = state.withLock { $0.wasReset }
                    if isRepeated { await system.sleep(Self.longPause) }
                    await reset(reason)
                }
            }
        }
    }

    /// Follows the changes with the stored index, until another process becomes the leader or, if
    /// this one does not lead, has stored more.
    private func follow() async throws(IndexError) {
        let term = node.term
        var work = try await IndexUpdater(
            loading: store, on: pool, version: version, limits, system)
        var notice = system.uptime
        var checked = system.uptime
        while !Task.isCancelled, node.term == term {
            beginRound()
            let purges = term == nil ? [:] : try await work.purges()
            let isAtEnd = try await work.follow()
            let hasNames = try await work.followNames()
            if isAtEnd, hasNames { work.forget(purges) }
            if term != nil { try await work.storeIfNeeded() }
            try endRound(&work, isCurrent: isAtEnd && hasNames)
            // A view from before a failure may still need the blocks to be removed.
            let mayRemove = isAtEnd || !hasView
            let isTidy = term == nil ? true : try await work.tidy(mayRemove: mayRemove)
            publishSizes(work)
            if !hasView { noteProgress(of: work, &notice) }
            guard isAtEnd, hasNames, isTidy else { continue }
            if term == nil, system.uptime - checked >= Self.storedInterval {
                if try await work.isOutdated { return }
                checked = system.uptime
            }
            state.withLock { $0.isWaiting = true }
            await commits.wait()
            // Cancelled: the loop ends.
            await system.sleep(Self.gathering)
        }
    }

    private var hasView: Bool { state.withLock { $0.view != nil } }

    private func beginRound() {
        state.withLock { state in
            state.isWaiting = false
            if state.followingSince == nil { state.followingSince = commits.takeSince() }
        }
    }

    /// Publishes the view if the index has caught up, now or before.
    private func endRound(_ work: inout IndexUpdater, isCurrent: Bool) throws(IndexError) {
        let (damage, isNew, isRecovered) = state.withLock { state -> (String?, Bool, Bool) in
            if let reason = state.damage.take() { return (reason, false, false) }
            let isRecovered = state.failure.take() != nil
            if isCurrent {
                state.followingSince = nil
                state.wasReset = false
            }
            guard isCurrent || state.view != nil else { return (nil, false, isRecovered) }
            defer { state.view = work.view }
            return (nil, work.hasChanged || state.view == nil, isRecovered)
        }
        if isRecovered { notices.progress("search: articles are being indexed again") }
        if let damage { throw .unusable(damage) }
        guard isNew else { return }
        work.hasChanged = false
        published()
    }

    private func publishSizes(_ work: IndexUpdater) {
        state.withLock { state in
            // A merge finds the same as the segments that it replaces, but these are going to be
            // removed.
            if state.view != nil { state.view = work.view }
            state.statistics.documents = work.view.liveCount
            state.statistics.segments = work.view.segments.count
            state.statistics.bytes = work.segments.bytes.values.reduce(0, +)
            state.statistics.progress = state.view == nil ? min(work.progress, 0.99) : 1
        }
    }

    // MARK: Notices

    private func noteProgress(of work: IndexUpdater, _ last: inout Duration) {
        guard let position = work.position, position.base >= Self.noticedChanges,
            system.uptime - last >= Self.noticeInterval
        else { return }
        last = system.uptime
        let percent = Int(work.progress * 100)
        notices.progress("search: the index has \(percent) % of the changes")
    }

    private func reset(_ reason: String) async {
        state.withLock { state in
            state.view = nil
            state.damage = nil
            state.wasReset = true
        }
        notices.progress("search: rebuilding the index: \(reason)")
        do throws(StoreError) { try await store.resetSearch() } catch {
            report(error.reason)
            await system.sleep(Self.pause)
        }
    }

    private func report(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure != reason
        }
        if isNew { notices.failure("search: cannot index articles: \(reason)") }
    }
}
