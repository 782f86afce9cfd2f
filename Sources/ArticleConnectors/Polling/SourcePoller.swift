import ArticleAPI
import ArticleAdminAPI
package import ArticleServiceCore
public import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform

/// Polls sources when they are due, while `run` is called.
///
/// All of its state is in the store, so that it survives restarts, and continues in the process
/// that takes over. At most four sources are polled at a time, and one of each host.
public final class SourcePoller: Sendable {
    private let store: any ArticleStore
    private let markdown: MarkdownRenderer
    private let defaultLanguage: String
    private let policy: SourcePolicy
    private let environment: OutboundEnvironment
    private let intervalSeconds: Int
    private let report: @Sendable (SourceNotice) -> Void
    private let signal: PollerWakeup
    private let pool = BlockingPool(
        label: "broadsheet.sources", width: 2, depth: 2 * SourcePoller.limitPolls)
    private let state = Lock(State())

    private struct State {
        /// The sources that are being polled.
        var busy: [ContentSource.ID: Poll] = [:]
        var statistics = SourceStatistics()
    }

    private struct Poll {
        let host: String
        /// `nil` until it begins.
        var work: Task<Void, Never>?
    }

    /// Seconds between two polls of a source that does not have its own interval.
    public static let defaultIntervalSeconds = 3_600
    /// Polls at a time.
    static let limitPolls = 4
    /// The interval at which the clock is read.
    private static let interval = Duration.seconds(1)

    package init(
        store: any ArticleStore, markdown: MarkdownRenderer, defaultLanguage: String,
        signal: PollerWakeup, policy: SourcePolicy, _ environment: OutboundEnvironment,
        intervalSeconds: Int = SourcePoller.defaultIntervalSeconds,
        report: @escaping @Sendable (SourceNotice) -> Void
    ) {
        self.store = store
        self.markdown = markdown
        self.defaultLanguage = defaultLanguage
        self.signal = signal
        self.policy = policy
        self.environment = environment
        self.intervalSeconds = intervalSeconds
        self.report = report
    }

    /// True if nothing is being polled.
    var isIdle: Bool { state.withLock { $0.busy.isEmpty } }

    /// The counters since the start.
    public var statistics: SourceStatistics { state.withLock { $0.statistics } }

    /// The numbers of sources; `nil` if they cannot be read.
    public func counts() async -> SourceCounts? {
        try? await store.sourceCounts(at: environment.system.now)
    }

