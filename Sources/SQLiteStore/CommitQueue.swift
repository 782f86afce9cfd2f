import ArticleStore
import Dispatch
import Platform

/// The only writer: steps are queued, and concurrent ones share a commit (and its flush). Callers
/// are resumed after the commit; if it fails, none of its writes is acknowledged.
///
/// This does not delay a single step: the queue commits what is there and never waits for more.
final class CommitQueue: Sendable {
    /// Counters since the queue was created.
    struct Counts: Sendable {
        var commits = 0
        var writes = 0
        var steps = 0
        var commitsBySharing = [Int](
            repeating: 0, count: SQLiteStore.Statistics.sharingBounds.count + 1)
        var checkpoints = 0

        mutating func add(commitOf attempted: Int) {
            commits += 1
            steps += attempted
            let bounds = SQLiteStore.Statistics.sharingBounds
            commitsBySharing[bounds.firstIndex { attempted <= $0 } ?? bounds.count] += 1
        }
    }

    private struct State {
        var jobs: [any CommitJob] = []
        var isDraining = false
        var isClosed = false
        var counts = Counts()
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "broadsheet.store.writer")
    let announcer = ChangeAnnouncer()
    private let clock: CommitSequence
    private let configuration: SQLiteConfiguration
    /// Interrupts long-running readers to release the log.
    private let stopLongReaders: @Sendable () -> Void
    // Only accessed on `queue` after `init`.
    private nonisolated(unsafe) var connection: Connection?
    /// Log size in bytes from which writes wait for readers to release the log.
    private nonisolated(unsafe) var waitingBytes: Int
    /// Copies made between commits, one at a time.
    private nonisolated(unsafe) var copies: [CopyJob] = []

    init(
        _ connection: sending Connection, _ configuration: SQLiteConfiguration,
        _ clock: CommitSequence, stopLongReaders: @escaping @Sendable () -> Void
    ) {
        self.connection = connection
        self.configuration = configuration
        self.clock = clock
        self.stopLongReaders = stopLongReaders
        waitingBytes = configuration.logLimitBytes
    }

    var counts: Counts { state.withLock { $0.counts } }

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

    /// Finishes queued steps, checkpoints the log and closes the file.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                for copy in self.copies { copy.end(.unavailable("the store is closed")) }
                self.copies = []
                _ = try? self.connection?.checkpoint(truncating: true)
                self.connection = nil
                continuation.resume()
            }
        }
    }

    private func enqueue(_ job: any CommitJob) -> StoreError? {
        let (rejection, startsDrainer): (StoreError?, Bool) = state.withLock { state in
            if state.isClosed { return (.unavailable("the store is closed"), false) }
            guard state.jobs.count < configuration.writeQueueDepth else { return (.busy, false) }
            state.jobs.append(job)
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if startsDrainer { queue.async { self.drain() } }
        return rejection
    }

    private func drain() {
        while let jobs = take() {
            var rest = jobs[...]
            while !rest.isEmpty { commit(&rest) }
            stepCopy()
        }
        if let connection, connection.logBytes > configuration.logBytes {
            checkpoint(connection, truncating: true)
        }
    }

    private func take() -> [any CommitJob]? {
        state.withLock { state in
            if state.jobs.isEmpty {
                state.isDraining = false
                return nil
            }
            let count = min(state.jobs.count, configuration.writesPerCommit)
            defer { state.jobs.removeFirst(count) }
            return Array(state.jobs.prefix(count))
        }
    }

    // MARK: One commit

    /// Commits the jobs in order, up to the gathering time.
    ///
    /// Savepoints cost a copy of each page that a step changes, and few steps fail after a change.
    /// So steps share the transaction without them; if one does fail, all are repeated in
    /// isolation.
    private func commit(_ jobs: inout ArraySlice<any CommitJob>, isolating: Bool = false) {
        guard let connection else {
            resume(jobs, .unavailable("the store is closed"))
            jobs = []
            return
        }
        do {
            try connection.execute(SQL.beginImmediate)
            try announcer.begin(on: connection, configuration)
        } catch {
            connection.rollBack()
            resume(jobs, error)
            jobs = []
            return
        }
        let start = ContinuousClock.now
        let patience = Duration.milliseconds(configuration.commitGatheringMilliseconds)
        var attempted = jobs.prefix(0)
        while let job = jobs.first, attempted.isEmpty || start.duration(to: .now) < patience {
            jobs = jobs.dropFirst()
            attempted.append(job)
            guard job.attempt(on: connection, configuration, isIsolated: isolating) else {
                return isolating || attempted.count == 1 && jobs.isEmpty
                    ? recover(attempted, on: connection) : isolate(attempted, on: connection)
            }
        }
        do {
            try connection.effects.counts.write(to: connection)
            try announcer.announce(on: connection, configuration)
            try clock.advance { () throws(StoreError) in try connection.execute(SQL.commit) }
        } catch {
            return recover(attempted, on: connection, from: error)
        }
        connection.effects.clear()
        announcer.succeeded()
        resume(attempted, nil)
        boundLog(connection)
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
        if !mayRetry { overwriteLog(connection) }
        guard mayRetry, jobs.count > 1 else { return resume(jobs, failure) }
        for job in jobs {
            var alone = ArraySlice([job])
            commit(&alone)
        }
    }

    /// A failed flush may have left a complete but unacknowledged commit in the log, which would be
    /// recovered after a crash. A small commit in its place breaks the chain of its checksums.
    private func overwriteLog(_ connection: Connection) {
        guard let version = try? DatabaseSchema.version(on: connection) else { return }
        try? connection.execute(script: "PRAGMA user_version = \(version)")
    }

    private func resume(_ jobs: ArraySlice<any CommitJob>, _ failure: StoreError?) {
        // Counted before callers are resumed, so that they see their commit counted.
        if failure == nil { state.withLock { $0.counts.add(commitOf: jobs.count) } }
        for job in jobs where job.finish(failure) {
            state.withLock { $0.counts.writes += 1 }
        }
    }

    // MARK: Copies

    /// Copies the database to an empty file and returns when the copy is complete.
    func copy(
        to destination: CopyDestination, _ progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError) {
        let failure: StoreError? = await withCheckedContinuation { continuation in
            let job = CopyJob(destination, progress, continuation)
            queue.async {
                self.copies.append(job)
                if self.copies.count == 1 { self.continueCopies() }
            }
        }
        if let failure { throw failure }
    }

    /// Continues as long as there is something to copy; queued writes run before the next step.
    private func continueCopies() {
        stepCopy()
        if !copies.isEmpty { queue.async { self.continueCopies() } }
    }

    private func stepCopy() {
        guard let copy = copies.first else { return }
        guard let connection else {
            copies.removeFirst()
            return copy.end(.unavailable("the store is closed"))
        }
        if copy.step(from: connection) { copies.removeFirst() }
    }

    // MARK: The log

    /// Checkpoints the log when it has grown. While readers need it, it may grow up to the limit:
    /// then a write waits for them, and long-running ones are interrupted. If a reader is stuck
    /// nevertheless, the next wait happens when the log has grown by the limit again.
    private func boundLog(_ connection: Connection) {
        let bytes = connection.logBytes
        guard bytes > waitingBytes else {
            if bytes > configuration.logBytes { checkpoint(connection, truncating: false) }
            return
        }
        stopLongReaders()
        checkpoint(connection, truncating: true, patience: configuration.logPatienceMilliseconds)
        waitingBytes = connection.logBytes + configuration.logLimitBytes
    }

    /// A failed checkpoint loses nothing: the log is complete, and the next checkpoint tries again.
    private func checkpoint(_ connection: Connection, truncating: Bool, patience: Int = 0) {
        try? connection.setBusyTimeout(milliseconds: patience)
        let isDone = try? clock.advance { () throws(StoreError) in
            try connection.checkpoint(truncating: truncating)
        }
        if isDone == true, truncating {
            waitingBytes = configuration.logLimitBytes
        }
        try? connection.setBusyTimeout(milliseconds: Connection.busyMilliseconds)
        state.withLock { $0.counts.checkpoints += 1 }
    }
}

