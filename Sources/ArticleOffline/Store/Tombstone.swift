import ArticleAPI
import BroadsheetSQLite

/// The record of a model's removals, so that a late response does not bring it back.
///
/// Each part only grows, so that the order in which removals arrive does not matter.
struct Tombstone {
    /// Nothing up to this revision comes back.
    private(set) var gone: Int?
    /// Nothing before this revision comes back.
    private(set) var unmatched: Int?
    /// Nothing comes back that a request sent until then has received.
    private(set) var time: Timestamp?
    /// The time at which the latest of the removals was seen.
    private var seen: Timestamp

    /// - Parameters:
    ///   - ending: the reason for the removal of the model.
    ///   - known: the newest revision that is known of it; 0 if there is none.
    ///   - time: now.
    mutating func add(
        _ ending: ModelUpdate.RemovalReason, known: Int, at time: Timestamp
    ) {
        switch ending {
        case .gone(let revision): gone = max(gone ?? 0, revision)
        case .unmatched(let revision): unmatched = max(unmatched ?? 0, revision)
        case .notFound(let seenAt): self.time = self.time.map { max($0, seenAt) } ?? seenAt
        case .deleted(let revision, let seenAt):
            let last = max(revision ?? 0, known)
            if last > 0 { gone = max(gone ?? 0, last == .max ? last : last + 1) }
            self.time = self.time.map { max($0, seenAt) } ?? seenAt
        }
        seen = max(seen, time)
    }

    /// Returns true if a response is from before a removal.
    ///
    /// - Parameters:
    ///   - revision: the revision of the model in the response.
    ///   - seenAt: the time at which its request was sent.
    func follows(revision: Int, seenAt: Timestamp) -> Bool {
        if let time, seenAt <= time { return true }
        // So much later, a lower revision is of another history.
        guard seenAt.milliseconds - seen.milliseconds <= HistoryOrder.limitRequestMilliseconds
        else {
            return false
        }
        if let gone, revision <= gone { return true }
        if let unmatched, revision < unmatched { return true }
        return false
    }
}

/// The table of endings, in the file.
extension Tombstone {
    init(at time: Timestamp) { seen = time }

    /// Returns true if a model of this type was removed.
    static func exists(
        _ kind: Int, in connection: DatabaseConnection
    ) throws(OfflineError) -> Bool {
        let row = try connection.statement("SELECT 1 FROM endings WHERE kind = ?1 LIMIT 1")
        try row.bind(1, kind)
        return try row.step()
    }

    /// `nil` if the model has not ended.
    static func load(
        _ kind: Int, _ id: some StorableID, from connection: DatabaseConnection
    ) throws(OfflineError) -> Tombstone? {
        let row = try connection.statement(
            "SELECT gone, unmatched, time, seen FROM endings WHERE kind = ?1 AND id = ?2")
        try row.bind(1, kind)
        try row.bind(2, id: id)
        guard try row.step() else { return nil }
        var found = Tombstone(at: Timestamp(milliseconds: row.integer(3)))
        found.gone = row.optionalInteger(0).map { Int(clamping: $0) }
        found.unmatched = row.optionalInteger(1).map { Int(clamping: $0) }
        found.time = row.optionalInteger(2).map { Timestamp(milliseconds: $0) }
        return found
    }

    /// Stores it as the newest one, and forgets the oldest ones above the limit.
    func store(
        _ kind: Int, _ id: some StorableID, limit: Int, in connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement(
            """
            INSERT OR REPLACE INTO endings (kind, id, gone, unmatched, time, seen)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        try row.bind(1, kind)
        try row.bind(2, id: id)
        try row.bind(3, gone.map { Int64($0) })
        try row.bind(4, unmatched.map { Int64($0) })
        try row.bind(5, time)
        try row.bind(6, seen)
        try row.run()
        let old = try connection.statement(
            "DELETE FROM endings WHERE number <= (SELECT max(number) FROM endings) - ?1")
        try old.bind(1, limit)
        try old.run()
    }

    static func forgetAll(in connection: DatabaseConnection) throws(OfflineError) {
        try connection.execute("DELETE FROM endings")
    }
}
