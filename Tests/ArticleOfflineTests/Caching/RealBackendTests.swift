import ArticleAPI
import ArticleAccounts
import ArticleClient
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Lists of the store equal those of a backend.
@Suite struct RealBackendTests {
    private static let key = "operator-0123456789-0123456789-0123456789"

    /// A backend on a socket, and a service with the operator's key.
    private static func run(
        over version: HTTPVersion, _ body: (BackendService, ModelStore) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(key),
            system: .clock { Samples.time(1_000) }, log: { Issue.record("\($0)") })
        try await TestServer.run(backend.router(), with: .bothVersions) { test in
            let base = try #require(BaseURL("http://\(test.address)"))
            var configuration = BackendConfiguration(baseURL: base)
            configuration.timeout = .seconds(Patience.seconds)
            let auth = BackendAuth()
            try auth.signIn(Credentials(token: key, account: "operator"))
            let models = try ModelStore(.memory(of: "operator")) { Issue.record("\($0)") }
            try await body(
                BackendService(
                    configuration: configuration,
                    transport: SocketTransport(.cleartext(version)), auth: auth), models)
        }
        await store.close()
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `offline lists are those of the backend`(version: HTTPVersion) async throws {
        try await Self.run(over: version) { backend, store in
            let service = BackendService(backend, memory: store)
            var random = SplitMix64(seed: 11)
            for number in 1...30 {
                try await service.send(
                    CreateArticleRequest(article: Self.draft(number, &random)))
            }
            for _ in 1...40 {
                let request = Self.request(&random)
                let page = try await backend.send(request)
                let stored = try? await service.send(
                    request, options: RequestOptions(freshness: .cached))
                #expect(stored?.items ?? [] == page.items, "\(request)")
            }
        }
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `an article that was edited and deleted follows the backend`(
        version: HTTPVersion
    ) async throws {
        try await Self.run(over: version) { backend, store in
            let service = BackendService(backend, memory: store)
            let draft = Article.Draft(title: "Bread", body: "Knead.")
            let created = try await service.send(CreateArticleRequest(article: draft))
            let request = FetchArticleRequest(key: .id(created.id))
            let offline = RequestOptions(freshness: .cached)
            #expect(try await service.send(request, options: offline) == created)
            let edited = try await service.send(
                UpdateArticleRequest(created, changes: Article.Changes(body: .set("Rest."))))
            #expect(try await service.send(request, options: offline) == edited)
            let fetched = try await service.send(request)
            #expect(fetched == edited)
            try await service.send(DeleteArticleRequest(id: created.id))
            #expect(try await store.loadArticle(created.id) == nil)
            // The cached response is older than the deletion.
            await #expect(throws: BackendError.notCached) {
                try await service.send(request, options: offline)
            }
            let restored = try await service.send(
                RestoreRevisionRequest(id: created.id, number: 1))
            #expect(try await service.send(request, options: offline) == restored)
            #expect(restored.body == "Knead.")
        }
    }

    private static func draft(_ number: Int, _ random: inout SplitMix64) -> Article.Draft {
        var draft = Article.Draft(title: "Article \(number)", body: "Body \(number)")
        draft.tags = ["Baking", "Straße", "빵"].filter { _ in Bool.random(using: &random) }
        draft.authors = ["Ada", "Bob"].filter { _ in Bool.random(using: &random) }.map {
            .name($0)
        }
        draft.language = ["en", "ko", "de-at"].randomElement(using: &random)
        draft.status = [.draft, .published, .archived].randomElement(using: &random)
        if Bool.random(using: &random) {
            draft.publishedAt = Samples.time(Int.random(in: 0...4, using: &random))
        }
        if Bool.random(using: &random) { draft.source = Article.Source(name: "Wire") }
        return draft
    }

    private static func request(_ random: inout SplitMix64) -> FetchArticlesRequest {
        func maybe<Value>(_ values: [Value]) -> Value? {
            Int.random(in: 0...3, using: &random) == 0 ? values.randomElement(using: &random) : nil
        }
        let times = (0...5).map { Samples.time($0) }
        return FetchArticlesRequest(
            limit: Int.random(in: 1...30, using: &random),
            tags: ["baking", "STRASSE", "빵"].filter { _ in
                Int.random(in: 0...4, using: &random) == 0
            }, language: maybe(["EN", "ko", "de-AT"]), status: maybe([.draft, .published]),
            source: maybe(["Wire"]), publishedAfter: maybe(times), publishedBefore: maybe(times),
            sort: maybe(ArticleSort.allCases))
    }
}
