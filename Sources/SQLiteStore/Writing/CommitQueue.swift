import ArticleStore
import Dispatch
import Sockets

/// The one writer: steps queue up, and those that wait at the same time share a commit (and its
/// flush). Nobody is answered before the commit returned; if it fails, nobody is acknowledged.
///
/// A lone step pays nothing for that: the queue never waits for company, it takes what is there.
final class CommitQueue: Sendable {
    /// What the queue did so far.
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
    /// Makes readers that may run for long let go of the log.
    private let stopLongReaders: @Sendable () -> Void
    // Touched on `queue` only, after `init`.
    private nonisolated(unsafe) var connection: Connection?
    /// From this size of the log on, writes wait for readers to let go of it.
    private nonisolated(unsafe) var waitingBytes: Int
    /// Copies that are made between commits, one after the other.
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

    /// Steps that wait for a commit.
    var waiting: Int { state.withLock { $0.jobs.count } }

    /// Runs the step in a shared commit, and returns when it is durable.
    func submit<Value: Sendable>(
        isKept: Bool = true, _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let job = WriteJob(work, isKept: isKept, continuation: continuation)
            if let refusal = enqueue(job) { _ = job.finish(refusal) }
        }
        return try result.get()
    }

    /// Finishes what is queued, moves the log into the file and closes it.
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
        let (refusal, startsDrainer): (StoreError?, Bool) = state.withLock { state in
            if state.isClosed { return (.unavailable("the store is closed"), false) }
            guard state.jobs.count < configuration.writeQueueDepth else { return (.busy, false) }
            state.jobs.append(job)
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if startsDrainer { queue.async { self.drain() } }
        return refusal
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

    /// Commits as many of the jobs, in their order, as the gathering time allows.
    private func commit(_ jobs: inout ArraySlice<any CommitJob>) {
        guard let connection else {
            answer(jobs, .unavailable("the store is closed"))
            jobs = []
            return
        }
        do {
            try connection.execute(SQL.beginImmediate)
            try announcer.begin(on: connection, configuration)
        } catch {
            connection.rollBack()
            answer(jobs, error)
            jobs = []
            return
        }
        let start = ContinuousClock.now
        let patience = Duration.milliseconds(configuration.commitGatheringMilliseconds)
        var attempted = jobs.prefix(0)
        while let job = jobs.first, attempted.isEmpty || start.duration(to: .now) < patience {
            jobs = jobs.dropFirst()
            attempted.append(job)
            guard job.attempt(on: connection, configuration) else {
                return recover(attempted, on: connection)
            }
        }
        do {
            try connection.counts.write(to: connection)
            try announcer.announce(on: connection, configuration)
            try clock.advance { () throws(StoreError) in try connection.execute(SQL.commit) }
        } catch {
            return recover(attempted, on: connection, from: error)
        }
        announcer.succeeded()
        answer(attempted, nil)
        boundLog(connection)
    }

    /// Nothing of the commit stays. Steps that shared it are tried once more, each in a commit of
    /// its own, if one of them may have spoiled it for all: a text that found no room, say.
    private func recover(
        _ jobs: ArraySlice<any CommitJob>, on connection: Connection,
        from failure: StoreError? = nil
    ) {
        connection.rollBack()
        announcer.failed()
        var mayRetry = failure == nil
        if case .full = failure { mayRetry = true }
        if !mayRetry { overwriteLog(connection) }
        guard mayRetry, jobs.count > 1 else { return answer(jobs, failure) }
        for job in jobs {
            var alone = ArraySlice([job])
            commit(&alone)
        }
    }

    /// A flush that failed may have left a whole commit in the log, unacknowledged, which would be
    /// found after a crash. A small commit in its place breaks the chain of its checksums.
    private func overwriteLog(_ connection: Connection) {
        guard let version = try? DatabaseSchema.version(on: connection) else { return }
        try? connection.execute(script: "PRAGMA user_version = \(version)")
    }

    private func answer(_ jobs: ArraySlice<any CommitJob>, _ failure: StoreError?) {
        // Counted before anyone is answered: whoever was, finds the commit counted.
        if failure == nil { state.withLock { $0.counts.add(commitOf: jobs.count) } }
        for job in jobs where job.finish(failure) {
            state.withLock { $0.counts.writes += 1 }
        }
    }

    // MARK: Copies

    /// Copies the database into an empty one, and returns when that is whole.
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

    /// Steps on as long as there is something to copy; writes that came meanwhile are before the
    /// next step.
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

    /// Moves the log into the file when it has grown. While readers hold it, it grows on, up to the
    /// limit: then a write waits for them, and those that may run for long are stopped. If one of
    /// them is stuck all the same, the next wait is due when the log has grown by the limit again.
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

    /// A checkpoint that fails loses nothing: the log has it all, and the next one tries again.
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
