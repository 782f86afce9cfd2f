import ArticleStore
import BroadsheetPlatform
import Dispatch

/// The only writer: steps are queued, and concurrent ones share a commit (and its flush). Callers
/// are resumed after the commit; if it fails, none of its writes is acknowledged.
///
/// This does not delay a single step: the queue commits the steps that are there and never waits
/// for more.
///
/// When a commit takes too long, such as one that waits for a synchronous standby, only its own
/// steps keep waiting: their outcome is not known yet. All others are `.delayed`.
final class CommitQueue: Sendable {
    /// Counters since the queue was created.
    struct Counts: Sendable {
        var commits = 0
        var writes = 0
        var steps = 0
        /// Steps that failed because the disk is full.
        var fullSteps = 0
        var commitsBySharing = [Int](
            repeating: 0, count: StoreStatistics.sharingBounds.count + 1)

        mutating func add(commitOf attempted: Int) {
            commits += 1
            steps += attempted
            let bounds = StoreStatistics.sharingBounds
            commitsBySharing[bounds.firstIndex { attempted <= $0 } ?? bounds.count] += 1
        }
    }

    private struct State {
        var jobs: [any CommitJob] = []
        var isDraining = false
        var isClosed = false
        /// The reason why steps are rejected; `nil` if they are accepted.
        var rejection: StoreError?
        /// The time at which the current commit began; `nil` if there is none.
        var commitStart: Duration?
        /// True if `rejectOverdue` will be called.
        var isWatched = false
        /// Wait until the current commit has ended.
        var waiters: [UnsafeContinuation<Void, Never>] = []
        var counts = Counts()
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "broadsheet.store.writer")
    let announcer: ChangeAnnouncer
    private let clock: CommitSequence
    private let limits: StoreLimits
    private let system: SystemEnvironment
    private let delay: @Sendable () -> CommitDelay
    // Only accessed on `queue` after `init`.
    private nonisolated(unsafe) let engine: any CommitEngine

    /// - Parameter delay: returns the cause of the wait of a commit that takes too long.
    init(
        _ engine: sending any CommitEngine, _ limits: StoreLimits, _ clock: CommitSequence,
        _ announcer: ChangeAnnouncer, _ system: SystemEnvironment,
        delay: @escaping @Sendable () -> CommitDelay = { .unknown }
    ) {
        self.engine = engine
        self.delay = delay
        self.limits = limits
        self.system = system
        self.clock = clock
        self.announcer = announcer
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// The duration of the present commit so far; zero if there is none.
    var commitDuration: Duration { state.withLock { duration(in: $0) } }

    /// The cause of the current commit's wait, if it takes so long that steps are rejected;
    /// otherwise `nil`.
    var commitDelay: CommitDelay? {
        state.withLock { patience(in: $0) <= .zero } ? delay() : nil
    }

    /// Number of steps waiting for a commit.
    var waiting: Int { state.withLock { $0.jobs.count } }

    /// Runs the step in a shared commit and returns when it is durable.
    func submit<Value: Sendable>(
        isKept: Bool = true, _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let job = WriteJob(work, isKept: isKept, continuation: continuation)
            if let rejection = enqueue(job) { _ = job.finish(rejection) }
        }
        return try result.get()
    }