    /// Polls sources until the task is cancelled; polls in flight are then abandoned, and due
    /// again. Called once, by the process that owns the file.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [environment, signal] in
                while !Task.isCancelled {
                    await environment.system.sleep(Self.interval)
                    signal.wake()
                }
            }
            var wakings = signal.wakings.makeAsyncIterator()
            while !Task.isCancelled {
                await endRemoved()
                for due in await next() {
                    group.addTask { await self.poll(due.id) }
                }
                await wakings.next()
            }
        }
    }

    /// Polls everything that is due now, and returns when that is done.
    func pollDueSources() async {
        var due = await next()
        while !due.isEmpty, !Task.isCancelled {
            await withDiscardingTaskGroup { group in
                for source in due { group.addTask { await self.poll(source.id) } }
            }
            due = await next()
        }
    }

    /// The sources to be polled now, which are busy from then on.
    private func next() async -> [DueSource] {
        guard store.node.isLeader, state.withLock({ $0.busy.count < Self.limitPolls }),
            let due = try? await store.dueSources(at: environment.system.now)
        else { return [] }
        return state.withLock { state in
            var chosen: [DueSource] = []
            for source in due where state.busy.count < Self.limitPolls {
                let host = Self.host(of: source.url)
                guard state.busy[source.id] == nil,
                    !state.busy.values.contains(where: { $0.host == host })
                else {
                    continue
                }
                state.busy[source.id] = Poll(host: host)
                chosen.append(source)
            }
            return chosen
        }
    }

    /// Returns the host of the URL. The poll decides if the URL is permitted.
    private static func host(of url: String) -> String {
        let url = try? SourcePolicy(allowsPrivate: true).url(url)
        return if case .host(let host, _)? = url?.origin.endpoint { host } else { "" }
    }

    /// Ends the polls of sources that were removed, here or by another node.
    private func endRemoved() async {
        for (id, poll) in state.withLock({ $0.busy }) {
            do throws(StoreError) { _ = try await store.source(id) } catch {
                if case .notFound = error { poll.work?.cancel() }
            }
        }
    }

    /// Polls the source, until this task is cancelled or the source is removed.
    private func poll(_ id: ContentSource.ID) async {
        let work = UnstructuredTask.start { await self.visit(id) }
        state.withLock { $0.busy[id]?.work = work }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        state.withLock { _ = $0.busy.removeValue(forKey: id) }
        signal.wake()
    }

    /// Polls the source and stores the outcome.
    private func visit(_ id: ContentSource.ID) async {
        do throws(StoreError) {
            let source = try await store.source(id)
            let visit = SourcePollRun(
                store: store, markdown: markdown, defaultLanguage: defaultLanguage,
                policy: policy, environment: environment, pool: pool, source: source,
                position: try await store.position(of: id))
            do throws(SourcePollRun.Interruption) {
                let finding = try await visit.poll()
                try await succeeded(finding, source)
            } catch {
                switch error {
                case .store(let error): throw error
                // A poll that was abandoned has not failed.
                case .failed(let failure):
                    if !Task.isCancelled { try await failed(failure, source) }
                }
            }
        } catch {
            await interrupted(id, error)
        }
    }

    private func schedule(of source: ContentSource) -> SourceSchedule {
        SourceSchedule(
            intervalSeconds: source.intervalSeconds ?? intervalSeconds,
            random: environment.system.randomFraction)
    }

    private func succeeded(
        _ finding: SourcePollRun.Finding, _ source: ContentSource
    ) async throws(SourcePollRun.Interruption) {
        guard !Task.isCancelled else { return }
        let now = environment.system.now
        let next =
            finding.hasMore
            ? now.advanced(byMilliseconds: Self.continuationMilliseconds)
            : schedule(of: source).next(after: now)
        do throws(StoreError) {
            try await store.recordPoll(
                SourcePoll(
                    time: now, revision: source.revision, nextPollAt: next,
                    result: finding.result),
                of: source.id)
        } catch { throw .store(error) }
        state.withLock { state in
            state.statistics.add(finding)
        }
    }

    /// The time until a long snapshot is continued.
    private static let continuationMilliseconds: Int64 = 5_000

    private func failed(
        _ failure: SourceFailure, _ source: ContentSource
    ) async throws(StoreError) {
        let now = environment.system.now
        let failures = source.failures + 1
        let next = schedule(of: source).next(
            after: now, failures: failures, retryAfterSeconds: failure.retryAfterSeconds)
        try await store.recordPoll(
            SourcePoll(
                time: now, revision: source.revision, nextPollAt: next,
                result: .failed(failure.reason)),
            of: source.id)
        state.withLock { $0.statistics.failed += 1 }
        report(
            SourceNotice(
                id: source.id, name: source.shownName, reason: failure.reason,
                failures: failures))
    }

    /// The store failed. A source that was changed or removed in the meantime is not a failure.
    private func interrupted(_ id: ContentSource.ID, _ error: StoreError) async {
        switch error {
        case .notFound, .preconditionFailed: return
        default: break
        }
        state.withLock { $0.statistics.failed += 1 }
        report(
            SourceNotice(id: id, name: "the database", reason: error.reason, failures: 1))
        // The source is still due: without a pause, it would be polled at once.
        await environment.system.sleep(.seconds(30))
    }
}

/// Wakes the poller: there may be something to poll.
package final class PollerWakeup: Sendable {
    /// Yields after a wake-up; these are merged until the value is taken.
    let wakings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (wakings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { continuation.yield() }
}

/// The counters of polls since the start. See ``SourcePoller``.
public struct SourceStatistics: Sendable, Hashable {
    /// Polls that found something to take over.
    public internal(set) var changed = 0
    /// Polls without anything new.
    public internal(set) var unchanged = 0
    public internal(set) var failed = 0
    private var counts = PollCounts()

    /// The numbers of entries by outcome.
    public var entries: [(outcome: String, count: Int)] {
        [
            ("created", counts[.created]), ("updated", counts[.updated]),
            ("deleted", counts[.deleted]), ("kept_edits", counts[.keptEdits]),
            ("deferred", counts[.deferred]), ("skipped", counts.skipped),
        ]
    }

    mutating func add(_ finding: SourcePollRun.Finding) {
        if finding.counts.hasChanges { changed += 1 } else { unchanged += 1 }
        counts.add(finding.counts)
    }
}
