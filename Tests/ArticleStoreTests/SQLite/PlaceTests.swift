import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

/// Replacing a database, with power failures at any time.
@Suite struct PlaceTests {
    /// Stops the operation at this point.
    private static let stop = StoreOpeningError.failed(path: "", reason: "the machine stopped")

    /// A folder with a database whose last articles are only in its log, and a settled copy of
    /// another one.
    private struct ReplacementFixture {
        let folder: TemporaryFolder
        static let oldArticles = 5
        static let newArticles = 2

        var path: String { folder.file("a.db") }
        var copy: String { folder.file("copy.db") }
        var oldName: String { folder.file("a.db.old") }

        init() async throws {
            folder = try TemporaryFolder()
            let served = folder.file("served.db")
            let store = try SQLiteStore.open(path: served, mode: .create)
            for number in 0..<Self.oldArticles {
                _ = try await store.createArticle(.make(), .sample("n\(number)"), by: .first)
            }
            // As after a power failure.
            for ending in ["", "-wal"] {
                try FileBytes.write(FileBytes.read(served + ending), to: path + ending)
            }
            await store.close()
            let other = try SQLiteStore.open(path: copy, mode: .create)
            for number in 0..<Self.newArticles {
                _ = try await other.createArticle(.make(), .sample("m\(number)"), by: .first)
            }
            await other.close()
            #expect(try SQLiteStore.settle(copy: copy).isClean)
            for ending in [".lock", "-wal", "-shm"] { unlink(copy + ending) }
        }

        func articles(in path: String) async throws -> Int {
            let store = try SQLiteStore.open(path: path, mode: .existing)
            let count = try await store.articleCount()
            await store.close()
            #expect(try SQLiteStore.check(path: path).findings == [])
            return count
        }
    }

    @Test func `after a power failure at any time, the old or the new database is complete`()
        async throws
    {
        var stops = 0
        while true {
            let scene = try await ReplacementFixture()
            #expect(try FileBytes.read(scene.path + "-wal").count > 4_096)
            var steps = 0
            var isDone = false
            do throws(StoreOpeningError) {
                let place = try DatabaseReplacement(path: scene.path)
                try place.put(scene.copy, keepingOldAs: scene.oldName) {
                    () throws(StoreOpeningError) in
                    steps += 1
                    if steps > stops { throw Self.stop }
                }
                isDone = true
            } catch {
                guard case .failed(_, "the machine stopped") = error else { throw error }
            }
            let count = try await scene.articles(in: scene.path)
            #expect(
                count == (isDone ? ReplacementFixture.newArticles : ReplacementFixture.oldArticles),
                "after \(stops)")
            if isDone {
                #expect(
                    try await scene.articles(in: scene.oldName) == ReplacementFixture.oldArticles)
                break
            }
            stops += 1
        }
        #expect(stops >= 5)
    }

    @Test func `a log that cannot be emptied prevents the replacement`() async throws {
        let scene = try await ReplacementFixture()
        do {
            let reader = try RawSQLite(scene.path)
            reader.run("BEGIN")
            #expect(
                reader.number("SELECT count(*) FROM articles")
                    == Int64(ReplacementFixture.oldArticles))
            // After the reader's snapshot: this stays in the log as long as the reader reads.
            let writer = try RawSQLite(scene.path)
            writer.run("UPDATE facets SET name = 'last' WHERE number = 1")
            let place = try DatabaseReplacement(path: scene.path)
            #expect(throws: StoreOpeningError.self) {
                try place.put(scene.copy, keepingOldAs: scene.oldName)
            }
            #expect(access(scene.oldName, F_OK) != 0 && access(scene.copy, F_OK) == 0)
        }
        #expect(try await scene.articles(in: scene.path) == ReplacementFixture.oldArticles)
        let plain = try RawSQLite(scene.path)
        #expect(plain.number("SELECT count(*) FROM facets WHERE name = 'last'") == 1)
    }

    @Test func `a file that is not a database can be replaced`() async throws {
        let scene = try await ReplacementFixture()
        unlink(scene.path + "-wal")
        try FileBytes.write([UInt8](repeating: 7, count: 9_000), to: scene.path)
        do {
            let place = try DatabaseReplacement(path: scene.path)
            try place.put(scene.copy, keepingOldAs: scene.oldName)
        }
        #expect(try await scene.articles(in: scene.path) == ReplacementFixture.newArticles)
        #expect(try FileBytes.read(scene.oldName).count == 9_000)
    }

    @Test func `a database that was put back can be opened while its keepsake exists`()
        async throws
    {
        let scene = try await ReplacementFixture()
        try await #expect(scene.articles(in: scene.path) == ReplacementFixture.oldArticles)
        let upgradeBackup = try UpgradeBackup(of: scene.path) { true }
        defer { withExtendedLifetime(upgradeBackup) {} }
        #expect(try !upgradeBackup.restoreIfNeeded())
        try RawSQLite(scene.path).run("PRAGMA user_version = 99")
        #expect(try upgradeBackup.restoreIfNeeded())
        try await #expect(scene.articles(in: scene.path) == ReplacementFixture.oldArticles)
    }
}
