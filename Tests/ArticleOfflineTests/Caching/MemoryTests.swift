import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The knowledge of a store after requests, and its items without a network.
@Suite struct MemoryTests {
    /// A configuration whose times a busy machine does not exceed.
    private static var patient: BackendConfiguration {
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(Patience.seconds)
        return configuration
    }

    /// A service with a stub and a store, whose clock advances by a second with each request.
    private final class Fixture: Sendable {
        let articles = Lock<[Article.ID: Article]>([:])
        let isOffline = Lock(false)
        let isMissing = Lock(false)
        let events = Lock([StoreEvent]())
        let seconds = Lock<Int64>(1_800_000_000)

        var environment: ClientEnvironment {
            var environment = ClientEnvironment.system
            environment.wallSeconds = { [seconds] in
                seconds.withLock { seconds in
                    seconds += 1
                    return seconds
                }
            }
            return environment
        }

        func store(of account: String? = nil) throws -> ModelStore {
            try ModelStore(.memory(of: account), environment: environment) { [events] event in
                events.withLock { $0.append(event) }
            }
        }

        func put(_ article: Article) { articles.withLock { $0[article.id] = article } }

        func backend(
            auth: BackendAuth = BackendAuth()
        ) -> BackendService {
            .stub(auth: auth) { [articles, isOffline, isMissing] routes in
                @Sendable func check() throws {
                    if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
                }
                routes.on(FetchArticlesRequest.self) { _ in
                    try check()
                    return Page(
                        items: articles.withLock { $0.values.sorted { $0.id < $1.id } }.map {
                            var article = $0
                            article.body = nil
                            return article
                        })
                }
                routes.on(FetchArticleRequest.self) { request in
                    try check()
                    guard !isMissing.withLock({ $0 }) else { throw Problem(.notFound) }
                    let found = articles.withLock { articles in
                        articles.values.first { article in
                            request.key == .id(article.id) || request.key == .slug(article.slug)
                        }
                    }
                    guard var article = found else { throw Problem(.notFound) }
                    if request.fields?.contains("commentCount") == true { article.commentCount = 3 }
                    return article
                }
                routes.on(UpdateArticleRequest.self) { request in
                    try check()
                    let old = articles.withLock { $0[request.id] }
                    guard var article = old?.applying(request.changes) else {
                        throw Problem(.notFound)
                    }
                    article.revision += 1
                    article.version = "\(article.revision)-aaaaaa"
                    articles.withLock { $0[request.id] = article }
                    return article
                }
                routes.on(DeleteArticleRequest.self) { request in
                    try check()
                    articles.withLock { $0[request.id] = nil }
                    return NoContent()
                }
            }
        }
    }

    private let article = Samples.article(1, body: "Knead.")
    private let cached = RequestOptions(freshness: .cached)

