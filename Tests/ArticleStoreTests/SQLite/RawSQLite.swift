import ArticleStore
import BroadsheetSQLite
import CBroadsheetSQLite
import Testing

@testable import ArticleDatabase

/// A connection that bypasses the store, for inspecting and damaging its files.
struct RawSQLite: ~Copyable {
    private let database: SQLiteDatabase<StoreError>

    init(_ path: String) throws {
        database = try SQLiteDatabase(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // Its changes stay in the log.
        csqlite_configure(database.pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    func run(_ sql: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: Never.self, "\(sql)", sourceLocation: location) {
            try database.execute(script: sql)
        }
    }

    func number(_ sql: String) -> Int64? { try? database.number(sql) }

    /// The texts of one column of all rows.
    func texts(_ sql: String, column: Int32) -> [String] {
        var texts: [String] = []
        do {
            let row = try database.statement(sql)
            while try row.step() { row.optionalText(column).map { texts.append($0) } }
        } catch { Issue.record("\(sql): \(error)") }
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
