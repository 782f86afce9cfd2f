import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The loading, following and restart of a mirror.
@Suite struct MirrorTests {
    private let backend = FeedBackend()
    private let time = FastClock()
    private let store: ModelStore

    init() throws { store = try ModelStore(.memory, environment: time.environment) }

    private func mirror(
        _ filter: FetchChangesRequest = FetchChangesRequest(), _ name: String = "all"
    ) -> ArticleMirror {
        ArticleMirror(
            store: store, backend: backend.service(environment: time.environment), name: name,
            filter: filter)
    }

    // MARK: Following

    @Test func `it loads a snapshot and then follows, and says how far it is`() async throws {
        let ids = (1...3).map { backend.feed.add("a\($0)") }
        let mirror = mirror()
        let seen = Lock([String]())
        backend.beforeResponses { request in
            seen.withLock { $0.append("\(request): \(mirror.state)") }
        }
        #expect(mirror.state == .idle)
        let following = mirror.follow()
        #expect(await eventually { seen.withLock { $0.count } == 5 })
        func initial(_ arrived: Double) -> ArticleMirror.State { .initial(fraction: arrived / 3) }
        let expected = [
            "page: \(ArticleMirror.State.initial(fraction: nil))",
            "count: \(ArticleMirror.State.initial(fraction: nil))",
            "page 1.1.: \(initial(1))", "page 1.2.: \(initial(2))", "stream 1.3.: live",
        ]
        #expect(seen.withLock { $0 } == expected)
        await mirror.wait { $0 == .live }
        backend.feed.change(ids[0]) { $0.title = "New" }
        try backend.push(since: "1.3.")
        for await shown in store.article(ids[0]) where shown?.article.title == "New" { break }
        #expect(mirror.state == .live)
        #expect(try await store.slugs() == ["a1", "a2", "a3"])
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
        #expect(mirror.state == .idle)
        backend.beforeResponses { _ in }
    }

    @Test func `it says until when it waits, and why`() async throws {
        let release = Signal()
        var environment = time.environment
        environment.sleep = { _ in await release.wait() }
        let failures = Counter()
        backend.beforeResponses { _ in
            if failures.next() == 0 { throw TransportError.offline("no network") }
        }
        let mirror = ArticleMirror(
            store: store, backend: backend.service(environment: environment), name: "all")
        let following = mirror.follow()
        await mirror.wait { if case .waiting = $0 { true } else { false } }
        guard case .waiting(let until, let error) = mirror.state else {
            throw TestFailure("\(mirror.state)")
        }
        #expect(until.milliseconds > 1_900_000_000_000)
        #expect(error == .offline("no network"))
        release.give()
        await mirror.wait { $0 == .live }
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    @Test func `it catches up once, and tries a few times`() async throws {
        backend.feed.add("a1")
        let mirror = mirror()
        #expect(try await mirror.catchUp())
        #expect(mirror.state == .idle)
        #expect(try await store.slugs() == ["a1"])
        backend.beforeResponses { _ in throw TransportError.offline("no network") }
        let error = await ending { try await mirror.catchUp() }.error
        #expect(error == .backend(.offline("no network")))
        #expect(backend.requests == ["page", "page 1.1.", "page 1.1.", "page 1.1."])
    }

    @Test func `a later launch goes on where the earlier one ended`() async throws {
        let folder = try TemporaryFolder()
        let place = ModelStore.Location.file(folder.file("a.store"))
        for number in 1...4 { backend.feed.add("a\(number)") }
        backend.beforeResponses { request in
            if request == "page 1.2." { throw TransportError.offline("no network") }
        }
        for isFirst in [true, false] {
            let store = try ModelStore(place, environment: time.environment)
            let mirror = ArticleMirror(
                store: store, backend: backend.service(environment: time.environment), name: "all")
            let result = await ending { try await mirror.catchUp() }
            #expect((result.error == nil) == !isFirst)
            #expect(try await store.slugs().count == (isFirst ? 2 : 4))
            backend.beforeResponses { _ in }
        }
        let pages = backend.requests.filter { $0.hasPrefix("page") }
        #expect(
            pages == ["page", "page 1.1."] + Array(repeating: "page 1.2.", count: 4) + ["page 1.3."]
        )
    }

    @Test func `two calls at the same time store what one would`() async throws {
        for number in 1...5 { backend.feed.add("a\(number)") }
        let mirror = mirror()
        async let first = mirror.catchUp()
        async let second = mirror.catchUp()
        #expect(try await [first, second] == [true, true])
        #expect(try await store.slugs() == ["a1", "a2", "a3", "a4", "a5"])
        #expect(try await store.mirror("all")?.token == "1.5.")
    }

