import ArticleStore

/// A write waiting for its commit.
protocol CommitJob: Sendable {
    /// Runs the step; in a savepoint of its own if it is isolated, so that an error only rolls back
    /// this step. Returns whether the transaction can be committed: not if it has changes of a step
    /// that failed, or was ended, as by a full disk.
    func attempt(
        on connection: Connection, _ limits: StoreLimits, isIsolated: Bool
    ) -> Bool

    /// Resumes the caller with the step's result, or with the error of the commit. Returns whether
    /// the step is kept.
    func finish(_ failure: StoreError?) -> Bool

    /// True if the step failed because the disk is full; known after `finish`.
    var hitFullDisk: Bool { get }
}

/// One atomic step of the writer: if it throws, its changes are rolled back.
struct WriteStep {
    let connection: Connection
    /// The committed state including the changes of this step and the previous ones in the commit.
    let state: Snapshot

    init(_ connection: Connection, _ limits: StoreLimits) {
        self.connection = connection
        state = Snapshot(connection, limits, names: connection.names)
    }
}

/// A step whose result is a `Value`.
final class WriteJob<Value: Sendable>: CommitJob {
    typealias Work = @Sendable (WriteStep) throws(StoreError) -> Value

    private let work: Work
    private let isKept: Bool
    private let continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    // Only accessed by who took it from the queue: its thread, or who rejects it.
    private nonisolated(unsafe) var result: Result<Value, StoreError>

    /// - Parameter isKept: true to keep the step's changes; `false` for a dry run.
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
        on connection: Connection, _ limits: StoreLimits, isIsolated: Bool
    ) -> Bool {
        guard isIsolated || !isKept else { return attempt(on: connection, limits) }
        let mark = connection.effects.mark
        do {
            try connection.execute(SQL.savepoint)
            result = .success(try work(WriteStep(connection, limits)))
            if !isKept { try connection.undo(SQL.rollbackToSavepoint, to: mark) }
            try connection.execute(SQL.release)
        } catch {
            result = .failure(error)
            return Self.undo(on: connection, to: mark)
        }
        return true
    }

    private func attempt(on connection: Connection, _ limits: StoreLimits) -> Bool {
        let changed = connection.totalChangedRows
        do {
            result = .success(try work(WriteStep(connection, limits)))
            try connection.settle()
        } catch {
            result = .failure(error)
            return connection.canCommit && connection.totalChangedRows == changed
        }
        return true
    }

    func finish(_ failure: StoreError?) -> Bool {
        if let failure { result = .failure(failure) }
        continuation.resume(returning: result)
        if case .success = result { return isKept }
        return false
    }

    var hitFullDisk: Bool {
        if case .failure(.full) = result { true } else { false }
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
