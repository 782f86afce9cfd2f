import ArticleStore
import BroadsheetPlatform
import Dispatch
import Synchronization

/// The state of the other processes that use the database, as this one's follower finds it.
///
/// Safe to use from any thread.
final class PostgresNode: StoreNode {
    private struct State {
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        var observers: [Int: AsyncStream<AccessBatch>.Continuation] = [:]
        var lastObserver = 0
        /// Commits of this process with notes, which are not for itself.
        var ownNotes: Set<Int64> = []
        /// The reason why the follower could not ask; `nil` after it could.
        var failure: String?
    }

    /// A read that waits for a commit.
    private struct Waiter {
        let commit: Int64
        /// The time at which it began to wait.
        let time: Int64
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// The time for which a confirmed state is recent enough.
    private static let freshness = Duration.seconds(1)
    /// The time for which the leader leads after it was confirmed: less than the server waits for
    /// it (`PostgresConfiguration.leaderMilliseconds`).
    private static let leadership = Duration.milliseconds(1_250)
    private static let patience = Duration.seconds(2)
    private static let pause = Duration.milliseconds(100)
    private static let limitWaiters = 1_000

    private let announcer: ChangeAnnouncer
    private let system: SystemEnvironment
    private let state = Lock(State())
    // In nanoseconds of the monotonic clock.
    private let currentUntil = Atomic<Int64>(0)
    private let confirmed = Atomic<Int64>(0)
    private let leaderUntil = Atomic<Int64>(0)
    private let leaderProcess = Atomic<Int32>(0)
    private let terms = Atomic<Int>(0)
    private let servers = Atomic<Int>(1)
    private let standbyIsAwaited = Atomic(false)

    init(_ announcer: ChangeAnnouncer, _ system: SystemEnvironment) {
        self.announcer = announcer
        self.system = system
    }

    // MARK: Confirmed state

    /// Everything that was committed before `time`, through this commit, has been announced, and
    /// the observers of access know it.
    func confirm(through commit: Int64, asOf time: Int64) {
        confirmed.store(commit, ordering: .releasing)
        currentUntil.store(time + Self.nanoseconds(Self.freshness), ordering: .releasing)
        state.withLock { $0.failure = nil }
        resumeWaiters(asOf: time)
    }

    /// The follower could not ask, for this reason.
    func note(failure: String) { state.withLock { $0.failure = failure } }

    var failure: String? { state.withLock { $0.failure } }

    /// Records that commits wait for a synchronous standby of the database, or no longer do.
    func note(awaitsStandby: Bool) {
        standbyIsAwaited.store(awaitsStandby, ordering: .relaxed)
    }

    /// The cause of the wait of a commit that takes too long.
    var commitDelay: CommitDelay {
        standbyIsAwaited.load(ordering: .relaxed) ? .standby : .unknown
    }

    /// The server's process with this id had the leader's lock after `time`.
    func confirmLeadership(of process: Int32, asOf time: Int64) {
        if leadingProcess == 0 { terms.add(1, ordering: .sequentiallyConsistent) }
        leaderProcess.store(process, ordering: .releasing)
        leaderUntil.store(time + Self.nanoseconds(Self.leadership), ordering: .releasing)
    }

    /// So many processes serve the database.
    func note(servers count: Int) { servers.store(count, ordering: .relaxed) }

    /// The session that had the leader's lock is lost.
    func loseLeadership() {
        leaderUntil.store(0, ordering: .releasing)
        leaderProcess.store(0, ordering: .releasing)
    }

    /// The process of the server whose session has the leader's lock; 0 if it is not this one's.
    var leadingProcess: Int32 { leaderProcess.load(ordering: .acquiring) }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        Int64(duration / .nanoseconds(1))
    }

    // MARK: Waiting

    var isAlone: Bool { false }

    var lastCommit: Int64 { announcer.lastCommit }

    var isCurrent: Bool {
        SystemClock.monotonicNanoseconds < currentUntil.load(ordering: .acquiring)
    }

    private func hasSeen(_ commit: Int64) -> Bool { isCurrent && lastSeen >= commit }

    private var lastSeen: Int64 {
        max(confirmed.load(ordering: .acquiring), announcer.lastOwnCommit)
    }

