import ArticleAPI
import ArticleClient
import BroadsheetPlatform
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Values that an app keeps under keys.
@Suite struct ValueTests {
    private let tag = ArticleTag(named: "Baking")

    @Test func `values are kept for the account, and say when they change`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open(of: "ada")
        var updates = store.value([ArticleTag].self, forKey: "followed").makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        try await store.setValue([tag], forKey: "followed")
        try await store.setValue(RawBody([1, 2]), forKey: "picture")
        try await store.setValue([tag], forKey: "followed")
        #expect(await updates.next() == [tag])
        try await store.changeValue([ArticleTag].self, forKey: "followed") { tags in
            tags = (tags ?? []) + [ArticleTag(named: "Bread")]
        }
        #expect(await updates.next()??.count == 2)
        let again = try folder.open(of: "ada")
        #expect(try await again.loadValue([ArticleTag].self, forKey: "followed")?.count == 2)
        #expect(try await again.loadValue(RawBody.self, forKey: "picture")?.bytes == [1, 2])
        // That of another type is none.
        #expect(try await again.loadValue(ArticleTag.self, forKey: "picture") == nil)
        try await store.setValue([ArticleTag]?.none, forKey: "followed")
        #expect(await updates.next() == .some(.none))
        #expect(try await again.loadValue([ArticleTag].self, forKey: "followed") == nil)
        #expect(throws: OfflineError.otherAccount) { try folder.open(of: "mina") }
    }

    @Test func `values have a limit together, and the newest stay`() async throws {
        let store = try ModelStore(
            .memory, limits: ModelStore.Limits(bytes: 1_000, valueBytes: 5_000))
        let body = RawBody([UInt8](repeating: 7, count: 900))
        for number in 1...20 { try await store.setValue(body, forKey: "\(number)") }
        func keys() async throws -> [Int] {
            var found: [Int] = []
            for number in 1...20
            where try await store.loadValue(RawBody.self, forKey: "\(number)") != nil {
                found.append(number)
            }
            return found
        }
        #expect(try await keys() == [17, 18, 19, 20])
        // Storing one again makes it the newest; a smaller one needs no room.
        try await store.setValue(RawBody([1]), forKey: "17")
        for number in 21...22 { try await store.setValue(body, forKey: "\(number)") }
        #expect(try await keys() == [17, 19, 20])
        await #expect(throws: OfflineError.full) {
            try await store.setValue(RawBody([UInt8](repeating: 7, count: 6_000)), forKey: "17")
        }
        #expect(try await store.loadValue(RawBody.self, forKey: "17")?.bytes == [1])
    }

    @Test func `a value is there for its lifetime`() async throws {
        let seconds = Lock<Int64>(1_800_000_000)
        var environment = ClientEnvironment.system
        environment.wallSeconds = { seconds.withLock { $0 } }
        let store = try ModelStore(.memory, environment: environment)
        try await store.setValue(tag, forKey: "short", expiringAfter: .seconds(60))
        try await store.setValue(tag, forKey: "long")
        seconds.withLock { $0 += 59 }
        #expect(try await store.loadValue(ArticleTag.self, forKey: "short") == tag)
        // The same value again begins its time again.
        try await store.setValue(tag, forKey: "short", expiringAfter: .seconds(60))
        seconds.withLock { $0 += 59 }
        #expect(try await store.loadValue(ArticleTag.self, forKey: "short") == tag)
        seconds.withLock { $0 += 2 }
        #expect(try await store.loadValue(ArticleTag.self, forKey: "short") == nil)
        // The next change announces that.
        var updates = store.value(ArticleTag.self, forKey: "short").makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        #expect(try await store.loadValue(ArticleTag.self, forKey: "long") == tag)
        // Without a lifetime, the same value stays.
        try await store.setValue(tag, forKey: "long", expiringAfter: .seconds(60))
        try await store.setValue(tag, forKey: "long")
        seconds.withLock { $0 += 61 }
        #expect(try await store.loadValue(ArticleTag.self, forKey: "long") == tag)
    }

    @Test func `values survive a damaged file`() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.setValue(tag, forKey: "a")
        try await store.setValue(tag, forKey: "b", expiringAfter: .seconds(1_000_000))
        try RawDatabase(folder.path).execute("DROP TABLE articles")
        #expect(try await store.titles() == [])
        #expect(folder.events.count == 1)
        for key in ["a", "b"] {
            #expect(try await store.loadValue(ArticleTag.self, forKey: key) == tag)
        }
    }

    @Test func `two handles change one value after the other`() async throws {
        let folder = try StoreFolder()
        let stores = [try folder.open(), try folder.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for _ in 1...20 {
                        // A busy file is worth another attempt.
                        while true {
                            do throws(OfflineError) {
                                try await store.changeValue(RawBody.self, forKey: "count") {
                                    $0 = RawBody(($0?.bytes ?? []) + [1])
                                }
                                break
                            } catch .busy { continue }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].loadValue(RawBody.self, forKey: "count")?.bytes.count == 40)
    }
}
