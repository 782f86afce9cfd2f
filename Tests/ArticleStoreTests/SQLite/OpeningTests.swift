import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

@Suite struct OpeningTests {
    static func bytes(_ path: String) -> [UInt8] {
        let descriptor = Glibc.open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { Glibc.close(descriptor) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
            all += piece.prefix(count)
        }
        return all
    }

    private static func write(_ text: String, to path: String) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT, 0o600)
        _ = Glibc.write(descriptor, text, text.utf8.count)
        Glibc.close(descriptor)
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The error when opening the file.
    private static func openingError(
        _ path: String, mode: SQLiteStore.Mode = .create, schema: DatabaseSchema = .bundled
    ) async throws -> StoreOpeningError {
        do throws(StoreOpeningError) {
            let store = try SQLiteStore(
                path: path, mode: mode, schema: schema, configuration: SQLiteConfiguration(),
                system: .real)
            await store.close()
        } catch { return error }
        throw NothingWasThrown()
    }

    private static func makeStore(_ path: String, schema: DatabaseSchema = .bundled) async throws {
        let store = try SQLiteStore(
            path: path, mode: .create, schema: schema, configuration: SQLiteConfiguration(),
            system: .real)
        await store.close()
    }

    @Test func `a file has one owner, whichever name is used`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try SQLiteStore.open(path: path, mode: .create)
        #expect(symlink(path, folder.file("link.db")) == 0)
        for name in [path, folder.file("link.db"), folder.path + "/./a.db"] {
            guard case .owned = try await Self.openingError(name) else {
                Issue.record("\(name) opened twice")
                return
            }
        }
        #expect(throws: StoreOpeningError.self) { try SQLiteStore.check(path: path) }
        // The failed attempts did not release the owner's locks.
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        await store.close()
        try await Self.makeStore(path)
    }

    @Test func `a second process is rejected while the first one runs`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try SQLiteStore.open(path: path, mode: .create)
        let program = try RunningProgram(builtProgram("broadsheet-store-writer"), [path])
        #expect(program.output.next()?.hasPrefix("rejected") == true)
        #expect(program.wait() == 75)
        await store.close()
    }

    @Test func `another name or a deleted lock file does not admit another owner`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try SQLiteStore.open(path: path, mode: .create)
        #expect(link(path, folder.file("hard.db")) == 0)
        #expect(unlink(path + ".lock") == 0)
        for name in [path, folder.file("hard.db")] {
            let program = try RunningProgram(builtProgram("broadsheet-store-writer"), [name])
            #expect(program.output.next()?.hasPrefix("rejected") == true)
            #expect(program.wait() == 75)
            guard case .owned = try await Self.openingError(name) else {
                Issue.record("\(name) opened twice")
                return
            }
        }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        // Closed last, as that releases the locks of this process.
        defer { close(descriptor) }
        #expect(Self.isLockedBySQLite(descriptor), "a refusal took the owner's locks away")
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("hard.db")).findings == [])
    }

    /// Returns true if there is a shared lock of SQLite on a file
    /// (https://www.sqlite.org/lockingv3.html), queried as by another process (`F_OFD_GETLK`,
    /// fcntl(2)).
    private static func isLockedBySQLite(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        guard fcntl(descriptor, 36, &lock) == 0 else { return false }
        return lock.l_type != Int16(F_UNLCK)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write anything"))
    func `a file that is not writable is rejected at once`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await Self.makeStore(path)
        #expect(chmod(path, 0o400) == 0)
        guard case .failed(_, "Permission denied") = try await Self.openingError(path) else {
            Issue.record("opened")
            return
        }
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    @Test func `only its owner may read a new file`() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .create)
        for name in ["a.db", "a.db-wal", "a.db-shm", "a.db.lock"] {
            var status = stat()
            #expect(stat(folder.file(name), &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        await store.close()
    }

    @Test func `a missing file is reported, and nothing is created`() async throws {
        let folder = try TemporaryFolder()
        guard case .missing = try await Self.openingError(folder.file("a.db"), mode: .existing)
        else {
            Issue.record("opened")
            return
        }
        #expect(!Self.exists(folder.file("a.db")) && !Self.exists(folder.file("a.db.lock")))
        guard case .failed = try await Self.openingError(folder.file("no/a.db")) else {
            Issue.record("opened")
            return
        }
    }

    @Test func `files of another type are rejected and not modified`() async throws {
        let folder = try TemporaryFolder()
        let text = folder.file("notes.txt")
        Self.write(String(repeating: "Not a database. ", count: 20), to: text)
        let other = folder.file("other.db")
        try RawSQLite(other).run("PRAGMA application_id = 7; CREATE TABLE t (a)")
        let short = folder.file("short")
        Self.write("SQLite format 3\0", to: short)
        for path in [text, other, short] {
            let before = Self.bytes(path)
            guard case .foreign = try await Self.openingError(path) else {
                Issue.record("\(path) opened")
                return
            }
            #expect(Self.bytes(path) == before && !before.isEmpty)
            #expect(!Self.exists(path + "-wal") && !Self.exists(path + "-journal"))
        }
        Self.write("", to: folder.file("empty"))
        guard case .unfinished = try await Self.openingError(folder.file("empty"), mode: .existing)
        else {
            Issue.record("an empty file opened as an existing store")
            return
        }
    }

    @Test func `a newer file is rejected and not modified`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await Self.makeStore(path)
        try RawSQLite(path).run("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
        let before = Self.bytes(path)
        guard case .newer(_, 99, let known) = try await Self.openingError(path) else {
            Issue.record("opened")
            return
        }
        #expect(known == DatabaseSchema.bundled.version && Self.bytes(path) == before)
        #expect(!Self.exists(path + "-wal"))
    }

    @Test func `a newer version that is only in the log is also rejected`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await Self.makeStore(path)
        try RawSQLite(path).run("PRAGMA user_version = 99")
        let before = (Self.bytes(path), Self.bytes(path + "-wal"))
        #expect(!before.1.isEmpty)
        guard case .newer(_, 99, _) = try await Self.openingError(path) else {
            Issue.record("opened")
            return
        }
        #expect(Self.bytes(path) == before.0 && Self.bytes(path + "-wal") == before.1)
    }

    @Test func `each migration runs once, in order`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let first = DatabaseSchema.bundled.migrations
        let more = [
            Migration(
                to: 101,
                script: "CREATE TABLE steps (number INTEGER); INSERT INTO steps VALUES (1);"),
            Migration(to: 105) { (connection) throws(StoreError) in
                let insert = try connection.statement("INSERT INTO steps VALUES (?1)")
                try insert.bind(1, 2)
                try insert.run()
            },
        ]
        try await Self.makeStore(path)
        try await Self.makeStore(path, schema: DatabaseSchema(migrations: first + more.prefix(1)))
        try await Self.makeStore(path, schema: DatabaseSchema(migrations: first + more))
        try await Self.makeStore(path, schema: DatabaseSchema(migrations: first + more))
        let plain = try RawSQLite(path)
        #expect(plain.number("SELECT count(*) * 10 + sum(number) FROM steps") == 23)
        #expect(plain.number("PRAGMA user_version") == 105)
    }

    /// Replaces a table, to which another refers, by one with some of its rows.
    private static func rebuilding(_ rows: String) -> Migration {
        Migration(
            to: 101,
            script: """
                -- Rebuilds tables.
                CREATE TABLE steps (number INTEGER PRIMARY KEY);
                CREATE TABLE parents (number INTEGER PRIMARY KEY);
                INSERT INTO parents VALUES (1), (2);
                CREATE TABLE children (parent INTEGER REFERENCES parents (number));
                INSERT INTO children VALUES (1), (2);
                CREATE TABLE others (number INTEGER PRIMARY KEY);
                INSERT INTO others SELECT number FROM parents WHERE \(rows);
                DROP TABLE parents;
                ALTER TABLE others RENAME TO parents;
                """)
    }

    @Test func `a migration may rebuild a table that others refer to`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let schema = DatabaseSchema(
            migrations: DatabaseSchema.bundled.migrations + [Self.rebuilding("true")])
        try await Self.makeStore(path, schema: schema)
        let plain = try RawSQLite(path)
        #expect(plain.number("SELECT count(*) FROM children JOIN parents ON parent = number") == 2)
        #expect(plain.number("PRAGMA user_version") == Int64(schema.version))
    }

    @Test(arguments: [
        (Migration(to: 101, script: "CREATE TABLE steps (number); NONSENSE;"), "NONSENSE"),
        (
            Migration(to: 101) { (connection) throws(StoreError) in
                try connection.execute(script: "CREATE TABLE steps (number)")
                throw .corrupt("no number")
            }, "no number"
        ),
        (rebuilding("number = 1"), "children"),
    ])
    func `a migration that fails leaves the file as it was`(
        last: Migration, expected: String
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await Self.makeStore(path)
        let broken = DatabaseSchema(
            migrations: DatabaseSchema.bundled.migrations + [last])
        let error = try await Self.openingError(path, schema: broken)
        switch error {
        case .failed(_, let reason), .damaged(_, let reason): #expect(reason.contains(expected))
        default: Issue.record("\(error)")
        }
        do {
            let plain = try RawSQLite(path)
            #expect(plain.number("SELECT count(*) FROM sqlite_schema WHERE name = 'steps'") == 0)
            #expect(plain.number("PRAGMA user_version") == Int64(DatabaseSchema.bundled.version))
        }
        try await Self.makeStore(path)
    }

    @Test func `after closing, calls are unavailable and one file is left`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try SQLiteStore.open(path: path, mode: .create)
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        await store.close()
        await store.close()
        let errors = [
            try await failure { _ = try await store.articleCount() },
            try await failure {
                _ = try await store.createArticle(.make(), .sample(), by: .first)
            },
            try await failure { try await store.export { _ in } },
        ]
        for error in errors { guard case .unavailable = error else { throw error } }
        #expect(!Self.exists(path + "-wal") && !Self.exists(path + "-shm"))
    }
}
