import CBroadsheetSQLite
import Glibc

/// The baseline of a simple SQLite program: one row, one commit and one flush at a time. As durable
/// as the store (WAL, `synchronous=FULL`).
struct SingleCommits {
    private struct Failure: Error {
        let code: Int32
    }

    private let database: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open(path, &handle)
        guard code == SQLITE_OK, let handle else { throw Failure(code: code) }
        database = handle
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
        try execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, title TEXT, body TEXT)")
    }

    /// Inserts this number of rows of 1 KiB, and prints the rate per second.
    func run(_ count: Int) throws {
        defer { sqlite3_close(database) }
        let sql = "INSERT INTO rows (title, body) VALUES ('A title', '\(body)')"
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(code: sqlite3_errcode(database))
        }
        defer { sqlite3_finalize(statement) }
        let start = ContinuousClock.now
        for _ in 0..<count {
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw Failure(code: sqlite3_errcode(database))
            }
            sqlite3_reset(statement)
        }
        print(#"{"perSecond":\#(Double(count) / start.duration(to: .now).inSeconds)}"#)
    }

    private var body: String { String(repeating: "x", count: 1_024) }

    private func execute(_ sql: String) throws {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Failure(code: code) }
    }
}
