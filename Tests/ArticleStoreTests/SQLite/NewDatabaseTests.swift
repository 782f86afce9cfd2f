import ArticleDatabase
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc
import Testing

/// Tests that begin with the copy of a database must not notice it.
@Suite struct NewDatabaseTests {
    /// The settings, the schema and the rows of a file, without its epoch.
    private func contents(of path: String) throws -> [String: [String]] {
        let plain = try RawSQLite(path)
        var contents: [String: [String]] = [:]
        for setting in ["application_id", "user_version", "journal_mode", "page_size", "encoding"] {
            contents[setting] = plain.texts("PRAGMA \(setting)", column: 0)
        }
        contents["schema"] = plain.texts("SELECT sql FROM sqlite_schema ORDER BY name", column: 0)
        let tables = plain.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'epoch'", column: 0)
        for table in tables {
            let columns = plain.texts(
                "SELECT 'quote(' || name || ')' FROM pragma_table_info('\(table)')", column: 0)
            let row = columns.joined(separator: " || ' ' || ")
            contents[table] = plain.texts("SELECT \(row) FROM \(table) ORDER BY 1", column: 0)
        }
        return contents
    }

    @Test func `a copied database is like a created one, with an epoch of its own`() async throws {
        let folder = try TemporaryFolder()
        try await SQLiteStore.open(path: folder.file("created.db"), mode: .create).close()
        let created = try contents(of: folder.file("created.db"))
        #expect(created["journal_mode"] == ["wal"] && created["actors"]?.count == 2)
        var epochs: Set<String> = []
        for name in ["a.db", "b.db"] {
            let path = folder.file(name)
            try await SQLiteStore.openNew(path).close()
            #expect(try contents(of: path) == created)
            epochs.formUnion(try RawSQLite(path).texts("SELECT hex(value) FROM epoch", column: 0))
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(epochs.count == 2)
    }
}
