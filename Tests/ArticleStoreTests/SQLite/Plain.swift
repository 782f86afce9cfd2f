import CBroadsheetSQLite
import Testing

@testable import ArticleDatabase

/// A connection that bypasses the store, for inspecting and damaging its files.
struct Plain: ~Copyable {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        sqlite3_open(path, &handle)
        self.handle = try #require(handle)
        // Its changes stay in the log.
        csqlite_configure(self.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String, _ location: SourceLocation = #_sourceLocation) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        #expect(
            code == SQLITE_OK, "\(sql): \(String(cString: sqlite3_errmsg(handle)))",
            sourceLocation: location)
    }

    func number(_ sql: String) -> Int64? {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
    }

    /// The texts of one column of all rows.
    func texts(_ sql: String, column: Int32) -> [String] {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, column) {
                texts.append(String(cString: text))
            }
        }
        return texts
    }
}

extension DatabaseSchema {
    /// That of the first release.
    static let released = bundled.through(7)

    /// The schema as it was in this version.
    func through(_ version: Int) -> DatabaseSchema {
        DatabaseSchema(migrations: migrations.filter { $0.version <= version })
    }
}
