import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The behaviour of a mirror where the network, the store or the session do not let it follow.
@Suite struct MirrorConditionTests {
    private let backend = FeedBackend()
    private let time = FastClock()
    private let allowance = Lock(NetworkPolicy.unrestricted)

    private func store(
        _ place: ModelStore.Location = .memory, _ limits: ModelStore.Limits = .init()
    ) throws -> ModelStore {
        try ModelStore(place, limits: limits, environment: time.environment)
    }

    private func mirror(_ store: ModelStore) -> ArticleMirror {
        ArticleMirror(
            store: store, backend: backend.service(environment: time.environment), name: "all",
            allowance: { [allowance] in allowance.withLock { $0 } })
    }

    // MARK: The network

    @Test func `on a constrained network, only what the user asks for is requested`()
        async throws
    {
        backend.feed.add("a1")
        allowance.withLock { $0 = .constrained }
        let mirror = mirror(try store())
        let following = mirror.follow()
        await mirror.wait { $0 == .paused(.constrained) }
        #expect(try await mirror.catchUp() == false)
        #expect(backend.requests.isEmpty)
        #expect(try await mirror.catchUp(isForUser: true))
        #expect(backend.requests == ["page"])
        #expect(mirror.state == .paused(.constrained))
        allowance.withLock { $0 = .unrestricted }
        mirror.conditionsChanged()
        await mirror.wait { $0 == .live }
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    @Test func `with low power, there is no stream`() async throws {
        for number in 1...2 { backend.feed.add("a\(number)") }
        allowance.withLock { $0 = .lowPower }
        let mirror = mirror(try store())
        let following = mirror.follow()
        await mirror.wait { $0 == .paused(.lowPower) }
        #expect(backend.requests.isEmpty)
        #expect(try await mirror.catchUp())
        #expect(backend.requests == ["page", "count", "page 1.1."])
        #expect(mirror.state == .paused(.lowPower))
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
        #expect(mirror.state == .idle)
    }

    @Test(arguments: [NetworkPolicy.lowPower, .constrained, nil])
    func `it stops while it follows, and goes on`(limit: NetworkPolicy?) async throws {
        let id = backend.feed.add("a1")
        let store = try store()
        let mirror = mirror(store)
        let following = mirror.follow()
        #expect(await eventually { backend.requests.last == "stream 1.1." })
        if let limit {
            allowance.withLock { $0 = limit }
            mirror.conditionsChanged()
        } else {
            mirror.suspend()
        }
        guard case .paused = mirror.state else { throw TestFailure("\(mirror.state)") }
        let count = backend.requests.count
        backend.feed.change(id) { $0.title = "New" }
        try backend.push(since: "1.1.")
        if limit == nil { #expect(try await mirror.catchUp()) }
        #expect(backend.requests.count == (limit == nil ? count + 1 : count))
        allowance.withLock { $0 = .unrestricted }
        if limit == nil { mirror.resume() } else { mirror.conditionsChanged() }
        for await shown in store.article(id) where shown?.article.title == "New" { break }
        await mirror.wait { $0 == .live }
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    @Test func `a closure that changes its mind is asked before each request`() async throws {
        for number in 1...4 { backend.feed.add("a\(number)") }
        let allowance = allowance
        backend.beforeResponses { request in
            if request == "page 1.2." { allowance.withLock { $0 = .constrained } }
        }
        let mirror = mirror(try store())
        let result = try await mirror.catchUp()
        #expect(!result)
        #expect(backend.requests == ["page", "count", "page 1.1.", "page 1.2."])
    }

    // MARK: The store

    /// About what an article takes in the store.
    private func bytes(_ id: Article.ID) throws -> Int {
        let article = try #require(backend.feed.articles.values.first { $0.id == id })
        return ModelFacts(article, knowing: .inLists, seenAt: article.createdAt).stored.count + 400
    }

    @Test func `a full store keeps what it has, and goes on when there is room`() async throws {
        for number in 1...2 { backend.feed.add("b\(number)", tags: ["b"]) }
        let ids = (1...2).map { backend.feed.add("a\($0)", tags: ["a"]) }
        let limits = ModelStore.Limits(bytes: try bytes(ids[0]) * 7 / 2)
        let store = try store(.memory, limits)
        func mirror(_ tag: String) -> ArticleMirror {
            ArticleMirror(
                store: store, backend: backend.service(environment: time.environment), name: tag,
                filter: FetchChangesRequest(tags: [tag]))
        }
        let (first, second) = (mirror("b"), mirror("a"))
        try await first.catchUp()
        let following = second.follow()
        await second.wait { $0 == .full }
        #expect(try await store.slugs() == ["a1", "b1", "b2"])
        #expect(try await store.mirror("a")?.token == "1.3.a")
        try await store.removeMirror("b")
        second.conditionsChanged()
        await second.wait { $0 == .live }
        #expect(try await store.slugs().filter { $0.hasPrefix("a") } == ["a1", "a2"])
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    @Test func `a page that cannot be stored leaves the token where it was`() async throws {
        let folder = try TemporaryFolder()
        let place = ModelStore.Location.file(folder.file("a.store"))
        for number in 1...60 {
            backend.feed.add("a\(number)", body: String(repeating: "Text. ", count: 500))
        }
        var limits = ModelStore.Limits()
        limits.fileBytes = 200_000
        let small = try store(place, limits)
        let error = await ending { try await mirror(small).catchUp() }.error
        guard case .disk? = error else { throw TestFailure("\(error as Any)") }
        let stored = try await small.slugs().count
        #expect(stored > 0 && stored < 60)
        #expect(try await small.mirror("all")?.token == "1.\(stored).")
    }

    @Test func `a mirror that was removed begins with a snapshot`() async throws {
        backend.feed.add("a1")
        let store = try store()
        let mirror = mirror(store)
        try await mirror.catchUp()
        try await store.removeMirror("all")
        try await mirror.catchUp()
        #expect(backend.requests == ["page", "page"])
    }

    // MARK: The session

    @Test func `another account's session is not mirrored`() async throws {
        backend.feed.add("a1")
        let auth = try BackendAuth(
            store: MemoryCredentialStore(Credentials(token: "t", account: "grace")))
        let store = try store(.memory(of: "ada"))
        let mirror = ArticleMirror(
            store: store, backend: backend.service(auth: auth, environment: time.environment),
            name: "all")
        #expect(await mirror.follow().value == .backend(.signedOut))
        #expect(await ending { try await mirror.catchUp() }.error == .backend(.signedOut))
        #expect(backend.requests.isEmpty)
    }

    // MARK: Ends

    @Test func `a mirror that has ended is released, and so is its store`() async throws {
        backend.feed.add("a1")
        weak var released: ArticleMirror?
        weak var releasedStore: ModelStore?
        let states: Task<Void, Never>
        do {
            let store = try store()
            let mirror = mirror(store)
            (released, releasedStore) = (mirror, store)
            let all = mirror.states
            states = Task { for await _ in all {} }
            let following = mirror.follow()
            await mirror.wait { $0 == .live }
            following.cancel()
            #expect(await following.value == .backend(.cancelled))
        }
        #expect(await eventually { released == nil && releasedStore == nil })
        // The sequence ends with the mirror.
        await states.value
    }
}
