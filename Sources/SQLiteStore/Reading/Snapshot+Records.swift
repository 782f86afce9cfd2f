import ArticleAPI
import ArticleStore

extension Snapshot {
    func changeSequence() throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.lastSequence)
        return try row.step() ? row.integer(0) : 0
    }

    func changes(after sequence: Int64, limit: Int) throws(StoreError) -> [ChangeRecord] {
        let row = try connection.statement(SQL.changesAfter)
        try row.bind(1, sequence)
        try row.bind(2, min(max(limit, 1), 1_000))
        var changes: [ChangeRecord] = []
        while try row.step() {
            changes.append(
                ChangeRecord(
                    sequence: row.integer(0),
                    subject: try subject(kind: row.integer(1), number: row.integer(2)),
                    revision: Int(row.integer(3)), isDeletion: row.integer(4) != 0,
                    isPublic: row.integer(5) != 0))
        }
        return changes
    }

    func keys() throws(StoreError) -> [KeyRecord] {
        let row = try connection.statement(SQL.keys)
        var keys: [KeyRecord] = []
        while try row.step() { keys.append(KeyRecord(row)) }
        return keys
    }

    /// The record stored under the scope, unless it has expired.
    func keptWrite(_ scope: [UInt8], at time: Timestamp) throws(StoreError) -> IdempotencyRecord? {
        let row = try connection.statement(SQL.keptWrite)
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

    func secret(named name: String) throws(StoreError) -> [UInt8]? {
        let row = try connection.statement(SQL.secret)
        try row.bind(1, name)
        return try row.step() ? row.bytes(0) : nil
    }

    private func subject(
        kind: Int64, number: Int64
    ) throws(StoreError) -> ChangeRecord.Subject {
        let row = try connection.statement(
            kind == 0 ? SQL.articleIDByNumber : SQL.authorIDByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("a change has no subject (\(kind), \(number))") }
        return kind == 0 ? .article(try row.identifier(0)) : .author(try row.identifier(0))
    }
}

extension ChangeRecord.Subject {
    /// The column `kind` of its changes.
    var kind: Int64 {
        switch self {
        case .article: 0
        case .author: 1
        }
    }
}

extension KeyRecord {
    /// Reads the columns of `SQL.keys`.
    init(_ row: borrowing Statement) {
        self.init(
            id: row.text(0), digest: row.bytes(1), name: row.text(2), role: row.text(3),
            createdAt: row.time(4), expiresAt: row.optionalTime(5), revokedAt: row.optionalTime(6))
    }
}
