import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The outbox's treatment of problems, and of a store that cannot be written.
@Suite struct OutboxFailureTests {
    private let clock = ManualClock()

    private func auth() throws -> BackendAuth {
        try BackendAuth(
            store: MemoryCredentialStore(Credentials(token: "key", account: "ada")), refresh: nil)
    }

    /// An outbox whose first request gets this problem, and the keys of all requests.
    private func outbox(
        _ problem: Problem.Kind, retryAfter: Duration? = nil, _ keys: Lock<[String?]>
    ) throws -> Outbox {
        let time = clock.time
        let backend = BackendService.stub(auth: try auth()) { routes in
            routes.on(CreateArticleRequest.self) { request in
                let isFirst = keys.withLock { keys in
                    keys.append(request.idempotencyKey)
                    return keys.count == 1
                }
                if isFirst {
                    var problem = Problem(problem)
                    problem.retryAfter = retryAfter
                    throw problem
                }
                return Article(
                    id: request.article.id ?? Article.ID(at: time), slug: "bread",
                    title: request.article.title, body: "", language: "en", status: .draft,
                    createdAt: time, updatedAt: time, version: "1-abcdef", wordCount: 0,
                    readingMinutes: 0)
            }
        }
        let store = try ModelStore(.memory(of: "ada"), environment: clock.environment)
        return Outbox(store: store, backend: backend, environment: clock.environment)
    }

    @Test(
        arguments: [
            .unavailable, .internalError, .storageFull, .tooManyRequests, .requestTimeout,
            .requestInFlight,
        ] as [Problem.Kind])
    func `a write is repeated with its key while the backend has difficulties`(
        problem: Problem.Kind
    ) async throws {
        clock.hurry()
        let keys = Lock([String?]())
        let outbox = try outbox(problem, keys)
        try await outbox.create(Article.Draft(title: "Bread"))
        let sending = Task { await outbox.run() }
        for await state in outbox.states where state.entries.isEmpty { break }
        sending.cancel()
        await sending.value
        let sent = keys.withLock { $0 }
        #expect(sent.count == 2 && sent[0] != nil && sent[0] == sent[1])
    }

    @Test(arguments: [(90, 90), (7_200, 300)] as [(Int64, Int64)])
    func `a write waits as long as the backend asks, up to five minutes`(
        asked: Int64, waited: Int64
    ) async throws {
        clock.hurry()
        let outbox = try outbox(.unavailable, retryAfter: .seconds(asked), Lock([]))
        try await outbox.create(Article.Draft(title: "Bread"))
        let sending = Task { await outbox.run() }
        for await state in outbox.states where state.entries.isEmpty { break }
        sending.cancel()
        await sending.value
        #expect(clock.delays.first == .seconds(waited))
    }

    @Test func `a write that is in progress at the backend is repeated when that asks for it`()
        async throws
    {
        clock.hurry()
        let outbox = try outbox(.requestInFlight, retryAfter: .seconds(1), Lock([]))
        try await outbox.create(Article.Draft(title: "Bread"))
        let sending = Task { await outbox.run() }
        for await state in outbox.states where state.entries.isEmpty { break }
        sending.cancel()
        await sending.value
        #expect(clock.delays.first == .seconds(1))
    }

    @Test(arguments: [.forbidden, .invalidValues, .keyReused, .contentTooLarge] as [Problem.Kind])
    func `a rejected write is not repeated by itself`(problem: Problem.Kind) async throws {
        clock.hurry()
        let keys = Lock([String?]())
        let outbox = try outbox(problem, keys)
        try await outbox.create(Article.Draft(title: "Bread"))
        let sending = Task { await outbox.run() }
        var rejected: OutboxEntry?
        for await state in outbox.states {
            rejected = state.rejections.first
            if rejected != nil { break }
        }
        #expect(keys.withLock { $0.count } == 1)
        try await outbox.sendAgain(rejected?.number ?? 0)
        for await state in outbox.states where state.entries.isEmpty { break }
        sending.cancel()
        await sending.value
        #expect(Set(keys.withLock { $0 }).count == 2)
    }

    @Test func `what could not be stored has not been written`() async throws {
        var limits = ModelStore.Limits()
        limits.fileBytes = 300_000
        let folder = try TemporaryFolder()
        let store = try ModelStore(.file(folder.file("models"), of: "ada"), limits: limits)
        let outbox = Outbox(store: store, backend: .stub { _ in })
        let body = String(repeating: "Knead. ", count: 100_000)
        let error = await #expect(throws: OfflineError.self) {
            try await outbox.create(Article.Draft(title: "Bread", body: body))
        }
        guard case .disk? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await outbox.state.entries.isEmpty)
        try await outbox.create(Article.Draft(title: "Bread"))
        #expect(await outbox.state.entries.count == 1)
        #expect(try await store.loadArticles().map(\.article.title) == ["Bread"])
    }
}