    @Test func `a page is only stored where the mirror is when it begins`() async throws {
        backend.feed.add("a1")
        let begun = try await store.beginMirror("all", filter: "tag=a")
        var page = MirrorPage(
            try backend.feed.page(FetchChangesRequest()), knowing: .inLists, isFiltered: false,
            seenAt: Timestamp(milliseconds: 1_800_000_000_000))
        page.position = MirrorPosition(begun)
        #expect(try await store.apply(page, to: "all"))
        // As if another process had stored it already.
        #expect(try await !store.apply(page, to: "all"))
        #expect(try await !store.restartMirror("all", from: MirrorPosition(begun)))
        #expect(try await store.mirror("all")?.token == "1.1.")
        _ = try await store.beginMirror("all", filter: "tag=b")
        #expect(try await !store.apply(page, to: "all"))
        #expect(try await store.mirror("all")?.token == nil)
    }

    // MARK: Starting anew

    /// A mirror of three articles, one of them pinned.
    private func filled() async throws -> (ArticleMirror, [Article.ID]) {
        let ids = (1...3).map { backend.feed.add("a\($0)", tags: $0 == 3 ? ["x"] : []) }
        let mirror = mirror()
        try await mirror.catchUp()
        return (mirror, ids)
    }

    @Test func `what is shown stays until a new snapshot is complete`() async throws {
        let (mirror, _) = try await filled()
        backend.beginAnew()
        for number in 1...3 { backend.feed.add("b\(number)") }
        let shown = Lock([String]())
        let store = store
        backend.beforeResponses { request in
            guard request != "count" else { return }
            let slugs = try await store.slugs().joined(separator: " ")
            shown.withLock { $0.append("\(request): \(slugs)") }
        }
        #expect(try await mirror.catchUp())
        #expect(
            shown.withLock { $0 } == [
                "page 1.3.: a1 a2 a3", "page: a1 a2 a3", "page 2.1.: a1 a2 a3 b1",
                "page 2.2.: a1 a2 a3 b1 b2",
            ])
        #expect(try await store.slugs() == ["b1", "b2", "b3"])
    }

    @Test func `a new history's names replace those of higher revisions`() async throws {
        let author = backend.feed.addAuthor("Mina")
        backend.feed.rename(author, "Mina Kim")
        backend.feed.add("a1", authors: [author])
        let mirror = mirror()
        try await mirror.catchUp()
        #expect(try await store.loadArticles().first?.article.authors.first?.name == "Mina Kim")
        backend.beginAnew()
        backend.feed.rename(author, "Mina Lee")
        backend.feed.add("a1", authors: [author])
        try await mirror.catchUp()
        #expect(try await store.loadArticles().map(\.article.authors.first?.name) == ["Mina Lee"])
    }

    @Test func `what is pinned or has unsent writes survives a new start`() async throws {
        let (mirror, ids) = try await filled()
        try await store.pin(ids[0])
        try await store.commit(
            StoreChanges(writes: [StoredWrite(number: 1, article: ids[1], entry: [])]))
        backend.beginAnew()
        try await mirror.catchUp()
        #expect(try await store.loadFacts(Article.self, ids[0]) != nil)
        #expect(try await store.loadFacts(Article.self, ids[1]) != nil)
        #expect(try await store.loadFacts(Article.self, ids[2]) == nil)
    }

    @Test func `another filter under the same name starts anew`() async throws {
        _ = try await filled()
        let tagged = mirror(FetchChangesRequest(limit: 7, tags: ["x"]))
        try await tagged.catchUp()
        #expect(try await store.slugs() == ["a3"])
        #expect(backend.requests.last == "page")
        // The size of a page is not part of it.
        try await mirror(FetchChangesRequest(tags: ["x"])).catchUp()
        #expect(backend.requests.last == "page 1.3.x")
    }

    @Test func `a token that is rejected while it follows starts anew`() async throws {
        let (mirror, ids) = try await filled()
        let following = mirror.follow()
        await mirror.wait { $0 == .live }
        #expect(await eventually { backend.requests.last == "stream 1.3." })
        backend.feed.reset()
        backend.feed.delete(ids[0])
        backend.cutStream()
        for await list in store.articles() where list.count == 2 { break }
        #expect(try await store.slugs() == ["a2", "a3"])
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    @Test func `what the backend does not show is removed when it is current`() async throws {
        let (mirror, _) = try await filled()
        // A response from before, of what was deleted meanwhile and never seen by the mirror.
        let stale = try #require(backend.feed.articles["a1"])
        var gone = stale
        gone.id = Article.ID(at: Timestamp(milliseconds: 5))
        gone.slug = "gone"
        let seenAt = Timestamp(milliseconds: 1_800_000_000_000)
        let facts = ModelFacts(gone, knowing: .inLists, seenAt: seenAt)
        try await store.merge([.facts(facts)])
        #expect(try await store.slugs().contains("gone"))
        try await mirror.catchUp()
        #expect(try await store.slugs() == ["a1", "a2", "a3"])
        try await store.merge([.facts(facts)])
        #expect(try await store.slugs() == ["a1", "a2", "a3"])
    }
}
