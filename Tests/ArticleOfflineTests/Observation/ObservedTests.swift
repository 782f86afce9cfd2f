import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetTestSupport
import Observation
import Testing

/// Objects that views observe.
@MainActor @Suite struct ObservedTests {
    private let store: ModelStore

    init() throws { store = try ModelStore(.memory) }

    private static let time = Timestamp(milliseconds: 1_800_000_000_000)

    private func article(
        _ slug: String, _ id: Article.ID = Article.ID(at: time), revision: Int = 1
    ) -> Article {
        Article(
            id: id, slug: slug, title: slug, body: nil, language: "en",
            tags: [ArticleTag(named: "Baking")], status: .published, publishedAt: Self.time,
            createdAt: Self.time, updatedAt: Self.time, revision: revision, wordCount: 1,
            readingMinutes: 1)
    }

    private func merge(_ article: Article) async throws {
        let facts = ModelFacts(article, knowing: .inLists, seenAt: Self.time)
        try await store.merge([.facts(facts)])
    }

    /// Waits as a view does, until the objects that the condition reads satisfy it.
    private func observed(_ condition: () -> Bool) async {
        while true {
            let changed = Signal()
            guard !withObservationTracking(condition, onChange: { changed.give() }) else { return }
            await changed.wait()
        }
    }

    @Test func `an article is observed as it changes`() async throws {
        let id = Article.ID(at: Self.time)
        let shown = ObservedArticle(id, in: store)
        #expect(!shown.isLoaded && shown.id == id)
        await observed { shown.isLoaded }
        #expect(shown.cached == nil)
        try await merge(article("a", id))
        await observed { shown.cached?.article.title == "a" }
        try await merge(article("b", id, revision: 2))
        await observed { shown.cached?.article.title == "b" }
        #expect(shown.cached?.known.contains("body") == false)
    }

    @Test func `a list is observed, with its sections`() async throws {
        let list = ObservedArticles(in: store, matching: ArticleQuery(tags: ["baking"]))
        await observed { list.isLoaded }
        #expect(list.articles.isEmpty)
        try await merge(article("a"))
        try await merge(article("b"))
        await observed { list.articles.count == 2 }
        #expect(Set(list.articles.map(\.article.slug)) == ["a", "b"])
        await observed { list.byTag.itemCount == 2 }
        #expect(list.byTag.groups.map(\.section.id) == [.tag("baking")])
        #expect(list.byDay { _ in 0 }.groups.count == 1)
        #expect(list.byAuthor.groups.map(\.section) == [.other])
    }

    @Test func `a mirror's state is observed`() async throws {
        let release = Signal()
        let feed = ChangeFeed()
        feed.add("a")
        let page = try feed.page(FetchChangesRequest())
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(Patience.seconds)
        let transport = InProcessTransport { _, _ in
            await release.wait()
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json"], body: .bytes(page.json()))
        }
        let backend = BackendService(configuration: configuration, transport: transport)
        let mirror = ArticleMirror(store: store, backend: backend, name: "all")
        let shown = ObservedMirror(mirror)
        #expect(shown.state == .idle)
        let task = Task { try await mirror.catchUp() }
        await observed { shown.state == .initial(fraction: nil) }
        release.give()
        #expect(try await task.value)
        await observed { shown.state == .idle }
    }

    @Test func `an outbox is observed, and not kept alive`() async throws {
        weak var released: Outbox?
        let shown: ObservedOutbox
        do {
            let store = try ModelStore(.memory(of: "ada"))
            let outbox = Outbox(store: store, backend: .stub { _ in })
            shown = ObservedOutbox(outbox)
            #expect(shown.state == nil)
            await observed { shown.state?.entries.isEmpty == true }
            _ = try await outbox.create(Article.Draft(title: "Rye"))
            await observed { shown.state?.entries.count == 1 }
            released = outbox
        }
        #expect(await eventually { released == nil })
        #expect(shown.state?.pause == .notRunning)
    }

    @Test func `what is observed is not kept alive, nor is what observes`() async throws {
        weak var released: ObservedArticles?
        weak var releasedStore: ModelStore?
        var kept: ObservedArticle?
        do {
            let store = try ModelStore(.memory)
            let list = ObservedArticles(in: store)
            let shown = ObservedArticle(Article.ID(at: Self.time), in: store)
            await observed { list.isLoaded && shown.isLoaded }
            (released, releasedStore, kept) = (list, store, shown)
            #expect(store.notices.observers == 2)
        }
        #expect(await eventually { released == nil && releasedStore == nil })
        #expect(kept?.isLoaded == true)
    }

    @Test func `an object that is released observes no more`() async throws {
        var shown: ObservedArticle? = ObservedArticle(Article.ID(at: Self.time), in: store)
        #expect(shown != nil)
        await observed { shown?.isLoaded == true }
        shown = nil
        let notices = store.notices
        #expect(await eventually { notices.observers == 0 })
    }

    @Test func `an observed mirror is released`() async throws {
        weak var released: ArticleMirror?
        let backend = BackendService.stub { _ in }
        let shown: ObservedMirror
        do {
            let mirror = ArticleMirror(store: store, backend: backend, name: "all")
            shown = ObservedMirror(mirror)
            released = mirror
        }
        #expect(await eventually { released == nil })
        #expect(shown.state == .idle)
    }
}
