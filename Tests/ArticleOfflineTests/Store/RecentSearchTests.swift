import ArticleAPI
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The recent searches.
@Suite struct RecentSearchTests {
    @Test func `the newest is first, and of those that mean the same it stays`() {
        var recent = RecentSearches()
        for query in ["Café au lait", "swift 구조체", "  cafe   AU lait ", "\"cafe au\" lait"] {
            recent.add(query)
        }
        #expect(recent.queries == ["\"cafe au\" lait", "cafe AU lait", "swift 구조체"])
        recent.remove("SWIFT 구조체")
        #expect(recent.queries == ["\"cafe au\" lait", "cafe AU lait"])
        recent.removeAll()
        #expect(recent == RecentSearches())
    }

    @Test func `what finds nothing is not kept`() {
        var recent = RecentSearches()
        for query in ["", " \n", "-swift", "\"\"", String(repeating: "a", count: 201)] {
            recent.add(query)
        }
        #expect(recent.queries == [])
    }

    @Test func `twenty are kept`() {
        var recent = RecentSearches()
        for number in 1...25 { recent.add("query \(number)") }
        #expect(recent.queries == (6...25).reversed().map { "query \($0)" })
    }

    @Test func `a store keeps them for its account, and says when they change`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open(of: "ada")
        var updates = store.recentSearches().makeAsyncIterator()
        #expect(await updates.next() == RecentSearches())
        try await store.changeRecentSearches { $0.add("swift") }
        #expect(await updates.next()?.queries == ["swift"])
        try await store.changeRecentSearches { $0.add("빵 \"rye\"") }
        let again = try folder.open(of: "ada")
        #expect(try await again.loadRecentSearches().queries == ["빵 \"rye\"", "swift"])
        try await again.changeRecentSearches { $0.removeAll() }
        #expect(try await store.loadRecentSearches().queries == [])
        let other = try ModelStore(.file(folder.folder.file("other.store"), of: "mina"))
        #expect(try await other.loadRecentSearches().queries == [])
    }

    @Test func `they survive a damaged file`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.changeRecentSearches { $0.add("swift") }
        try RawDatabase(folder.path).execute("DROP TABLE articles")
        #expect(try await store.titles() == [])
        #expect(folder.events.count == 1)
        #expect(try await store.loadRecentSearches().queries == ["swift"])
    }

    @Test func `what another version of the app kept has to fit`() async throws {
        let store = try ModelStore(.memory)
        let long = String(repeating: "x", count: 300)
        let texts = ["swift", long] + (1...30).map { "query \($0)" }
        let json = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        let bytes = RawBody(Array(json.utf8))
        try await store.setValue(bytes, forKey: "broadsheet.recentSearches")
        let queries = try await store.loadRecentSearches().queries
        #expect(queries.first == "swift" && !queries.contains(long))
        #expect(queries.count == RecentSearches.limit)
    }
}