/// A write waiting for its commit.
protocol CommitJob: Sendable {
    /// Runs the step; in a savepoint of its own if it is isolated, so that an error only rolls back
    /// this step. Returns whether the transaction can be committed: not if it has changes of a step
    /// that failed, or was ended, as by a full disk.
    func attempt(
        on connection: Connection, _ configuration: SQLiteConfiguration, isIsolated: Bool
    ) -> Bool

    /// Resumes the caller with the step's result, or with the error of the commit. Returns whether
    /// the step is kept.
    func finish(_ failure: StoreError?) -> Bool
}

/// One atomic step of the writer: if it throws, its changes are rolled back.
struct WriteStep {
    let connection: Connection
    /// The committed state including the changes of this step and the previous ones in the commit.
    let state: Snapshot

    init(_ connection: Connection, _ configuration: SQLiteConfiguration) {
        self.connection = connection
        state = Snapshot(connection, configuration, names: connection.names)
    }
}

/// A step whose result is a `Value`.
final class WriteJob<Value: Sendable>: CommitJob {
    typealias Work = @Sendable (WriteStep) throws(StoreError) -> Value

    private let work: Work
    private let isKept: Bool
    private let continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    // Only accessed by the commit queue's thread.
    private nonisolated(unsafe) var result: Result<Value, StoreError>

    /// - Parameter isKept: whether to keep the step's changes; `false` for a dry run.
    init(
        _ work: @escaping Work, isKept: Bool,
        continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    ) {
        self.work = work
        self.isKept = isKept
        self.continuation = continuation
        result = .failure(.unavailable("not attempted"))
    }

    func attempt(
        on connection: Connection, _ configuration: SQLiteConfiguration, isIsolated: Bool
    ) -> Bool {
        guard isIsolated || !isKept else { return attempt(on: connection, configuration) }
        let mark = connection.effects.mark
        do {
            try connection.execute(SQL.savepoint)
            result = .success(try work(WriteStep(connection, configuration)))
            if !isKept { try connection.undo(SQL.rollbackToSavepoint, to: mark) }
            try connection.execute(SQL.release)
        } catch {
            result = .failure(error)
            return Self.undo(on: connection, to: mark)
        }
        return true
    }

    private func attempt(on connection: Connection, _ configuration: SQLiteConfiguration) -> Bool {
        let changed = connection.totalChangedRows
        do {
            result = .success(try work(WriteStep(connection, configuration)))
        } catch {
            result = .failure(error)
            return connection.isInTransaction && connection.totalChangedRows == changed
        }
        return true
    }

    func finish(_ failure: StoreError?) -> Bool {
        if let failure { result = .failure(failure) }
        continuation.resume(returning: result)
        if case .success = result { return isKept }
        return false
    }

    /// Rolls back only the step; `false` if the whole transaction has to be rolled back.
    private static func undo(on connection: Connection, to mark: CommitEffects.Mark) -> Bool {
        guard connection.isInTransaction else { return false }
        do {
            try connection.undo(SQL.rollbackToSavepoint, to: mark)
            try connection.execute(SQL.release)
            return true
        } catch {
            return false
        }
    }
}
