import ArticleAPI
import ArticleSearch
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The index for searches in a store's file.
@Suite struct StoredSearchTests {
    /// More than the documents that are in no segment.
    private static let count = UnsealedDocuments.limitDocuments + 24

    /// A file with articles and their index.
    private static func makeIndexed() async throws -> StoreFolder {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.merge((1...count).map { Samples.whole($0, body: "Rye bread \($0).") })
        #expect(try await store.search("rye", limit: 1_000).items.count == count)
        return folder
    }

    /// The number of steps that the first search after a launch takes.
    private static func steps(of query: String, in folder: StoreFolder) throws -> Int {
        let engine = try StoreEngine(.file(folder.path), ModelStore.Limits()) { _ in }
        var search = StoreSearch(SearchQuery(query), matching: ArticleQuery(), limit: 1)
        var steps = 1
        while try !engine.read({ () throws(OfflineError) in try engine.step(&search) }) {
            steps += 1
        }
        #expect(search.page.items.count == 1)
        return steps
    }

    @Test func `the first search after a launch reads only what has changed`() async throws {
        let folder = try await Self.makeIndexed()
        #expect(try Self.steps(of: "\"bread 7\"", in: folder) == 1)
        let store = try folder.open()
        try await store.merge([Samples.whole(7, revision: 2, body: "Oat cake.")])
        #expect(try Self.steps(of: "\"oat cake\"", in: folder) == 1)
        #expect(try await folder.open().search("\"bread 7\"").items.isEmpty)
    }

    /// Two apps of a group use the file, and each is launched again at times.
    @Test(arguments: UInt64(1)...(Thoroughness.isFull ? 20 : 3))
    func `after any launch and change, a search finds what comparing finds`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let folder = try await Self.makeIndexed()
        var stores = [try folder.open(), try folder.open()]
        for step in 2...30 {
            let app = Int.random(in: 0...1, using: &random)
            if Int.random(in: 0...3, using: &random) == 0 { stores[app] = try folder.open() }
            try await SearchLawTests.change(stores[app], step, &random)
            guard let query = (SearchLawTests.queries + ["rye"]).randomElement(using: &random)
            else { return }
            let reader = stores[Int.random(in: 0...1, using: &random)]
            let page = try await reader.search(query, limit: 1_000)
            let used = SearchQuery(page.correctedTo ?? query)
            let expected = try await reader.loadArticles(limit: 1_000).filter {
                used.matches(SearchText(SearchDocument(shown: $0.article)))
            }
            #expect(
                Set(page.items.map(\.article.id)) == Set(expected.map(\.id)),
                "\(query) in step \(step)")
        }
        #expect(folder.events.isEmpty)
    }

    @Test(arguments: [
        "UPDATE search_segments SET version = version + 1",
        "UPDATE search_segments SET level = 0, dead = x'FFFF'",
        "UPDATE search_blocks SET first = x'00'",
        "UPDATE search_blocks SET data = x'02'",
        "DELETE FROM search_blocks WHERE row & 1073741824 = 0",
        "UPDATE search_blocks SET data = x'FF00' WHERE row & 1073741824 = 0",
        "DELETE FROM search_blocks WHERE row & 1073741824 <> 0",
    ])
    func `an index that is damaged, or of another app, is made again`(damage: String) async throws {
        let folder = try await Self.makeIndexed()
        try RawDatabase(folder.path).execute(damage)
        #expect(try await folder.open().search("rye", limit: 1_000).items.count == Self.count)
        #expect(try Self.steps(of: "\"bread 7\"", in: folder) == 1)
        #expect(folder.events.isEmpty)
    }

    @Test func `apps that search do not write the index in turn`() async throws {
        let folder = try await Self.makeIndexed()
        let stores = [try folder.open(), try folder.open()]
        try await stores[0].merge([Samples.whole(7, revision: 2, body: "Oat cake.")])
        let database = try RawDatabase(folder.path)
        let version = try database.number("PRAGMA data_version")
        for _ in 1...2 {
            for store in stores {
                #expect(try await store.search("rye", limit: 1_000).items.count == Self.count - 1)
            }
        }
        #expect(try database.number("PRAGMA data_version") == version)
    }

    @Test func `the index of a file that is full is made for each launch`() async throws {
        let folder = try StoreFolder()
        try await folder.open().merge(
            (1...Self.count).map { Samples.whole($0, body: "Rye bread \($0).") })
        let database = try RawDatabase(folder.path)
        let pages = try #require(try database.number("PRAGMA page_count"))
        var limits = ModelStore.Limits()
        limits.fileBytes = Int(pages) * StoreFile.pageBytes
        for _ in 1...2 {
            let store = try folder.open(limits: limits)
            #expect(try await store.search("rye", limit: 1_000).items.count == Self.count)
            #expect(try database.number("SELECT count(*) FROM search_segments") == 0)
        }
    }

    @Test func `a new snapshot of a mirror discards the index`() async throws {
        let folder = try await Self.makeIndexed()
        let store = try folder.open()
        _ = try await store.beginMirror("all", filter: "")
        let page = ChangePage(
            changes: [SyncChange.putArticle(Samples.article(1), revision: 1)], next: "a",
            more: false)
        _ = try await store.apply(
            MirrorPage(page, knowing: .inLists, isFiltered: false, seenAt: Samples.time(1)),
            to: "all")
        let database = try RawDatabase(folder.path)
        #expect(try database.number("SELECT count(*) FROM search_segments") == 0)
        #expect(try await store.search("rye", limit: 1_000).items.count == Self.count)
        #expect(try #require(try database.number("SELECT count(*) FROM search_segments")) > 0)
    }
}