    func waitUntilCurrent(with commit: Int64) async -> Bool {
        if hasSeen(commit) { return true }
        return await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard state.waiters.count < Self.limitWaiters else { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = Waiter(
                    commit: commit, time: SystemClock.monotonicNanoseconds,
                    continuation: continuation)
                return state.lastWaiter
            }
            guard let number else { return continuation.resume(returning: false) }
            // It may have been confirmed in the meantime.
            resumeWaiters()
            UnstructuredTask.start { [weak self, system] in
                await system.sleep(Self.patience)
                self?.giveUp(number)
            }
        }
    }

    /// - Parameter time: everything was confirmed that had been committed before this time; `nil`
    ///   if nothing was confirmed now. A commit that others had made before and that is not among
    ///   it was lost, and is not waited for.
    private func resumeWaiters(asOf time: Int64? = nil) {
        let seen = isCurrent ? lastSeen : -1
        let ready = state.withLock { state in
            let ready = state.waiters.filter { waiter in
                waiter.value.commit <= seen
                    || seen >= 0 && time.map { waiter.value.time < $0 } ?? false
            }
            for number in ready.keys { state.waiters[number] = nil }
            return ready
        }
        for waiter in ready.values { waiter.continuation.resume(returning: true) }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?
            .continuation.resume(returning: false)
    }

    // MARK: Leadership

    var term: Int? {
        let term = terms.load(ordering: .sequentiallyConsistent)
        let end = leaderUntil.load(ordering: .acquiring)
        return SystemClock.monotonicNanoseconds < end ? term : nil
    }

    var serverCount: Int { servers.load(ordering: .relaxed) }

    func waitForLeadership() async {
        while !isLeader, !Task.isCancelled {
            // Cancelled: the loop ends.
            await system.sleep(Self.pause)
        }
    }

    // MARK: Access

    func followAccess(
        _ apply: @Sendable ([AccessChange]) async throws(StoreError) -> Void
    ) async {
        let (batches, continuation) = AsyncStream<AccessBatch>.makeStream()
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        defer { state.withLock { $0.observers[number] = nil } }
        // Earlier changes are not known.
        while !Task.isCancelled {
            do throws(StoreError) {
                try await apply([.all])
                break
            } catch { await system.sleep(Self.pause) }
        }
        for await batch in batches {
            do throws(StoreError) {
                try await apply(batch.changes)
                batch.outcome.give(true)
            } catch {
                batch.outcome.give(false)
            }
        }
    }

    /// Records that this process is about to make the commit with this number, and that its own
    /// parts know the changes.
    func willCommit(_ number: Int64) { state.withLock { _ = $0.ownNotes.insert(number) } }

    /// It was not made.
    func didNotCommit(_ number: Int64) { state.withLock { _ = $0.ownNotes.remove(number) } }

    /// Reports the changes of others in the commits with these notes to the observers, and waits
    /// for them.
    ///
    /// - Parameter notes: `nil` if the changes are not known any more.
    /// - Returns: true if the observers know them now.
    func report(
        _ notes: [(commit: Int64, text: String)]?, through commit: Int64
    ) -> Bool {
        let (observers, own) = state.withLock { ($0.observers.values, $0.ownNotes) }
        let foreign = notes?.filter { !own.contains($0.commit) }.map(\.text)
        let changes = foreign.map { CommitPayload(parsing: $0).access } ?? [.all]
        if !changes.isEmpty {
            let outcomes = observers.map { observer in
                let batch = AccessBatch(changes)
                observer.yield(batch)
                return batch.outcome
            }
            guard outcomes.allSatisfy({ $0.wait() }) else { return false }
        }
        // If the notes are not known, the history may have been cut, which gives numbers again.
        state.withLock { $0.ownNotes = notes == nil ? [] : $0.ownNotes.filter { $0 > commit } }
        return true
    }
}

/// Changes on their way to an observer. If it ends before, it has not applied them.
private final class AccessBatch: Sendable {
    let changes: [AccessChange]
    let outcome = Outcome()

    init(_ changes: [AccessChange]) { self.changes = changes }

    deinit { outcome.give(false) }

    /// The observer's result of applying the changes, for the thread that waits.
    final class Outcome: Sendable {
        private let isGiven = DispatchSemaphore(value: 0)
        private let value = Lock<Bool?>(nil)

        /// Only the first one counts.
        func give(_ isApplied: Bool) {
            let isFirst = value.withLock { value in
                guard value == nil else { return false }
                value = isApplied
                return true
            }
            if isFirst { isGiven.signal() }
        }

        func wait() -> Bool {
            isGiven.wait()
            return value.withLock { $0 ?? false }
        }
    }
}

extension SQL {
    /// Only PostgreSQL has such locks.
    fileprivate static let leadersLock: StaticString = """
        SELECT 1 FROM pg_locks
        WHERE locktype = 'advisory' AND classid = 1112754262 AND pid = ?1 AND granted
        """
}

extension PostgresNode: Leadership {
    func require(for step: WriteStep) throws(StoreError) {
        let row = try step.connection.statement(SQL.leadersLock)
        try row.bind(1, Int64(leadingProcess))
        guard leadingProcess != 0, try row.step() else {
            throw .unavailable("another process has become the leader")
        }
    }
}
