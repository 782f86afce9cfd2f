import ArticleAPI
import BroadsheetSQLite
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleOffline

/// The file: whose it is, when it is full, and what is in it after each commit.
@Suite struct FileTests {
    @Test func `only the owner can read the files`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.merge([Samples.listed(1)])
        for suffix in ["", "-wal", "-shm"] {
            #expect(try Files.mode("\(folder.path)\(suffix)") == 0o600)
        }
        #expect(chmod(folder.path, 0o644) == 0)
        #expect(try await folder.open().titles() == ["Article 1.1"])
        #expect(try Files.mode(folder.path) == 0o600)
    }

    @Test func `nothing but a file is opened`() throws {
        let folder = try StoreFolder()
        let target = folder.folder.file("elsewhere")
        try Files.write([], to: target)
        #expect(symlink(target, folder.path) == 0)
        #expect(throws: OfflineError.self) { try folder.open() }
        #expect(try Files.read(target).isEmpty)
        #expect(throws: OfflineError.self) { try ModelStore(.file(folder.folder.path)) }
        #expect(throws: OfflineError.self) {
            try ModelStore(.file(folder.folder.file("none/articles.store")))
        }
    }

    @Test func `on a full disk, a step fails as a whole, and later ones succeed`() async throws {
        let folder = try StoreFolder()
        var limits = ModelStore.Limits()
        limits.fileBytes = 400_000
        let store = try folder.open(limits: limits)
        let body = String(repeating: "a", count: 20_000)
        var stored = 0
        var failure: OfflineError?
        while failure == nil, stored < 100 {
            do throws(OfflineError) {
                // The second one is large.
                try await store.merge([
                    Samples.listed(1, revision: stored + 1), Samples.whole(stored + 2, body: body),
                ])
                stored += 1
            } catch { failure = error }
        }
        guard case .disk? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(stored > 5)
        #expect(try await store.loadArticle(Samples.id(1))?.article.revision == stored)
        #expect(try await store.loadArticle(Samples.id(stored + 2)) == nil)
        let write = try Writes.update(1, of: Samples.article(1), title: body)
        await #expect(throws: OfflineError.self) {
            try await store.commit(StoreChanges(writes: [write]))
        }
        #expect(try await store.loadWrites().isEmpty)
        // What is removed makes room.
        for number in 2...6 {
            try await store.merge([.removed(Article.self, Samples.id(number), .gone(revision: 9))])
        }
        try await store.merge([Samples.whole(200, body: body)])
        #expect(try await store.loadArticle(Samples.id(200)) != nil)
        #expect(folder.events.isEmpty)
    }

    @Test func `a copy of the files after any commit has what was committed`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var copies: [(name: String, expected: [String], writes: [Int])] = []
        var random = SplitMix64(seed: 4)
        for step in 1...40 {
            let number = Int.random(in: 1...8, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                try await store.merge([
                    .removed(Article.self, Samples.id(number), .gone(revision: step))
                ])
            case 1:
                let article = Samples.article(number)
                let write = try Writes.update(step, of: article, title: "Mine \(step)")
                try await store.commit(StoreChanges(writes: [write]))
            default: try await store.merge([Samples.whole(number, revision: step + 1)])
            }
            let name = folder.folder.file("copy-\(step)")
            for suffix in ["", "-wal"] {
                try Files.write(try Files.read("\(folder.path)\(suffix)"), to: name + suffix)
            }
            copies.append(
                (name, try await store.titles(), try await store.loadWrites().map(\.number)))
        }
        for (name, expected, writes) in copies {
            let copy = try ModelStore(.file(name)) { Issue.record("\($0)") }
            #expect(try await copy.titles() == expected)
            #expect(try await copy.loadWrites().map(\.number) == writes)
        }
    }

    @Test func `the last commit of a log that was cut off is the one before`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var states: [[String]] = [[]]
        for number in 1...6 {
            try await store.merge([Samples.listed(number)])
            states.append(try await store.titles())
        }
        let (file, log) = (try Files.read(folder.path), try Files.read("\(folder.path)-wal"))
        var reached: Set<Int> = []
        for length in stride(from: log.count, to: 0, by: -1_500) {
            let name = folder.folder.file("copy-\(length)")
            try Files.write(file, to: name)
            try Files.write(Array(log.prefix(length)), to: "\(name)-wal")
            let copy = try ModelStore(.file(name)) { Issue.record("\($0)") }
            let found = try await copy.titles()
            let state = try #require(states.firstIndex(of: found))
            reached.insert(state)
        }
        #expect(reached.contains(6) && reached.contains(0) && reached.count > 3)
    }

    // MARK: Several stores on one file

    @Test func `two stores on one file see each other's commits`() async throws {
        let folder = try StoreFolder()
        let (one, two) = (try folder.open(), try folder.open())
        try await one.merge([Samples.listed(1)])
        #expect(try await two.titles() == ["Article 1.1"])
        try await two.merge([Samples.listed(1, revision: 2), Samples.listed(2)])
        #expect(try await one.loadArticle(Samples.id(1))?.article.revision == 2)
        // Neither overwrites what the other one has merged.
        try await one.merge([Samples.whole(1, revision: 1, body: "Old")])
        #expect(try await two.loadArticle(Samples.id(1))?.article.body == "Old")
        #expect(try await two.loadArticle(Samples.id(1))?.article.revision == 2)
    }

    @Test func `observers see what another store has written after a look`() async throws {
        let folder = try StoreFolder()
        let (one, two) = (try folder.open(), try folder.open())
        var updates = one.article(Samples.id(1)).makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        try await two.merge([Samples.listed(1)])
        try await one.refresh()
        #expect(await updates.next()??.article.title == "Article 1.1")
    }

    @Test func `two stores that write at once lose nothing`() async throws {
        let folder = try StoreFolder()
        let stores = [try folder.open(), try folder.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    for number in 1...50 {
                        // A busy file is worth another attempt.
                        while true {
                            do throws(OfflineError) {
                                try await store.merge([
                                    Samples.listed(number * 2 + index, revision: 1),
                                    Samples.listed(1, revision: number * 2 + index),
                                ])
                                break
                            } catch .busy { continue }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            #expect(try await store.loadArticles(limit: 200).count == 101)
            #expect(try await store.loadArticle(Samples.id(1))?.article.revision == 101)
        }
    }

    @Test func `a store goes on when another one has set the file aside`() async throws {
        let folder = try StoreFolder()
        let (one, two) = (try folder.open(), try folder.open())
        try await one.merge([Samples.listed(1)])
        _ = try await two.titles()
        try RawDatabase(folder.path).execute("DROP TABLE articles")
        #expect(try await one.titles() == [])
        try await one.merge([Samples.listed(2)])
        #expect(try await two.titles() == ["Article 2.1"])
        #expect(try await one.titles() == ["Article 2.1"])
        #expect(folder.events.count == 1)
    }
}
