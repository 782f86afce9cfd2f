import ArticleAPI
public import ArticleStore
public import BroadsheetPlatform

/// A store whose aggregates are rows of a database that understands SQL.
///
/// The engines have the SQL in common, and the conversion of its rows: both conform to
/// ``ArticleStore`` by the extensions of this protocol. Safe to use from any thread.
public protocol SQLStore: ArticleStore, StoreMaintenance {
    var core: StoreCore { get }

    /// The notices about the database for the operator.
    var notices: StoreNotices { get }

    /// Counters since the store was opened, and current queue lengths.
    var statistics: StoreStatistics { get }

    /// The sizes of the file and its log; `nil` if the store has no file.
    var fileBytes: (database: Int, log: Int)? { get }

    /// Closes the store, but waits for reads and for writes not longer than this: their threads are
    /// left behind, with their connections. Later calls throw `.unavailable`.
    func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing
}

/// The outcome of closing a store within a time.
public enum StoreClosing: Sendable {
    case closed
    /// Reads have not ended; the database is released.
    case readsAreLeft
    /// A write has not ended: the database is released when this process ends.
    case writeIsLeft
}

/// The treatment of a database that does not exist.
public enum StoreMode: Sendable {
    /// Creates it.
    case create
    /// Throws `.missing`, or `.unfinished` if there is a database without any tables.
    case existing
}

/// Knows whether this process is the leader of those that use the database.
protocol Leadership: Sendable {
    /// Throws unless the process leads: no other one does until this step is committed, or it has
    /// the writes of this step.
    func require(for step: WriteStep) throws(StoreError)
}

/// Reads articles that are requested at the same time together.
protocol BatchedArticleReads: Sendable {
    /// The article, as `Snapshot.edition`.
    func edition(
        of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> ArticleVersion
}

/// The parts that work the same for both engines: connections for reading, each with its thread,
/// and the queue of the only writer. See ``SQLStore``.
public struct StoreCore: Sendable {
    let readers: ReaderPool
    let exports: ExportReaders
    /// Exports of accounts, which do not wait for those of the operator, nor delay them.
    let accountExports: ExportReaders
    let writer: CommitQueue
    /// Set if it is better to read several articles at a time.
    let joinedReads: (any BatchedArticleReads)?
    /// `nil` if no other process can use the database.
    let leadership: (any Leadership)?
    let system: SystemEnvironment

    /// Waits for pending reads, finishes queued writes and closes all connections.
    func close() async {
        // The writer closes last: only it may checkpoint the log of a file.
        await exports.close()
        await accountExports.close()
        await readers.close()
        await writer.close()
    }

    /// Does the same, but leaves behind reads and writes that do not end in time.
    func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing {
        async let exportsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await exports.close()
        }
        async let accountsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await accountExports.close()
        }
        async let readsEnd = TimeLimit.finishes(withinSeconds: readSeconds) {
            await readers.close()
        }
        let readersEnd = await [exportsEnd, accountsEnd, readsEnd]
        guard await TimeLimit.finishes(withinSeconds: writeSeconds, { await writer.close() }) else {
            return .writeIsLeft
        }
        return readersEnd.allSatisfy { $0 } ? .closed : .readsAreLeft
    }

    func statistics(checkpoints: Int = 0) -> StoreStatistics {
        let counts = writer.counts
        return StoreStatistics(
            commits: counts.commits, writes: counts.writes, steps: counts.steps,
            fullSteps: counts.fullSteps, commitsBySharing: counts.commitsBySharing,
            checkpoints: checkpoints, waitingReads: readers.waiting,
            waitingWrites: writer.waiting,
            commitSeconds: writer.commitDuration / .seconds(1), commitDelay: writer.commitDelay)
    }
}

extension SQLStore {
    public func beginHistory() async throws(StoreError) {
        let epoch = core.system.newEpoch()
        try await submit { (step) throws(StoreError) in
            try step.connection.renewEpoch(to: epoch)
        }
    }

    /// Waits until the present write has ended, but not for longer than this. Others may follow.
    ///
    /// - Returns: True if it has ended.
    public func currentWriteEnds(withinSeconds seconds: Double) async -> Bool {
        let writer = core.writer
        return await TimeLimit.finishes(withinSeconds: seconds) { await writer.currentWorkEnds() }
    }

    public var workers: WorkerPool { core.readers.workers }

    public func observeChanges(_ observer: any ChangeObserver) {
        core.writer.announcer.add(observer)
    }

    /// Runs the read against one committed state.
    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Snapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await core.readers.read(work)
    }

    /// Runs the step in a shared commit and returns when it is durable.
    ///
    /// - Parameter isKept: true to keep the step's changes; `false` for a dry run.
    func submit<Value: Sendable>(
        isKept: Bool = true, _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        try await core.writer.submit(isKept: isKept, work)
    }

    /// Runs a step that only the leader may take, as it depends on values that it has read before.
    func submitAsLeader<Value: Sendable>(
        _ work: @escaping WriteJob<Value>.Work
    ) async throws(StoreError) -> Value {
        try await submit { [core] (step) throws(StoreError) in
            try core.leadership?.require(for: step)
            return try work(step)
        }
    }
}

extension StoreOpeningError {
    /// Creates the error with which a database with this version of the schema is rejected; `nil`
    /// if it is not.
    ///
    /// - Parameter versions: those that this program can open, from the lowest. Between them are
    ///   those of development versions.
    init?(version: Int, at path: String, supported versions: [Int]) {
        let known = versions.last ?? 0
        if version > known {
            self = .newer(path: path, version: version, known: known)
        } else if !versions.contains(version) {
            self = .unsupported(path: path, version: version)
        } else {
            return nil
        }
    }
}
