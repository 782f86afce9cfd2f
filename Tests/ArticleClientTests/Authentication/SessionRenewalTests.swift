import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleClient

/// The renewal of sessions of a Broadsheet backend without the app's help.
@Suite struct SessionRenewalTests {
    let server = SessionServer()
    let time = TestTime()
    let store = MemoryCredentialStore()
    let backend: TestBackend

    init() {
        let server = server
        backend = TestBackend { request, _ in try server.respond(to: request) }
        server.state.withLock { $0.number = 1 }
    }

    /// A service with stored credentials, which expire in so many seconds.
    private func service(expiringIn seconds: Int64? = nil) throws -> BackendService {
        store.save(
            server.credentials(
                expiresAt: seconds.map { time.environment.wallSeconds() + $0 }))
        return backend.service(auth: try BackendAuth(store: store), cache: nil, time: time)
    }

    private var tokens: [String?] { backend.requests.map { $0.fields[.authorization] } }

    @Test func `a rejected token is renewed and stored`() async throws {
        let service = try service()
        server.wearOut()
        #expect(try await service.send(list).next == "in")
        #expect(tokens == ["Bearer bsa_1", nil, "Bearer bsa_2"])
        #expect(store.load() == server.credentials(expiresAt: 4_000_000_000))
    }

    @Test func `an expired token is renewed before it is sent`() async throws {
        let service = try service(expiringIn: 60)
        #expect(try await service.send(list).next == "in")
        time.advance(by: .seconds(59))
        #expect(try await service.send(list).next == "in")
        #expect(server.renewals == 0)
        time.advance(by: .seconds(1))
        #expect(try await service.send(list).next == "in")
        #expect(tokens == ["Bearer bsa_1", "Bearer bsa_1", nil, "Bearer bsa_2"])
        #expect(server.renewals == 1)
    }

    @Test func `with a clock that is ahead, only the backend decides about the expiry`()
        async throws
    {
        let now = time.environment.wallSeconds()
        server.state.withLock { $0.expiresAt = now - 3_600 }
        let service = try service(expiringIn: -1)
        for _ in 0..<5 { #expect(try await service.send(list).next == "in") }
        #expect(server.renewals == 1)
        #expect(store.load()?.expiresAt == nil)
        server.wearOut()
        #expect(try await service.send(list).next == "in")
        #expect(server.renewals == 2)
        try await service.signIn(name: "mina", password: "correct")
        #expect(store.load()?.expiresAt == nil)
    }

    @Test func `twenty requests at once renew the session once`() async throws {
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(Patience.seconds)
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let server = SessionServer()
            server.state.withLock { $0.number = 1 }
            let pauses = Lock(SplitMix64(seed: seed + 1_000))
            let pause: @Sendable () async -> Void = {
                let count = pauses.withLock { Int.random(in: 0..<4, using: &$0) }
                for _ in 0..<count { await Task.yield() }
            }
            let backend = TestBackend { request, _ in
                await pause()
                let response = try server.respond(to: request)
                await pause()
                return response
            }
            // Expired by the clock, rejected by the backend, or both.
            let (expires, isRejected) = (Bool.random(using: &random), Bool.random(using: &random))
            let time = TestTime()
            let expiry = time.environment.wallSeconds() + (expires ? 0 : 3_600)
            let store = MemoryCredentialStore(server.credentials(expiresAt: expiry))
            if isRejected { server.wearOut() }
            let service = backend.service(
                configuration, auth: try BackendAuth(store: store), cache: nil, time: time)
            let pages = await withTaskGroup(of: String?.self) { group in
                for number in 1...20 {
                    group.addTask {
                        await pause()
                        return try? await service.send(FetchArticlesRequest(limit: number)).next
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(pages == Array(repeating: "in", count: 20), "seed \(seed)")
            #expect(server.renewals == (expires || isRejected ? 1 : 0), "seed \(seed)")
            #expect(store.load()?.token == server.access, "seed \(seed)")
        }
    }

    @Test func `a lost response is asked for again with the same token`() async throws {
        let service = try service()
        server.wearOut()
        server.state.withLock { $0.losses = 2 }
        #expect(try await service.send(list).next == "in")
        let sent = backend.requests.map { String(decoding: $0.body, as: UTF8.self) }
            .filter { !$0.isEmpty }
        #expect(sent == Array(repeating: #"{"refreshToken":"bsr_1"}"#, count: 3))
        #expect(server.renewals == 3 && store.load()?.token == "bsa_2")
    }

    @Test func `a renewal is repeated for as long as its request may take`() async throws {
        let sent = Lock<[Duration]>([])
        let time = time
        let backend = TestBackend { request, _ in
            guard "\(request.target)" == "/v1/sessions/refresh" else {
                return rejection(.unauthenticated)
            }
            sent.withLock { $0.append(time.now) }
            var response = rejection(.unavailable)
            response.fields.set(.retryAfter, to: "20")
            return response
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .seconds(70)
        configuration.retries.attempts = 10
        store.save(server.credentials())
        let auth = try BackendAuth(store: store)
        let service = backend.service(configuration, auth: auth, time: time)
        let request = CreateArticleRequest(article: Article.Draft(title: "Once"))
        let error = await outcome { try await service.send(request) }.error
        #expect(error?.problem?.status == 503)
        #expect(sent.withLock { $0 } == [.zero, .seconds(20), .seconds(40), .seconds(60)])
        // The backend said nothing about the session.
        #expect(auth.sessionState == .signedIn(account: SessionServer.user.id.description))
    }

    @Test func `a rejected renewal ends in an expired session, and is not repeated`() async throws {
        let service = try service(expiringIn: 0)
        server.state.withLock { $0.isOver = true }
        for _ in 0..<3 {
            guard case .unauthorized? = await outcome({ try await service.send(list) }).error
            else { throw TestFailure("not refused") }
        }
        #expect(server.renewals == 1)
        let account = SessionServer.user.id.description
        #expect(service.auth.sessionState == .expired(account: account))
        #expect(store.load() != nil)
    }

    @Test func `a key cannot be renewed, and no renewal is attempted`() async throws {
        let auth = BackendAuth(token: "bsk_old")
        let service = backend.service(auth: auth, time: time)
        guard case .unauthorized? = await outcome({ try await service.send(list) }).error
        else { throw TestFailure("not refused") }
        #expect(backend.requests.count == 1)
        #expect(auth.sessionState == .expired(account: nil))
    }

    @Test func `an account that the app has named keeps its name`() async throws {
        store.save(
            Credentials(token: server.access, refreshToken: server.refresh, account: "mina"))
        let service = backend.service(auth: try BackendAuth(store: store), time: time)
        server.wearOut()
        #expect(try await service.send(list).next == "in")
        #expect(store.load()?.account == "mina")
    }

    @Test func `credentials without an expiry remain readable`() throws {
        let old = try Credentials(mapping: Array(#"{"token":"t","refreshToken":"r"}"#.utf8))
        #expect(old == Credentials(token: "t", refreshToken: "r"))
        let new = server.credentials(expiresAt: 2_000_000_000)
        #expect(try Credentials(mapping: new.json()) == new)
    }
}
