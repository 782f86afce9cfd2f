import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Mirrors in the store: pages with their tokens, and what belongs to them.
@Suite struct MirrorTableTests {
    private func page(
        _ changes: [SyncChange<Article>], next: String, more: Bool = false,
        isFiltered: Bool = false, seenAt seconds: Int = 1
    ) -> MirrorPage {
        MirrorPage(
            ChangePage(changes: changes, next: next, more: more), knowing: .inLists,
            isFiltered: isFiltered, seenAt: Samples.time(seconds))
    }

    private func put(
        _ numbers: Int..., revision: Int = 1, history: String = "aaaaaa"
    ) -> [SyncChange<Article>] {
        numbers.map {
            .putArticle(
                Samples.article($0, revision: revision, history: history), revision: revision)
        }
    }

    @Test func `a page is stored with its token, and survives a restart`() async throws {
        let folder = try StoreFolder()
        var store = try folder.open()
        #expect(try await store.mirror("all") == nil)
        #expect(try await !store.apply(page(put(9), next: "x"), to: "all"))
        #expect(try await store.titles() == [])
        let begun = try await store.beginMirror("all", filter: "tag=a")
        #expect(begun == StoredMirror(filter: "tag=a", token: nil, isComplete: false, members: 0))
        #expect(try await store.apply(page(put(1, 2), next: "a", more: true), to: "all"))
        store = try folder.open()
        let mirror = try await store.beginMirror("all", filter: "tag=a")
        #expect(mirror == StoredMirror(filter: "tag=a", token: "a", isComplete: false, members: 2))
        #expect(try await store.apply(page(put(3), next: "b"), to: "all"))
        #expect(
            try await store.mirror("all")
                == StoredMirror(filter: "tag=a", token: "b", isComplete: true, members: 3))
        #expect(try await store.titles() == ["Article 3.1", "Article 2.1", "Article 1.1"])
    }

    @Test func `deletions leave the mirror and the store`() async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("all", filter: "")
        _ = try await store.apply(page(put(1, 2), next: "a"), to: "all")
        _ = try await store.apply(
            page([.deleteArticle(Samples.id(1), revision: 2)], next: "b"), to: "all")
        #expect(try await store.titles() == ["Article 2.1"])
        #expect(try await store.mirror("all")?.members == 1)
    }

    @Test func `what leaves one mirror may stay in another`() async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("one", filter: "tag=a")
        _ = try await store.beginMirror("two", filter: "tag=b")
        _ = try await store.apply(page(put(1), next: "a", isFiltered: true), to: "one")
        _ = try await store.apply(page(put(1, revision: 2), next: "a", isFiltered: true), to: "two")
        let left = page([.deleteArticle(Samples.id(1), revision: 2)], next: "b", isFiltered: true)
        _ = try await store.apply(left, to: "one")
        #expect(try await store.titles() == ["Article 1.2"])
        #expect(try await store.mirror("one")?.members == 0)
        #expect(try await store.mirror("two")?.members == 1)
    }

    @Test func `until a new snapshot is complete, the former one remains`() async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("all", filter: "")
        _ = try await store.apply(page(put(1, 2, 3, 4), next: "a"), to: "all")
        try await store.pin(Samples.id(3))
        let write = try Writes.update(1, of: Samples.article(4), title: "Mine")
        try await store.commit(StoreChanges(writes: [write]))
        try await store.restartMirror("all")
        let mirror = try #require(try await store.mirror("all"))
        #expect(mirror.token == nil && !mirror.isComplete && mirror.members == 0)
        _ = try await store.apply(page(put(1), next: "b", more: true), to: "all")
        #expect(try await store.loadArticles().count == 4)
        _ = try await store.apply(page([], next: "c"), to: "all")
        #expect(
            try await store.titles(order: .oldestFirst) == ["Article 1.1", "Article 3.1", "Mine"])
        #expect(try await store.mirror("all")?.members == 1)
    }

    @Test func `a mirror begins anew if it does not confirm what the outbox was told`()
        async throws
    {
        for (later, isConfirmed) in [
            ([], false), (put(1, revision: 3), true), (put(1, revision: 4), true),
            // Of another history, which somebody else has gone on with.
            (put(1, revision: 2, history: "bbbbbb"), false),
        ] as [([SyncChange<Article>], Bool)] {
            let store = try ModelStore(.memory(of: "ada"))
            _ = try await store.beginMirror("all", filter: "")
            _ = try await store.apply(page(put(1, 2), next: "a"), to: "all")
            let write = try Writes.update(1, of: Samples.article(1), title: "Mine")
            try await store.commit(StoreChanges(writes: [write]))
            try await store.commit(
                StoreChanges(
                    updates: [Samples.listed(1, revision: 3, title: "Mine", seenAt: 2)],
                    finishedWrites: [1]))
            // One that was requested before the write cannot have it.
            var early = page([], next: "b", seenAt: 1)
            early.requestedAt = Samples.time(1)
            #expect(try await store.apply(early, to: "all"))
            var late = page(later, next: "c", seenAt: 3)
            late.requestedAt = Samples.time(3)
            #expect(try await store.apply(late, to: "all") == isConfirmed)
            let mirror = try #require(try await store.mirror("all"))
            #expect((mirror.token != nil) == isConfirmed)
            guard !isConfirmed else { continue }
            _ = try await store.apply(page(put(1, 2), next: "d", seenAt: 4), to: "all")
            #expect(try await store.titles() == ["Article 2.1", "Article 1.1"])
        }
    }

    @Test func `authors of a mirror are called as it says, not as the outbox was told`()
        async throws
    {
        let store = try ModelStore(.memory(of: "ada"))
        _ = try await store.beginMirror("all", filter: "")
        var article = Samples.article(1)
        article.authors = [Author.Reference(id: Samples.id(7), name: "Bea", revision: 1)]
        let author = SyncChange<Article>.putAuthor(Samples.author(7, name: "Bea"))
        _ = try await store.apply(
            page([author, .putArticle(article, revision: 1)], next: "a"), to: "all")
        var edited = Samples.article(1, revision: 2)
        edited.authors = [Author.Reference(id: Samples.id(7), name: "Lost", revision: 2)]
        let facts = ModelFacts(edited, knowing: .inArticles, seenAt: Samples.time(2))
        try await store.commit(
            StoreChanges(
                updates: [.facts(facts)],
                writes: [Writes.update(1, of: Samples.article(2), title: "Mine")]))
        var shown = try await store.loadArticle(edited.id)?.article
        #expect(shown?.title == edited.title && shown?.authors.map(\.name) == ["Bea"])
        let renamed = Samples.author(7, revision: 2, name: "Cid")
        _ = try await store.apply(page([.putAuthor(renamed)], next: "b", seenAt: 3), to: "all")
        shown = try await store.loadArticle(edited.id)?.article
        #expect(shown?.authors.map(\.name) == ["Cid"])
    }

    @Test func `another filter starts anew`() async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("all", filter: "tag=a")
        _ = try await store.apply(page(put(1, 2), next: "a"), to: "all")
        let other = try await store.beginMirror("all", filter: "tag=b")
        #expect(other == StoredMirror(filter: "tag=b", token: nil, isComplete: false, members: 0))
        _ = try await store.apply(page(put(2, 3), next: "b"), to: "all")
        #expect(try await store.titles() == ["Article 3.1", "Article 2.1"])
    }

    /// With another filter, no token is sent that the backend could reject.
    @Test(arguments: ["", "tag=b"])
    func `a new history replaces the former one`(filter: String) async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("all", filter: "")
        _ = try await store.apply(page(put(1, 2, revision: 7), next: "a"), to: "all")
        _ = try await store.apply(
            page([.deleteArticle(Samples.id(3), revision: 9)], next: "b"), to: "all")
        _ = try await store.beginMirror("all", filter: filter)
        if filter.isEmpty { try await store.restartMirror("all") }
        _ = try await store.apply(
            page(put(1, 3, revision: 2, history: "zzzzzz"), next: "c", seenAt: 5), to: "all")
        #expect(try await store.titles() == ["Article 3.2", "Article 1.2"])
    }

    @Test func `authors and comments belong to a mirror, too`() async throws {
        let store = try ModelStore(.memory, limits: ModelStore.Limits(bytes: 8_000))
        _ = try await store.beginMirror("all", filter: "")
        let author = SyncChange<Article>.putAuthor(Samples.author(5, name: "Ada"))
        let comment = SyncChange<Article>.putComment(Samples.comment(6, on: 1))
        _ = try await store.apply(page([author, comment], next: "a"), to: "all")
        for number in 10...40 { try await store.merge([Samples.listed(number, seenAt: number)]) }
        #expect(try await store.load(Author.self, Samples.id(5))?.name == "Ada")
        #expect(try await store.loadComments(on: Samples.id(1)).count == 1)
        _ = try await store.apply(
            page(
                [
                    .deleteAuthor(Samples.id(5), revision: 2),
                    .deleteComment(Samples.id(6), revision: 2),
                ], next: "b"), to: "all")
        #expect(try await store.load(Author.self, Samples.id(5)) == nil)
        #expect(try await store.loadComments(on: Samples.id(1)).isEmpty)
    }
}
