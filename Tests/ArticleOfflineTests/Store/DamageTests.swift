import ArticleAPI
import BroadsheetPlatform
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// A damaged file is set aside and begun anew; nothing crashes.
@Suite struct DamageTests {
    private static let seeds = UInt64(1)...(Thoroughness.isFull ? 60 : 15)
    private static let made = Lock([UInt8]?.none)

    /// The bytes of a file with articles, pins and unsent writes, whose log is in the file. It is
    /// made once, since that takes longer than any of the tests.
    private static func sound() async throws -> [UInt8] {
        if let bytes = made.withLock({ $0 }) { return bytes }
        let bytes = try await makeSound()
        made.withLock { $0 = bytes }
        return bytes
    }

    private static func makeSound() async throws -> [UInt8] {
        let folder = try StoreFolder()
        let body = String(repeating: "Flour and water. ", count: 60)
        let store = try folder.open()
        for number in 1...60 { try await store.merge([Samples.whole(number, body: body)]) }
        for number in 1...20 {
            let write = try Writes.update(number, of: Samples.article(number), title: "Mine")
            try await store.commit(StoreChanges(writes: [write]))
        }
        try await store.pin(Samples.id(50))
        try RawDatabase(folder.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return try Files.read(folder.path)
    }

    /// Uses all parts of the store.
    private static func use(_ store: ModelStore) async throws(OfflineError) {
        for order in ArticleSort.allCases {
            for cached in try await store.loadArticles(order: order) {
                _ = try await store.loadArticle(cached.id)
            }
        }
        _ = try await store.loadWrites()
        for number in 1...70 { try await store.merge([Samples.listed(number, revision: 2)]) }
        try await store.pin(Samples.id(3))
        _ = try await store.beginMirror("all", filter: "")
        let page = ChangePage(
            changes: [SyncChange.putArticle(Samples.article(99), revision: 1)], next: "a",
            more: false)
        guard
            try await store.apply(
                MirrorPage(page, knowing: .inLists, isFiltered: false, seenAt: Samples.time(1)),
                to: "all")
        else { return }
        try await store.merge([.removed(Article.self, Samples.id(99), .gone(revision: 3))])
        try await store.unpin(Samples.id(3))
    }

    @Test func `a file that is not a database is set aside`() async throws {
        let folder = try StoreFolder()
        let garbage = [UInt8](repeating: 0x41, count: 5_000)
        try Files.write(garbage, to: folder.path)
        let store = try folder.open()
        try await store.merge([Samples.listed(1)])
        #expect(try await store.titles() == ["Article 1.1"])
        #expect(try Files.read("\(folder.path).damaged") == garbage)
        guard case .damaged(let path, _, 0)? = folder.events.first else {
            Issue.record("\(folder.events)")
            return
        }
        #expect(path == folder.path && folder.events.count == 1)
        #expect(try await folder.open().titles() == ["Article 1.1"])
        #expect(folder.events.count == 1)
    }

    @Test func `a file of something else is set aside, not changed`() async throws {
        let folder = try StoreFolder()
        try Files.write([], to: folder.path)
        try RawDatabase(folder.path).execute("CREATE TABLE recipes (name TEXT)")
        let content = try Files.read(folder.path)
        #expect(try await folder.open().titles() == [])
        #expect(try Files.read("\(folder.path).damaged") == content)
        #expect(folder.events.count == 1)
    }

    @Test func `a file that is damaged while it is open is begun anew, with unsent writes`()
        async throws
    {
        let folder = try StoreFolder()
        let store = try folder.open()
        for number in 1...3 { try await store.merge([Samples.listed(number)]) }
        try await store.commit(
            StoreChanges(writes: [try Writes.update(4, of: Samples.article(1), title: "Mine")]))
        try await store.pin(Samples.id(2))
        var updates = store.articles().makeAsyncIterator()
        #expect(await updates.next()?.count == 3)
        try RawDatabase(folder.path).execute("DROP TABLE articles")
        // The base of the edit is in its entry.
        #expect(try await store.titles() == ["Mine"])
        #expect(await updates.next()?.count == 1)
        try await store.merge([Samples.listed(2)])
        #expect(try await store.loadArticle(Samples.id(2))?.isPinned == true)
        #expect(try await store.loadWrites().map(\.number) == [4])
        guard case .damaged(_, _, 1)? = folder.events.first else {
            Issue.record("\(folder.events)")
            return
        }
        #expect(Files.exists("\(folder.path).damaged"))
        #expect(try await folder.open().loadWrites().map(\.number) == [4])
    }

    @Test func `a truncated file opens`() async throws {
        let bytes = try await Self.sound()
        var random = SplitMix64(seed: 1)
        var reported = 0
        for _ in 0..<30 {
            let folder = try StoreFolder()
            let length = Int.random(in: 1..<bytes.count, using: &random)
            try Files.write(Array(bytes.prefix(length)), to: folder.path)
            let store = try folder.open()
            try await Self.use(store)
            if !folder.events.isEmpty { reported += 1 }
        }
        // What is missing of the others was not needed.
        #expect(reported > 20)
    }

    @Test(arguments: seeds)
    func `a file with random bytes opens or says why not`(seed: UInt64) async throws {
        var bytes = try await Self.sound()
        var random = SplitMix64(seed: seed)
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let count = Int.random(in: 1...4_000, using: &random)
        for index in start..<min(start + count, bytes.count) {
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let folder = try StoreFolder()
        try Files.write(bytes, to: folder.path)
        do throws(OfflineError) {
            let store = try folder.open()
            // What was damaged can be found later.
            try await Self.use(store)
            try await Self.use(store)
        } catch .otherAccount {
            // Its account is unreadable.
        } catch .newer {
            // The number of its schema is that of another one.
        } catch { Issue.record("\(error)") }
    }

    @Test func `unsent writes around a damaged page are saved`() async throws {
        let folder = try StoreFolder()
        try Files.write(try await Self.sound(), to: folder.path)
        let raw = try RawDatabase(folder.path)
        // The pages of the table, in order: one in the middle is damaged, and so is the list.
        let pages = try #require(
            try raw.number(
                "SELECT count(*) FROM dbstat WHERE name = 'outbox' AND pagetype = 'leaf'"))
        let page = try #require(
            try raw.number(
                """
                SELECT pageno FROM dbstat WHERE name = 'outbox' AND pagetype = 'leaf'
                ORDER BY path LIMIT 1 OFFSET \(pages / 2)
                """))
        try raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = try Files.read(folder.path)
        let start = (Int(page) - 1) * 4_096
        for index in start..<start + 4_096 { bytes[index] = 0xEE }
        try Files.write(bytes, to: folder.path)
        try RawDatabase(folder.path).execute("DROP TABLE articles")
        let store = try folder.open()
        _ = try await store.titles()
        let saved = try await store.loadWrites().map(\.number)
        #expect(saved.first == 1 && saved.last == 20 && saved.count < 20)
        guard case .damaged(_, _, saved.count)? = folder.events.first else {
            Issue.record("\(folder.events)")
            return
        }
    }

    // MARK: Newer files

    @Test func `a file of a newer app is left as it is`() async throws {
        let folder = try StoreFolder()
        try await folder.open().merge([Samples.listed(1)])
        let newer = StoreSchema.version + 1
        try RawDatabase(folder.path).execute(
            script: """
                PRAGMA user_version = \(newer);
                UPDATE meta SET value = '\(newer)' WHERE key = 'schema';
                PRAGMA wal_checkpoint(TRUNCATE);
                """)
        let content = try Files.read(folder.path)
        #expect(throws: OfflineError.newer(schema: newer)) { try folder.open() }
        #expect(try Files.read(folder.path) == content)
        #expect(folder.events.isEmpty && !Files.exists("\(folder.path).damaged"))
    }

    @Test func `the file of another account is left as it is`() async throws {
        let folder = try StoreFolder()
        try await folder.open(of: "ada").merge([Samples.listed(1)])
        #expect(throws: OfflineError.otherAccount) { try folder.open(of: "bob") }
        #expect(throws: OfflineError.otherAccount) { try folder.open() }
        #expect(try await folder.open(of: "ada").titles() == ["Article 1.1"])
        #expect(folder.events.isEmpty)
    }
}
