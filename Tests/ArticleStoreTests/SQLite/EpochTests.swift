import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

/// The history of a file, and what starts a new one.
@Suite struct EpochTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func withStore<Result>(
        _ name: String, _ body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let store = try SQLiteStore.open(path: folder.file(name), mode: .create)
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    /// Copies the file like a backup does, and returns its path.
    private func backUp(_ name: String, as copy: String) async throws {
        let file = open(folder.file(copy), O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(file >= 0)
        close(file)
        try await withStore(name) { store in
            try await store.copy(into: folder.file(copy)).make { _ in }
        }
        #expect(try SQLiteStore.settle(copy: folder.file(copy)).isClean)
    }

    @Test func `a file keeps its epoch when it is reopened`() async throws {
        let made = try await withStore("a.db") { store in
            try await store.createArticle(.make(), .sample(), by: .first)
        }
        for _ in 0..<2 {
            let found = try await withStore("a.db") { store in
                try await store.article(.id(made.id), visibleTo: .editors)
            }
            #expect(found.version == made.version)
        }
    }

    @Test func `a tag of one history does not match in another`() async throws {
        let made = try await withStore("a.db") { store in
            try await store.createArticle(.make(), .sample(), by: .first)
        }
        try await backUp("a.db", as: "backup.db")
        // The original file: this revision 2 only belongs to its history.
        let edited = try await withStore("a.db") { store in
            try await store.updateArticle(made.id, expecting: .version(made), by: .later(1)) {
                .of($0) { $0.draft.title = "Known to its reader" }
            }
        }
        // And this one belongs to the history that begins with the backup.
        try await withStore("backup.db") { store in
            let restored = try await store.article(.id(made.id), visibleTo: .editors)
            #expect(restored.version != made.version && restored.revision == 1)
            let other = try await store.updateArticle(
                made.id, expecting: .version(restored), by: .later(2)
            ) { .of($0) { $0.draft.title = "Not known" } }
            #expect(other.revision == edited.revision && other.version != edited.version)
            for old in [made, edited] {
                let error = try await failure {
                    try await store.deleteArticle(
                        made.id, expecting: .version(old), by: .later(3))
                }
                guard case .preconditionFailed(current: 2) = error else { throw error }
            }
        }
        // Another file from the same backup has yet another history.
        try await backUp("a.db", as: "second.db")
        let second = try await withStore("second.db") { store in
            try await store.article(.id(made.id), visibleTo: .editors)
        }
        #expect(second.revision == edited.revision && second.version != edited.version)
    }

    @Test(arguments: [7, 23])
    func `a backup of an older file gets an epoch when it is served`(version: Int) async throws {
        let path = folder.file("old.db")
        let older = DatabaseSchema.bundled.through(version)
        do {
            let connection = try Connection(path: path, access: .create)
            try older.migrate(connection)
        }
        #expect(try SQLiteStore.settle(copy: path).findings == [])
        let made = try await withStore("old.db") { store in
            try await store.createArticle(.make(), .sample(), by: .first)
        }
        #expect(made.version != nil)
    }

    @Test func `restoring an export changes the epoch, unless it adds nothing`()
        async throws
    {
        let records = ValueCollector<ExportRecord>()
        try await withStore("a.db") { store in
            let made = try await store.createArticle(
                .make(), .sample(authors: [.name("Ann")]), by: .first)
            #expect(made.version != nil)
            try await store.export { records.add($0) }
        }
        let exported = records.all
        for record in exported {
            switch record {
            case .author(let author): #expect(author.version == nil)
            case .revision(let revision): #expect(revision.article.version == nil)
            case .comment(let comment): #expect(comment.version == nil)
            case .user, .article, .bookmark: break
            }
        }
        try await withStore("b.db") { store in
            let mine = try await store.createArticle(.make(), .sample("Own"), by: .first)
            func version() async throws -> String? {
                try await store.article(.id(mine.id), visibleTo: .editors).version
            }
            _ = try await store.restore(exported, dryRun: true)
            #expect(try await version() == mine.version)
            #expect(try await store.restore(exported, dryRun: false).added == 3)
            let later = try await version()
            #expect(later != mine.version)
            #expect(try await store.restore(exported, dryRun: false).added == 0)
            #expect(try await version() == later)
        }
    }

    @Test func `a version is the revision and six characters that identify it`() throws {
        let epoch = Epoch(high: 1, low: 2)
        let id = try #require(Article.ID("01890a5d-ac96-774b-bcce-b302099a8057"))
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        let version = epoch.version(of: id, revision: 7, at: time)
        #expect(version == epoch.version(of: id, revision: 7, at: time))
        let later = time.advanced(byMilliseconds: 1)
        #expect(version != epoch.version(of: id, revision: 7, at: later))
        #expect(version != epoch.version(of: id, revision: 7, at: time, state: 1))
        #expect(version.wholeMatch(of: /7-[0-9a-hjkmnp-tv-z]{6}/) != nil)
        var marks: Set<String> = []
        for revision in 1...2_000 {
            for epoch in [epoch, Epoch(high: 1, low: 3), Epoch(high: 2, low: 2)] {
                marks.insert(String(epoch.version(of: id, revision: revision, at: time).suffix(6)))
            }
        }
        // Among 6,000 marks of 30 bits, duplicates are very unlikely.
        #expect(marks.count > 5_990)
    }
}

/// Collects values from another thread.
private final class ValueCollector<Item: Sendable>: Sendable {
    private let items = Lock<[Item]>([])

    func add(_ item: Item) { items.withLock { $0.append(item) } }

    var all: [Item] { items.withLock { $0 } }
}
