import ArticleAPI
import BroadsheetSQLite

/// A value that an app keeps under a key, as it is stored.
struct StoredValue: Sendable, Hashable {
    let key: String
    let bytes: [UInt8]
    /// The time at which it expires; `nil` for never.
    let expiresAt: Timestamp?

    /// An estimate of the size of its row.
    var rowBytes: Int { key.utf8.count + bytes.count + 100 }
}

/// The values that an app keeps, in the file.
enum ValueTable {
    /// The value of a key; `nil` if there is none, or it has expired.
    static func load(
        _ key: String, at time: Timestamp, from connection: DatabaseConnection
    ) throws(OfflineError) -> StoredValue? {
        let row = try connection.statement(
            """
            SELECT key, value, expires FROM stored_values
            WHERE key = ?1 AND coalesce(expires, ?2 + 1) > ?2
            """)
        try row.bind(1, key)
        try row.bind(2, time)
        return try row.step() ? value(in: row) : nil
    }

    private static func value(
        in row: borrowing SQLiteStatement<OfflineError>
    ) -> StoredValue {
        StoredValue(
            key: row.text(0), bytes: row.bytes(1),
            expiresAt: row.optionalInteger(2).map { Timestamp(milliseconds: $0) })
    }

    /// Stores the value as the newest one.
    static func store(
        _ value: StoredValue, in connection: DatabaseConnection
    ) throws(OfflineError) {
        try remove(value.key, from: connection)
        let row = try connection.statement(
            "INSERT INTO stored_values (key, value, bytes, expires) VALUES (?1, ?2, ?3, ?4)")
        try row.bind(1, value.key)
        try row.bind(2, value.bytes)
        try row.bind(3, value.rowBytes)
        try row.bind(4, value.expiresAt)
        try row.run()
    }

    static func remove(
        _ key: String, from connection: DatabaseConnection
    ) throws(OfflineError) {
        let row = try connection.statement("DELETE FROM stored_values WHERE key = ?1")
        try row.bind(1, key)
        try row.run()
    }

    /// Removes what has expired, and then the oldest values while there are too many.
    ///
    /// - Returns: the keys of the removed values.
    static func shrink(
        to limitBytes: Int, at time: Timestamp, in connection: DatabaseConnection
    ) throws(OfflineError) -> [String] {
        let expired = try connection.statement(
            "DELETE FROM stored_values WHERE expires <= ?1 RETURNING key")
        try expired.bind(1, time)
        var removed: [String] = []
        while try expired.step() { removed.append(expired.text(0)) }
        while try bytes(in: connection) > limitBytes {
            let oldest = try connection.statement(
                """
                DELETE FROM stored_values
                WHERE number = (SELECT min(number) FROM stored_values) RETURNING key
                """)
            guard try oldest.step() else { break }
            removed.append(oldest.text(0))
            while try oldest.step() {}
        }
        return removed
    }

    /// The size of all values.
    private static func bytes(in connection: DatabaseConnection) throws(OfflineError) -> Int {
        let row = try connection.statement("SELECT valueBytes FROM totals")
        guard try row.step() else { throw .damaged("the size of the store is missing") }
        return row.number(0)
    }

    /// - Parameters:
    ///   - connection: the file.
    ///   - body: called for each value, the oldest first, up to the first that cannot be read.
    static func forEach(
        in connection: DatabaseConnection, _ body: (StoredValue) -> Void
    ) throws(OfflineError) {
        let row = try connection.statement(
            "SELECT key, value, expires FROM stored_values ORDER BY number")
        while try row.step() { body(value(in: row)) }
    }
}
