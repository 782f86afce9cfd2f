import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

struct FixedKey: CredentialStore {
    let key: String

    func load() -> Credentials? { Credentials(token: key) }
    func save(_ credentials: Credentials) {}
    func remove() {}
}

/// The examples of requests, their replies and the credentials that they are sent with.
@Suite struct ArticleClientExamples {
    private let configuration = BackendConfiguration(baseURL: "http://localhost")

    @Test func `a configured service`() async throws {
        let server = ExampleBackend()
        let transport = server.transport
        var configuration = BackendConfiguration(baseURL: "https://articles.example.org/api")
        configuration.timeout = .seconds(20)
        configuration.headers[.userAgent] = "reader/1.0"
        let backend = BackendService(configuration: configuration, transport: transport)
        let page = try await backend.send(FetchTagsRequest(limit: 5))
        #expect(page.items.map(\.tag.name) == ["Swift"])
        #expect(server.targets == ["https://articles.example.org/api/v1/tags?limit=5"])
        #expect(server.values(of: .userAgent) == ["reader/1.0"])
    }

    @Test func `the address of a backend`() {
        let text = "ftp://example.org"
        let fixed: BaseURL = "https://example.org/api/"
        let entered = BaseURL(text)
        #expect(fixed.description == "https://example.org/api")
        #expect(entered == nil)
    }

    @Test func `options of one request`() async throws {
        let server = ExampleBackend()
        let backend = BackendService(configuration: configuration, transport: server.transport)
        try await backend.send(FetchTagsRequest())
        let options = RequestOptions(
            freshness: .reloaded, timeout: .seconds(10), headers: [.xRequestID: "reload-1"])
        let page = try await backend.send(FetchTagsRequest(), options: options)
        #expect(page.items.count == 1)
        #expect(server.values(of: .xRequestID) == [nil, "reload-1"])
    }

    @Test func `retries without waiting`() async throws {
        let delays = Lock<[Duration]>([])
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries.attempts = 5
        configuration.retries.longest = .seconds(30)
        var environment = ClientEnvironment.system
        environment.sleep = { delay in delays.withLock { $0.append(delay) } }
        environment.random = { bound in bound }
        let attempts = Counter()
        let transport = InProcessTransport { _, _ in
            attempts.next() < 4 ? HTTPResponse(.serviceUnavailable) : ExampleBackend.page()
        }
        let backend = BackendService(
            configuration: configuration, transport: transport, environment: environment)
        #expect(try await backend.send(FetchTagsRequest()).items.count == 1)
        #expect(delays.withLock { $0 } == [200, 400, 800, 1_600].map { Duration.milliseconds($0) })
    }

    @Test func `a stub`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in Page(items: []) }
            routes.on(FetchArticlesRequest.self) { _ in throw Problem(.forbidden) }
        }
        #expect(try await backend.send(FetchTagsRequest()).items.isEmpty)
        await #expect(throws: BackendError.problem(Problem(.forbidden))) {
            try await backend.send(FetchArticlesRequest())
        }
    }

    @Test func `the items of a list`() async throws {
        let transport = InProcessTransport { request, _ in
            let isFirst = !"\(request.target)".contains("cursor=")
            return ExampleBackend.page(isFirst ? "First" : "Second", next: isFirst ? "a" : nil)
        }
        let backend = BackendService(configuration: configuration, transport: transport)
        var names: [String] = []
        for try await usage in backend.pages(of: FetchTagsRequest(limit: 2)).items {
            names.append(usage.tag.name)
        }
        #expect(names == ["First", "Second"])
    }

    @Test func `a reply while the backend cannot be reached`() async throws {
        let attempts = Counter()
        let transport = InProcessTransport { _, _ in
            if attempts.next() > 0 { throw TransportError.offline("no route") }
            return ExampleBackend.page()
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        let backend = BackendService(configuration: configuration, transport: transport)
        for expected in [false, true] {
            let options = RequestOptions(freshness: .orCached(after: .seconds(3)))
            let reply = try await backend.reply(to: FetchTagsRequest(), options: options)
            let isOffline = reply.staleReason != nil
            #expect(isOffline == expected)
        }
    }

    @Test func `an error that is shown`() async throws {
        let transport = InProcessTransport { _, _ in throw TransportError.offline("no route") }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        let backend = BackendService(configuration: configuration, transport: transport)
        var page: FetchTagsRequest.Item?
        var message: String?
        do throws(BackendError) {
            page = try await backend.send(FetchTagsRequest())
        } catch {
            if !error.isStopped { message = error.text().message }
        }
        #expect(page == nil && message == BackendError.offline("no route").errorDescription)
        #expect(message != nil)
    }

    @Test func `the texts about an error`() {
        do {
            let error = BackendError.timedOut
            let text = error.text(for: .save, in: .korean)
            let alert = "\(text.title): \(text.message) \(text.advice)"
            let offersRetry = text.retry == .now
            #expect(alert.hasPrefix("저장하지 못했습니다: ") && offersRetry)
        }
        func alert(_ error: any Error) -> (title: String, text: String, offersRetry: Bool) {
            let text = ErrorText(error, for: .comment)
            return (text.title, "\(text.message) \(text.advice)", text.retry == .now)
        }
        let (title, text, offersRetry) = alert(BackendError.offline("no route"))
        #expect(title == "Could not post the comment" && !offersRetry)
        #expect(
            text == "The server cannot be reached. Check your internet connection and try again.")
    }

    @Test func `a cache`() async throws {
        let transport = ExampleBackend().transport
        let cache = ResponseCache(limitBytes: 32 << 20)
        let backend = BackendService(
            configuration: configuration, transport: transport, cache: cache)
        try await backend.send(FetchTagsRequest())
        backend.networkDidChange()
        #expect(cache.bytes > 0)
        cache.removeAll()
        #expect(cache.bytes == 0)
    }

    @Test func `a session`() async throws {
        let server = ExampleBackend()
        let (transport, key) = (server.transport, "secret")
        let store = MemoryCredentialStore()
        let auth = try BackendAuth(store: store)
        try auth.signIn(Credentials(token: key, account: "ada"))
        let backend = BackendService(configuration: configuration, transport: transport, auth: auth)
        try await backend.send(FetchTagsRequest())
        #expect(server.values(of: .authorization) == ["Bearer secret"])
        #expect(auth.sessionState == .signedIn(account: "ada") && store.load()?.token == "secret")
        try auth.signOut()
        #expect(auth.sessionState == .signedOut && store.load() == nil)
    }

    @Test func `credentials and their stores`() throws {
        let key = "secret"
        let credentials = Credentials(token: key, refreshToken: "renewal", account: "ada")
        let line = "signing in with \(credentials)"
        #expect(!line.contains("secret") && !line.contains("renewal"))
        #expect(try BackendAuth(store: FixedKey(key: key)).isSignedIn)
        let folder = try TemporaryFolder()
        let path = folder.file("credentials")
        do {
            let store = FileCredentialStore(path: path)
            try store.save(Credentials(token: key))
            let stored = try store.load()
            #expect(stored == Credentials(token: "secret"))
        }
        let store = MemoryCredentialStore(Credentials(token: "first"))
        let auth = try BackendAuth(store: store)
        try auth.signIn(Credentials(token: "second"))
        #expect(store.load()?.token == "second")
    }
}
