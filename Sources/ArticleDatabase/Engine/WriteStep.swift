public import ArticleAPI
public import ArticleStore

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

/// Idempotent writes: their responses are stored, so that a repeated write changes nothing.
extension SQLStore {
    public func idempotencyRecord(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord? {
        try await read { (state) throws(StoreError) in
            try state.idempotencyRecord(scope, at: time)
        }
    }

    public func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.keepRejection(words, of: key, at: time)
        }
    }

    public func removeExpiredOutcomes(at time: Timestamp) async throws(StoreError) -> Int {
        try await submit { (step) throws(StoreError) in
            try step.removeOldWrites(at: time, limit: 1_000)
        }
    }
}

extension SQL {
    fileprivate static let idempotencyRecord: StaticString = """
        SELECT time, request, outcome, item, coalesce(text, comment_text) FROM kept_writes
        LEFT JOIN bodies ON bodies.number = kept_writes.body WHERE scope = ?1
        """
    fileprivate static let insertIdempotencyRecord: StaticString = """
        INSERT INTO kept_writes (scope, request, principal, time, outcome, item, body, comment,
            comment_text)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """
    fileprivate static let removeIdempotencyRecord: StaticString =
        "DELETE FROM kept_writes WHERE scope = ?1"
    static let removeOldWrites: StaticString = """
        DELETE FROM kept_writes WHERE number IN (
            SELECT number FROM kept_writes WHERE time <= ?1 ORDER BY time LIMIT ?2)
        """
    static let removeKeptText: StaticString =
        "UPDATE kept_writes SET comment_text = NULL WHERE comment = ?1"
    static let removeWritesOfUser: StaticString = """
        DELETE FROM kept_writes WHERE number IN (
            SELECT number FROM kept_writes
            WHERE principal = ?1 OR principal IN (SELECT id FROM keys WHERE owner = ?2)
            LIMIT ?3)
        """
    fileprivate static let redateWrites: StaticString = """
        UPDATE kept_writes SET time = ?1 WHERE number IN (
            SELECT number FROM kept_writes WHERE time > ?2 ORDER BY time DESC LIMIT 4)
        """
    fileprivate static let removeOldestRejection: StaticString = """
        DELETE FROM kept_writes WHERE number = (
            SELECT min(number) FROM kept_writes WHERE principal = ?1 AND outcome = 2)
        """
    fileprivate static let keptCounts: StaticString = """
        SELECT done, rejected FROM kept_counts WHERE principal = ?1
        """
    fileprivate static let textOfComment: StaticString =
        "SELECT number, body FROM comments WHERE id = ?1"
    fileprivate static let bodyOfRevision: StaticString = """
        SELECT body FROM articles JOIN revisions ON row = (articles.number << 20 | ?2)
        WHERE articles.id = ?1
        """
}

extension Snapshot {
    /// The record stored under the scope, unless it has expired.
    func idempotencyRecord(_ scope: [UInt8], at time: Timestamp) throws(StoreError)
        -> IdempotencyRecord?
    {
        let row = try connection.statement(SQL.idempotencyRecord)
        try row.bind(1, scope)
        guard try row.step(),
            row.integer(0) > time.milliseconds - IdempotencyKey.keptMilliseconds
        else { return nil }
        let outcome: IdempotencyRecord.Outcome =
            switch row.integer(2) {
            case 2: .rejected(row.bytes(3))
            case let number:
                .done(item: row.bytes(3), isNew: number == 1, body: row.optionalText(4))
            }
        return IdempotencyRecord(request: row.bytes(1), outcome: outcome)
    }
}

extension WriteStep {
    /// Rejects the edit if it has a key that was used, or if the principal has used too many.
    func claim(_ edit: Edit) throws(StoreError) {
        guard let key = edit.key else { return }
        if let earlier = try state.idempotencyRecord(key.scope, at: edit.time) {
            throw earlier.request == key.request ? .repeated : .keyReused
        }
        _ = try removeOldWrites(at: edit.time, limit: Self.removedPerWrite)
        let limit = state.limits.idempotencyRecordsPerPrincipal
        guard try keptCounts(key.principal).done < limit else {
            throw .tooMany("idempotent writes within 24 hours")
        }
    }

