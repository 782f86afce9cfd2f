import ArticleAPI
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Observers get each change once, after it was stored, and keep nothing alive.
@Suite struct NoticeTests {
    private let id: Article.ID = Samples.id(1)

    @Test func `an article is announced when it changes, and only then`() async throws {
        let store = try ModelStore(.memory)
        var updates = store.article(id).makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        try await store.merge([Samples.listed(1)])
        #expect(await updates.next()??.article.title == "Article 1.1")
        // None of these changes what is shown.
        try await store.merge([Samples.listed(1, seenAt: 5)])
        try await store.merge([Samples.listed(2)])
        try await store.pin(Samples.id(2))
        try await store.merge([Samples.listed(1, revision: 2)])
        #expect(await updates.next()??.article.title == "Article 1.2")
        try await store.pin(id)
        #expect(await updates.next()??.isPinned == true)
        try await store.merge([.removed(Article.self, id, .gone(revision: 9))])
        #expect(await updates.next() == .some(.none))
    }

    @Test func `a list is announced when it changes`() async throws {
        let store = try ModelStore(.memory)
        let query = ArticleQuery(status: .published)
        var updates = store.articles(matching: query, order: .oldestFirst, limit: 2)
            .makeAsyncIterator()
        #expect(await updates.next() == [])
        try await store.merge([Samples.listed(2), Samples.listed(3)])
        #expect(await updates.next()?.map(\.article.slug) == ["article-2", "article-3"])
        try await store.merge([Samples.listed(4)])
        try await store.merge([Samples.listed(1)])
        #expect(await updates.next()?.map(\.article.slug) == ["article-1", "article-2"])
    }

    @Test func `authors, comments and names are announced`() async throws {
        let store = try ModelStore(.memory)
        var authors = store.model(Author.self, Samples.id(5)).makeAsyncIterator()
        var comments = store.comments(on: id).makeAsyncIterator()
        var articles = store.article(id).makeAsyncIterator()
        #expect(await authors.next() == .some(.none))
        #expect(await comments.next() == [])
        var article = Samples.article(1)
        article.authors = [Author.Reference(id: Samples.id(5), name: "Ada", revision: 1)]
        try await store.merge([
            .facts(ModelFacts(article, knowing: .inLists, seenAt: Samples.time(0))),
            .facts(ModelFacts(Samples.comment(6, on: 1), knowing: .all, seenAt: Samples.time(0))),
        ])
        #expect(await comments.next()?.count == 1)
        #expect(await articles.next()??.article.authors.first?.name == "Ada")
        let author = Samples.author(5, revision: 2, name: "Ada Lovelace")
        try await store.merge([
            .facts(ModelFacts(author, knowing: .all, seenAt: Samples.time(0)))
        ])
        #expect(await authors.next()??.name == "Ada Lovelace")
        #expect(await articles.next()??.article.authors.first?.name == "Ada Lovelace")
    }

    @Test func `a failed transaction is not announced`() async throws {
        let store = try ModelStore(.memory, limits: ModelStore.Limits(bytes: 3_000))
        try await store.pin(id)
        var updates = store.article(id).makeAsyncIterator()
        _ = await updates.next()
        let large = String(repeating: "a", count: 4_000)
        await #expect(throws: OfflineError.full) {
            try await store.merge([Samples.whole(1, revision: 7, body: large)])
        }
        try await store.merge([Samples.listed(1, revision: 2)])
        #expect(await updates.next()??.article.revision == 2)
    }

    @Test func `a slow observer gets the newest value only`() async throws {
        let store = try ModelStore(.memory)
        var updates = store.article(id).makeAsyncIterator()
        _ = await updates.next()
        for revision in 1...50 { try await store.merge([Samples.listed(1, revision: revision)]) }
        #expect(await updates.next()??.article.revision == 50)
    }

    @Test func `revisions are seen in order by many observers`() async throws {
        let store = try ModelStore(.memory)
        let last = 60
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...40 {
                group.addTask {
                    var seen = 0
                    for await cached in store.article(id) {
                        let revision = cached?.article.revision ?? 0
                        // The first value is that before any revision.
                        #expect(revision > seen || (revision == 0 && seen == 0))
                        seen = revision
                        if seen == last { break }
                    }
                    #expect(seen == last)
                }
            }
            group.addTask {
                for revision in 1...last {
                    try await store.merge([Samples.listed(1, revision: revision)])
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(store.notices.observers == 0)
    }

    @Test func `an observer does not keep the store alive, nor the store the observer`()
        async throws
    {
        var store: ModelStore? = try ModelStore(.memory)
        weak let released = store
        let notices = try #require(store?.notices)
        let sequence = try #require(store?.article(id))
        do {
            var updates = sequence.makeAsyncIterator()
            #expect(await updates.next() == .some(.none))
            #expect(notices.observers == 1)
        }
        #expect(notices.observers == 0)
        var updates = sequence.makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        store = nil
        #expect(await eventually { released == nil })
        #expect(await updates.next() == nil)
        #expect(await updates.next() == nil)
        var late = sequence.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `a sequence that waits ends when the store is released`() async throws {
        var store: ModelStore? = try ModelStore(.memory)
        let sequence = try #require(store?.articles())
        let isWaiting = Signal()
        let observer = Task {
            var count = 0
            for await _ in sequence {
                count += 1
                isWaiting.give()
            }
            return count
        }
        await isWaiting.wait()
        store = nil
        #expect(await observer.value == 1)
    }

    @Test func `a cancelled observer ends`() async throws {
        let store = try ModelStore(.memory)
        let isWaiting = Signal()
        let observer = Task {
            for await _ in store.article(id) { isWaiting.give() }
        }
        await isWaiting.wait()
        observer.cancel()
        await observer.value
        #expect(store.notices.observers == 0)
    }
}
