import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// A store is bounded, and keeps what it has to keep.
@Suite struct LimitTests {
    private static let body = String(repeating: "a", count: 1_000)

    private func store(bytes: Int) throws -> ModelStore {
        try ModelStore(.memory, limits: ModelStore.Limits(bytes: bytes))
    }

    private func size(of store: ModelStore) async throws -> Int { try await store.size() }

    @Test func `what was not seen for the longest time goes first`() async throws {
        let store = try store(bytes: 30_000)
        for number in 1...10 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        // The first one is seen again.
        try await store.merge([Samples.listed(1, seenAt: 11)])
        for number in 11...40 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
            #expect(try await size(of: store) <= 30_000)
            if number == 16 { #expect(try await store.loadArticle(Samples.id(1)) != nil) }
        }
        let left = try await store.loadArticles(order: .oldestFirst).map(\.article.slug)
        #expect(left.last == "article-40" && !left.contains("article-1") && left.count > 5)
        let numbers = left.compactMap { Int($0.dropFirst("article-".count)) }
        #expect(numbers == Array((41 - left.count)...40))
    }

    @Test func `what is pinned stays, and the rest makes room`() async throws {
        let store = try store(bytes: 20_000)
        try await store.pin(Samples.id(1))
        for number in 1...40 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        #expect(try await store.loadArticle(Samples.id(1))?.isPinned == true)
        try await store.unpin(Samples.id(1))
        for number in 41...80 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        #expect(try await store.loadArticle(Samples.id(1)) == nil)
    }

    @Test func `what has unsent writes stays`() async throws {
        let store = try store(bytes: 20_000)
        try await store.merge([Samples.whole(1, body: Self.body)])
        let write = try Writes.update(1, of: Samples.article(1), title: "Mine")
        try await store.commit(StoreChanges(writes: [write]))
        for number in 2...40 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        #expect(try await store.loadArticle(Samples.id(1))?.article.title == "Mine")
        try await store.commit(StoreChanges(finishedWrites: [1]))
        for number in 41...80 {
            try await store.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        #expect(try await store.loadArticle(Samples.id(1)) == nil)
    }

    @Test func `a page that does not fit leaves the mirror where it was`() async throws {
        let store = try store(bytes: 20_000)
        try await store.merge([Samples.whole(99, body: Self.body)])
        _ = try await store.beginMirror("all", filter: "")
        func page(_ numbers: ClosedRange<Int>, next: String) -> MirrorPage {
            let changes = numbers.map { number in
                SyncChange.putArticle(Samples.article(number, body: Self.body), revision: 1)
            }
            return MirrorPage(
                ChangePage(changes: changes, next: next, more: true), knowing: .inArticles,
                isFiltered: false, seenAt: Samples.time(1))
        }
        #expect(try await store.apply(page(1...5, next: "a"), to: "all"))
        await #expect(throws: OfflineError.full) {
            try await store.apply(page(6...30, next: "b"), to: "all")
        }
        let mirror = try #require(try await store.mirror("all"))
        #expect(mirror.token == "a" && mirror.members == 5)
        #expect(try await store.loadArticles().count == 6)
        // When it is no longer mirrored, it makes room.
        try await store.removeMirror("all")
        try await store.merge([Samples.whole(50, body: Self.body, seenAt: 50)])
        #expect(try await store.loadArticle(Samples.id(50)) != nil)
    }

    @Test func `a smaller limit applies to what is there`() async throws {
        let folder = try StoreFolder()
        let large = try folder.open()
        for number in 1...20 {
            try await large.merge([Samples.whole(number, body: Self.body, seenAt: number)])
        }
        for number in 1...20 { try await large.pin(Samples.id(number)) }
        let small = try folder.open(limits: ModelStore.Limits(bytes: 5_000))
        // What frees space succeeds.
        try await small.merge([.removed(Article.self, Samples.id(20), .gone(revision: 2))])
        await #expect(throws: OfflineError.full) {
            try await small.merge([Samples.whole(1, revision: 2, body: Self.body + "b")])
        }
        for number in 1...19 { try await small.unpin(Samples.id(number)) }
        #expect(try await size(of: small) <= 5_000)
    }

    @Test func `a store of nothing keeps nothing`() async throws {
        let store = try store(bytes: 0)
        try await store.merge([Samples.whole(1)])
        #expect(try await store.titles() == [])
    }

    @Test func `little memory changes nothing but speed`() async throws {
        let store = try ModelStore(.memory, limits: ModelStore.Limits(memoryBytes: 0))
        for round in 1...3 {
            for number in 1...20 {
                try await store.merge([Samples.listed(number, revision: round)])
            }
        }
        #expect(try await store.titles(limit: 2) == ["Article 20.3", "Article 19.3"])
    }
}
