import ArticleStore

/// A write that waits for its commit.
protocol CommitJob: Sendable {
    /// Runs the step in its savepoint; what it throws undoes this step alone. Returns whether the
    /// transaction still stands: a full disk may end it.
    func attempt(on connection: Connection, _ configuration: SQLiteConfiguration) -> Bool

    /// Answers the writer: with the step's own result, or with why the commit failed. Gives whether
    /// the step is kept.
    func finish(_ failure: StoreError?) -> Bool
}

/// A step whose result is a `Value`.
final class WriteJob<Value: Sendable>: CommitJob {
    typealias Work = @Sendable (WriteStep) throws(StoreError) -> Value

    private let work: Work
    private let isKept: Bool
    private let continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    // Touched by the commit queue's one thread only.
    private nonisolated(unsafe) var result: Result<Value, StoreError>

    /// - Parameter isKept: whether to keep what the step did; a dry run does not.
    init(
        _ work: @escaping Work, isKept: Bool,
        continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    ) {
        self.work = work
        self.isKept = isKept
        self.continuation = continuation
        result = .failure(.unavailable("not attempted"))
    }

    func attempt(on connection: Connection, _ configuration: SQLiteConfiguration) -> Bool {
        let mark = connection.counts.mark
        do {
            try connection.execute(SQL.savepoint)
            result = .success(try work(WriteStep(connection, configuration)))
            if !isKept { try connection.undo(SQL.rollbackToSavepoint, countsTo: mark) }
            try connection.execute(SQL.release)
        } catch {
            result = .failure(error)
            return Self.undo(on: connection, countsTo: mark)
        }
        return true
    }

    func finish(_ failure: StoreError?) -> Bool {
        if let failure { result = .failure(failure) }
        continuation.resume(returning: result)
        if case .success = result { return isKept }
        return false
    }

    /// Undoes the step alone; what cannot be undone in part is undone whole.
    private static func undo(on connection: Connection, countsTo mark: Int) -> Bool {
        guard connection.isInTransaction else { return false }
        do {
            try connection.undo(SQL.rollbackToSavepoint, countsTo: mark)
            try connection.execute(SQL.release)
            return true
        } catch {
            return false
        }
    }
}