    /// Finishes queued steps and closes the connection.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                self.engine.close()
                continuation.resume()
            }
        }
    }

    /// Runs something else on the writer's thread, between two commits.
    func perform(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Rejects further steps with this error, or accepts them again.
    func reject(_ rejection: StoreError?) { state.withLock { $0.rejection = rejection } }

    /// Waits until all steps are committed that were accepted before. Not called on the writer's
    /// thread.
    func waitUntilIdle() { queue.sync {} }

    /// Waits until the writer's thread has finished its current work, regardless of the work that
    /// waits for it.
    func currentWorkEnds() async {
        await withUnsafeContinuation { continuation in
            let isDraining = state.withLock { state in
                if state.isDraining { state.waiters.append(continuation) }
                return state.isDraining
            }
            if !isDraining { queue.async { continuation.resume() } }
        }
    }

    private func enqueue(_ job: any CommitJob) -> StoreError? {
        let (rejection, startsDrainer, startsWatch): (StoreError?, Bool, Bool) = state.withLock {
            state in
            if state.isClosed { return (.unavailable("the store is closed"), false, false) }
            if let rejection = state.rejection { return (rejection, false, false) }
            guard patience(in: state) > .zero else { return (.delayed(delay()), false, false) }
            guard state.jobs.count < limits.writeQueueDepth else { return (.busy, false, false) }
            state.jobs.append(job)
            defer { (state.isDraining, state.isWatched) = (true, true) }
            return (nil, !state.isDraining, !state.isWatched)
        }
        if startsDrainer { queue.async { self.drain() } }
        if startsWatch { rejectOverdue(after: .milliseconds(limits.commitPatienceMilliseconds)) }
        return rejection
    }

    /// Returns the remaining time for which steps wait for the current commit.
    private func patience(in state: State) -> Duration {
        .milliseconds(limits.commitPatienceMilliseconds) - duration(in: state)
    }

    private func duration(in state: State) -> Duration {
        state.commitStart.map { system.uptime - $0 } ?? .zero
    }

    private func rejectOverdue(after delay: Duration) {
        UnstructuredTask.start { [weak self, system] in
            await system.sleep(delay)
            self?.rejectOverdue()
        }
    }

    /// Rejects waiting steps if the current commit takes too long. Otherwise looks again when it
    /// would, as long as steps are waiting.
    private func rejectOverdue() {
        let (overdue, rest): ([any CommitJob], Duration?) = state.withLock { state in
            let rest = patience(in: state)
            if rest > .zero, !state.jobs.isEmpty { return ([], rest) }
            state.isWatched = false
            guard rest <= .zero else { return ([], nil) }
            defer { state.jobs = [] }
            return (state.jobs, nil)
        }
        for job in overdue { _ = job.finish(.delayed(delay())) }
        if let rest { rejectOverdue(after: rest) }
    }

    private func drain() {
        while let jobs = take() {
            var rest = jobs[...]
            while !rest.isEmpty {
                state.withLock { $0.commitStart = system.uptime }
                commit(&rest)
            }
            engine.restBetweenCommits()
        }
        engine.becomeIdle()
    }

    private func take() -> [any CommitJob]? {
        let (jobs, waiters) = state.withLock {
            state -> ([any CommitJob]?, [UnsafeContinuation<Void, Never>]) in
            defer { state.waiters = [] }
            if state.jobs.isEmpty {
                (state.isDraining, state.commitStart) = (false, nil)
                return (nil, state.waiters)
            }
            let count = min(state.jobs.count, limits.writesPerCommit)
            defer { state.jobs.removeFirst(count) }
            return (Array(state.jobs.prefix(count)), state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return jobs
    }

    /// Lets steps that did not fit into a commit wait for the next one.
    private func giveBack(_ jobs: inout ArraySlice<any CommitJob>) {
        guard !jobs.isEmpty else { return }
        state.withLock { $0.jobs.insert(contentsOf: jobs, at: 0) }
        jobs = []
    }

    // MARK: One commit

    /// Commits the jobs in order, up to the gathering time.
    ///
    /// Savepoints cost a copy of each page that a step changes, and few steps fail after a change.
    /// So steps share the transaction without them; if one does fail, all are repeated in
    /// isolation.
    private func commit(_ jobs: inout ArraySlice<any CommitJob>, isolating: Bool = false) {
        guard let connection = begin(&jobs) else { return }
        let end = system.uptime + .milliseconds(limits.commitGatheringMilliseconds)
        var attempted = jobs.prefix(0)
        while let job = jobs.first, attempted.isEmpty || system.uptime < end {
            jobs = jobs.dropFirst()
            attempted.append(job)
            guard job.attempt(on: connection, limits, isIsolated: isolating) else {
                return isolating || attempted.count == 1 && jobs.isEmpty
                    ? recover(attempted, on: connection) : isolate(attempted, on: connection)
            }
        }
        giveBack(&jobs)
        do {
            try connection.effects.counts.write(to: connection)
            try announcer.announce(on: connection, limits)
            try clock.advance { () throws(StoreError) in try engine.commit(connection) }
        } catch {
            return recover(attempted, on: connection, from: error)
        }
        let mark = connection.effects.commitMark
        connection.effects.clear()
        announcer.succeeded(on: connection, mark: mark)
        resume(attempted, nil)
        engine.afterCommit(connection)
    }

    /// Begins a transaction, or resumes the jobs with the reason why there is none.
    private func begin(_ jobs: inout ArraySlice<any CommitJob>) -> Connection? {
        var opened: Connection?
        do throws(StoreError) {
            let connection = try engine.begin()
            opened = connection
            connection.effects.begin(in: system)
            try announcer.begin(on: connection, limits)
            return connection
        } catch {
            opened?.rollBack()
            announcer.failed()
            resume(jobs, error)
            jobs = []
            return nil
        }
    }

    /// Rolls back the commit and repeats it with each step in a savepoint.
    private func isolate(_ jobs: ArraySlice<any CommitJob>, on connection: Connection) {
        connection.rollBack()
        announcer.failed()
        var jobs = jobs
        while !jobs.isEmpty { commit(&jobs, isolating: true) }
    }

    /// Rolls back the commit. If one step may have caused the failure for all (for example, because
    /// its text did not fit on the disk), each is retried in its own commit.
    private func recover(
        _ jobs: ArraySlice<any CommitJob>, on connection: Connection,
        from failure: StoreError? = nil
    ) {
        connection.rollBack()
        announcer.failed()
        var mayRetry = failure == nil
        if case .full = failure { mayRetry = true }
        if !mayRetry { engine.afterFailedCommit(connection) }
        guard mayRetry, jobs.count > 1 else { return resume(jobs, failure) }
        for job in jobs {
            var alone = ArraySlice([job])
            commit(&alone)
        }
    }

    private func resume(_ jobs: ArraySlice<any CommitJob>, _ failure: StoreError?) {
        // Before callers are resumed, so that they see their commit counted, and what they write
        // next is not rejected because this commit has taken long.
        state.withLock { state in
            if failure == nil { state.counts.add(commitOf: jobs.count) }
            state.commitStart = system.uptime
        }
        for job in jobs {
            if job.finish(failure) {
                state.withLock { $0.counts.writes += 1 }
            } else if job.hitFullDisk {
                state.withLock { $0.counts.fullSteps += 1 }
            }
        }
    }
}

/// The engine of a queue. Only called on the queue's thread.
protocol CommitEngine: AnyObject {
    /// Begins the transaction of a commit, which excludes all other writers. A connection that was
    /// lost is opened again.
    func begin() throws(StoreError) -> Connection

    /// Commits it. Throws only if nothing was committed.
    func commit(_ connection: Connection) throws(StoreError)

    /// Called after a commit, and after a rollback because the commit failed.
    func afterCommit(_ connection: Connection)
    func afterFailedCommit(_ connection: Connection)

    /// Called between two commits, and when no writes are waiting.
    func restBetweenCommits()
    func becomeIdle()

    /// Closes the connection; `begin` throws `.unavailable` from then on.
    func close()
}