    @Test func `a list and then an article are both there offline`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let service = BackendService(fixture.backend(), memory: store)
        fixture.put(article)
        let list = try await service.send(FetchArticlesRequest())
        #expect(try await service.send(FetchArticlesRequest(), options: cached) == list)
        let request = FetchArticleRequest(key: .id(article.id))
        await #expect(throws: BackendError.notCached) {
            try await service.send(request, options: cached)
        }
        #expect(try await service.send(request) == article)
        #expect(try await service.send(request, options: cached) == article)
        let bySlug = FetchArticleRequest(key: .slug(article.slug))
        #expect(try await service.send(bySlug, options: cached) == article)
        // Lists show no bodies.
        #expect(try await service.send(FetchArticlesRequest(), options: cached) == list)
        #expect(fixture.events.withLock { $0 }.isEmpty)
    }

    @Test func `a response is announced before it is returned`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let service = BackendService(fixture.backend(), memory: store)
        fixture.put(article)
        var updates = store.article(article.id).makeAsyncIterator()
        #expect(await updates.next() == .some(.none))
        try await service.send(FetchArticlesRequest())
        #expect(try await store.loadArticle(article.id) != nil)
        #expect(await updates.next()??.article.title == article.title)
    }

    @Test @MainActor func `lists and operations remember, too`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let service = BackendService(fixture.backend(), memory: store)
        fixture.put(article)
        let list = PagedList(service, FetchArticlesRequest())
        await list.more()
        #expect(try await store.titles() == [article.title])
        let operation = ServiceOperation(FetchArticleRequest(key: .id(article.id)), on: service)
        NetworkQueue().add(operation)
        #expect(try await operation.value() == article)
        fixture.isOffline.withLock { $0 = true }
        let known = PagedList(service, FetchArticlesRequest(), options: cached)
        await known.more()
        #expect(known.state.items.map(\.id) == [article.id])
        var sources: [BackendReply<Article>.Source] = []
        let replies = service.replies(to: FetchArticleRequest(key: .id(article.id)))
        await #expect(throws: BackendError.offline("no network")) {
            for try await reply in replies { sources.append(reply.source) }
        }
        #expect(sources == [.cached])
    }

    @Test func `what a request asks for has to be known`() async throws {
        let fixture = Fixture()
        let service = BackendService(fixture.backend(), memory: try fixture.store())
        fixture.put(article)
        try await service.send(FetchArticleRequest(key: .id(article.id)))
        let fields = FieldSelection(["title", "commentCount"])
        let request = FetchArticleRequest(key: .id(article.id), fields: fields)
        let part = PartialRequest(request, fields: ["title", "commentCount"])
        await #expect(throws: BackendError.notCached) {
            try await service.send(part, options: cached)
        }
        #expect(try await service.send(part).commentCount == 3)
        let stored = try await service.send(part, options: cached)
        #expect(stored.commentCount == 3 && stored.title == article.title && stored.body == nil)
        let titles = PartialRequest(FetchArticlesRequest(), fields: ["title", "authors.name"])
        let page = try await service.send(titles, options: cached)
        #expect(page.items.map(\.title) == [article.title] && page.items[0].slug == nil)
        let later = FetchArticlesRequest(cursor: "next")
        await #expect(throws: BackendError.notCached) {
            try await service.send(later, options: cached)
        }
    }

    @Test func `without a network, the store responds if it may`() async throws {
        let fixture = Fixture()
        let service = BackendService(fixture.backend(), memory: try fixture.store())
        fixture.put(article)
        let request = FetchArticleRequest(key: .id(article.id))
        try await service.send(request)
        fixture.isOffline.withLock { $0 = true }
        await #expect(throws: BackendError.offline("no network")) {
            try await service.send(request, options: RequestOptions(freshness: .reloaded))
        }
        let either = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        let reply = try await service.reply(to: request, options: either)
        #expect(reply.item == article && reply.source == .cached && reply.age > .zero)
        await #expect(throws: BackendError.offline("no network")) {
            try await service.send(FetchArticleRequest(key: .slug("other")), options: either)
        }
    }

    @Test func `what the store does not keep may be in the cache of responses`() async throws {
        let isOffline = Lock(false)
        let transport = InProcessTransport { _, _ in
            if isOffline.withLock({ $0 }) { throw TransportError.offline("no network") }
            return HTTPResponse(
                .ok, fields: [.contentType: "application/json", .etag: "\"1\""],
                body: .bytes(Page<ArticleTag.Usage>(items: []).json()))
        }
        var configuration = Self.patient
        configuration.retries = .none
        let service = BackendService(
            BackendService(configuration: configuration, transport: transport),
            memory: try ModelStore(.memory))
        let either = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        await #expect(throws: BackendError.notCached) {
            try await service.send(FetchTagsRequest(), options: cached)
        }
        try await service.send(FetchTagsRequest())
        isOffline.withLock { $0 = true }
        for options in [cached, either] {
            let reply = try await service.reply(to: FetchTagsRequest(), options: options)
            #expect(reply.item.items.isEmpty && reply.source == .cached)
        }
    }

    @Test func `what is known comes first, then the backend's reply`() async throws {
        let fixture = Fixture()
        let service = BackendService(fixture.backend(), memory: try fixture.store())
        fixture.put(article)
        let request = FetchArticleRequest(key: .id(article.id))
        var replies: [BackendReply<Article>] = []
        for try await reply in service.replies(to: request) { replies.append(reply) }
        #expect(replies.map(\.source) == [.network])
        fixture.put(Samples.article(1, revision: 2, body: "Rest."))
        replies = []
        for try await reply in service.replies(to: request) { replies.append(reply) }
        #expect(replies.map(\.source) == [.cached, .network])
        #expect(replies.map(\.item.body) == ["Knead.", "Rest."])
        fixture.isOffline.withLock { $0 = true }
        replies = []
        await #expect(throws: BackendError.offline("no network")) {
            for try await reply in service.replies(to: request) { replies.append(reply) }
        }
        #expect(replies.map(\.item.body) == ["Rest."])
    }

    // MARK: Writes and absence

    @Test func `a write shows in lists that came before it`() async throws {
        let fixture = Fixture()
        let service = BackendService(fixture.backend(), memory: try fixture.store())
        fixture.put(article)
        try await service.send(FetchArticlesRequest())
        try await service.send(
            UpdateArticleRequest(article, changes: Article.Changes(title: .set("Rye"))))
        let list = try await service.send(FetchArticlesRequest(), options: cached)
        #expect(list.items.map(\.title) == ["Rye"])
    }

    @Test func `a deleted article does not come back with a late list`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let service = BackendService(fixture.backend(), memory: store)
        fixture.put(article)
        let before = try await service.send(FetchArticlesRequest())
        try await service.send(DeleteArticleRequest(id: article.id))
        #expect(try await store.titles() == [])
        try await store.merge(FetchArticlesRequest().updates(in: before, seenAt: store.time()))
        #expect(try await store.titles() == [])
    }

    @Test func `what is not found is removed`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let service = BackendService(fixture.backend(), memory: store)
        fixture.put(article)
        for key in [Article.Key.id(article.id), .slug(article.slug)] {
            fixture.isMissing.withLock { $0 = false }
            try await service.send(FetchArticlesRequest())
            #expect(try await store.titles().count == 1)
            fixture.isMissing.withLock { $0 = true }
            await #expect(throws: BackendError.self) {
                try await service.send(FetchArticleRequest(key: key))
            }
            #expect(try await store.titles() == [])
        }
    }

    @Test func `a page of a captive network removes nothing`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let transport = InProcessTransport { _, _ in
            HTTPResponse(
                .notFound, fields: [.contentType: "text/html"],
                body: .bytes(Array("<h1>Please sign in</h1>".utf8)))
        }
        let service = BackendService(
            BackendService(configuration: Self.patient, transport: transport), memory: store)
        try await store.merge([Samples.listed(1)])
        await #expect(throws: BackendError.self) {
            try await service.send(FetchArticleRequest(key: .id(article.id)))
        }
        #expect(try await store.titles() == ["Article 1.1"])
    }

    // MARK: Accounts

    @Test func `what another account receives is not stored, nor shown to it`() async throws {
        let fixture = Fixture()
        let store = try fixture.store(of: "ada")
        let auth = BackendAuth()
        let service = BackendService(fixture.backend(auth: auth), memory: store)
        fixture.put(article)
        let request = FetchArticleRequest(key: .id(article.id))
        let others = [
            nil, Credentials(token: "bob's", account: "bob"), Credentials(token: "no name"),
        ]
        for credentials in others {
            if let credentials { try auth.signIn(credentials) }
            #expect(try await service.send(request) == article)
            #expect(try await store.titles() == [])
        }
        #expect(
            fixture.events.withLock { $0 } == Array(repeating: .notStored(.otherAccount), count: 3))
        try auth.signIn(Credentials(token: "ada's", account: "ada"))
        try await service.send(request)
        #expect(try await store.titles() == [article.title])
        for credentials in others {
            if let credentials { try auth.signIn(credentials) } else { try auth.signOut() }
            await #expect(throws: BackendError.notCached) {
                try await service.send(request, options: cached)
            }
            fixture.isMissing.withLock { $0 = true }
            await #expect(throws: BackendError.self) { try await service.send(request) }
            fixture.isMissing.withLock { $0 = false }
            #expect(try await store.titles() == [article.title])
        }
    }

    @Test func `a token without an account does not count as anonymous`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        fixture.put(article)
        let service = BackendService(
            fixture.backend(auth: BackendAuth(token: "key")), memory: store)
        try await service.send(FetchArticlesRequest())
        #expect(try await store.titles() == [])
    }

    @Test func `a response arrives although the store fails`() async throws {
        let fixture = Fixture()
        let store = try ModelStore(
            .memory, limits: ModelStore.Limits(bytes: 1_000), environment: fixture.environment
        ) { event in fixture.events.withLock { $0.append(event) } }
        try await store.pin(article.id)
        fixture.put(Samples.article(1, body: String(repeating: "a", count: 2_000)))
        let service = BackendService(fixture.backend(), memory: store)
        let received = try await service.send(FetchArticleRequest(key: .id(article.id)))
        #expect(received.body?.count == 2_000)
        #expect(fixture.events.withLock { $0 } == [.notStored(.full)])
        #expect(try await store.titles() == [])
    }

    @Test func `a cached response is as old as its exchange`() async throws {
        let fixture = Fixture()
        let store = try fixture.store()
        let transport = InProcessTransport { _, _ in
            HTTPResponse(
                .ok, fields: [.contentType: "application/json", .age: "3600"],
                body: .bytes(Samples.article(1, body: "Old").json()))
        }
        let service = BackendService(
            BackendService(configuration: Self.patient, transport: transport), memory: store)
        let now = store.time()
        try await store.merge([
            .removed(
                Article.self, article.id,
                .notFound(seenAt: now.advanced(byMilliseconds: -1_000_000)))
        ])
        try await service.send(FetchArticleRequest(key: .id(article.id)))
        #expect(try await store.titles() == [])
    }
}