    /// Stores the result of a claimed edit under its key, if it has one.
    func keep(_ item: WrittenItem, of edit: Edit) throws(StoreError) {
        guard let key = edit.key else { return }
        var text = RetainedText()
        switch item {
        case .article(let article, _): text.body = try bodyNumber(of: article)
        case .comment(let comment, _):
            text.comment = try storedText(of: comment)
        case .author, .source, .nothing: break
        }
        try keep(item.json, key, at: edit.time, outcome: item.isNew ? 1 : 0, text)
    }

    /// Stores the response of a rejected write.
    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) throws(StoreError) {
        guard try state.idempotencyRecord(key.scope, at: time) == nil else { return }
        _ = try removeOldWrites(at: time, limit: Self.removedPerWrite)
        let limit = state.limits.rejectionsPerPrincipal
        if try keptCounts(key.principal).rejected >= limit {
            let oldest = try connection.statement(SQL.removeOldestRejection)
            try oldest.bind(1, key.principal)
            try oldest.run()
        }
        try keep(words, key, at: time, outcome: 2, RetainedText())
    }

    /// The record of a written text that is kept for 24 hours.
    private struct RetainedText {
        /// The number of an article's body.
        var body: Int64?
        var comment: (number: Int64, text: String)?
    }

    /// So there are at most as many as are written in 24 hours.
    private static let removedPerWrite = 4

    /// Removes expired rows and returns their number. A row with a time in the future, because the
    /// clock was set back, is redated to now.
    fileprivate func removeOldWrites(
        at time: Timestamp, limit: Int
    ) throws(StoreError) -> Int {
        let old = try connection.statement(SQL.removeOldWrites)
        try old.bind(1, time.milliseconds - IdempotencyKey.keptMilliseconds)
        try old.bind(2, limit)
        try old.run()
        let count = Int(connection.changedRows)
        let early = try connection.statement(SQL.redateWrites)
        try early.bind(1, time)
        try early.bind(2, time.milliseconds + IdempotencyKey.keptMilliseconds)
        try early.run()
        return count
    }

    /// Removes the text of a comment from the results of writes; their repetitions get none.
    func removeKeptText(ofComment number: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.removeKeptText)
        try row.bind(1, number)
        try row.run()
    }

    /// Removes the results of a user's writes; `false` if there may be more of them.
    func removeWrites(
        ofUser id: UserRecord.ID, limit: Int
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.removeWritesOfUser)
        try row.bind(1, id.description)
        try row.bind(2, id)
        try row.bind(3, limit)
        try row.run()
        return Int(connection.changedRows) < limit
    }

    private func keptCounts(
        _ principal: String
    ) throws(StoreError) -> (done: Int, rejected: Int) {
        let row = try connection.statement(SQL.keptCounts)
        try row.bind(1, principal)
        return try row.step() ? (Int(row.integer(0)), Int(row.integer(1))) : (0, 0)
    }

    private func bodyNumber(of article: Article) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.bodyOfRevision)
        try row.bind(1, article.id)
        try row.bind(2, article.revision)
        return try row.step() ? row.integer(0) : nil
    }

    private func storedText(
        of comment: ArticleComment
    ) throws(StoreError) -> (number: Int64, text: String)? {
        let row = try connection.statement(SQL.textOfComment)
        try row.bind(1, comment.id)
        return try row.step() ? (row.integer(0), row.text(1)) : nil
    }

    private func keep(
        _ item: [UInt8], _ key: IdempotencyKey, at time: Timestamp, outcome: Int,
        _ text: RetainedText
    ) throws(StoreError) {
        // There may be an expired record.
        let old = try connection.statement(SQL.removeIdempotencyRecord)
        try old.bind(1, key.scope)
        try old.run()
        let row = try connection.statement(SQL.insertIdempotencyRecord)
        try row.bind(1, key.scope)
        try row.bind(2, key.request)
        try row.bind(3, key.principal)
        try row.bind(4, time)
        try row.bind(5, outcome)
        try row.bind(6, item)
        try row.bind(7, text.body)
        try row.bind(8, text.comment?.number)
        try row.bind(9, text.comment?.text)
        try row.run()
    }
}
