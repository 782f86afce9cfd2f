import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Signing up, in and out at a Broadsheet backend.
@Suite struct AccountTests {
    let server = SessionServer()
    let backend: TestBackend
    let store = MemoryCredentialStore()

    init() {
        let server = server
        backend = TestBackend { request, _ in try server.respond(to: request) }
    }

    private static func paths(_ requests: [HTTPRequest]) -> [String] {
        requests.map { "\($0.method) \($0.target)" }
    }

    @Test func `signing in is one call, and stores what renews the session`() async throws {
        store.save(Credentials(token: "bsk_before", account: "ada"))
        let auth = try BackendAuth(store: store)
        let service = backend.service(auth: auth)
        let user = try await service.signIn(name: "mina", password: "correct", device: "phone")
        #expect(user == SessionServer.user)
        let sent = try #require(backend.requests.first)
        #expect(sent.fields[.authorization] == nil)
        let body = String(decoding: sent.body, as: UTF8.self)
        #expect(body == #"{"name":"mina","password":"correct","device":"phone"}"#)
        #expect(store.load() == server.credentials(expiresAt: 4_000_000_000))
        #expect(auth.sessionState == .signedIn(account: user.id.description))
        #expect(try await service.send(list).next == "in")
    }

    @Test func `an identity signs in`() async throws {
        let service = backend.service(auth: try BackendAuth(store: store))
        let identity = ProvidedIdentity(provider: "apple", idToken: "a.b.c", nonce: "n")
        try await service.signIn(identity: identity)
        let body = String(decoding: try #require(backend.requests.first).body, as: UTF8.self)
        #expect(body == #"{"provider":"apple","idToken":"a.b.c","nonce":"n"}"#)
        #expect(store.load()?.token == server.access)
    }

    @Test func `signing up signs in, and neither sends older credentials`() async throws {
        let service = backend.service(auth: BackendAuth(token: "bsk_before"))
        let user = try await service.signUp(
            name: "mina", password: "correct", invitation: "bsi_code")
        #expect(user == SessionServer.user)
        #expect(Self.paths(backend.requests) == ["POST /v1/users", "POST /v1/sessions"])
        #expect(backend.requests.allSatisfy { !$0.fields.contains(.authorization) })
        #expect(try await service.send(list).next == "in")
    }

    @Test func `a rejected sign-in leaves the earlier session as it is`() async throws {
        let backend = TestBackend { _, _ in rejection(.unauthenticated, "wrong") }
        let auth = BackendAuth(token: "bsk_before")
        let error = await outcome {
            try await backend.service(auth: auth).signIn(name: "mina", password: "wrong")
        }.error
        #expect(error == .signInRejected(Problem(.unauthenticated, detail: "wrong")))
        #expect(auth.sessionState == .signedIn(account: nil))
        #expect(backend.requests.count == 1)
    }

    @Test func `signing in again ends the earlier session at the backend`() async throws {
        let server = server
        let ended = Lock<[String?]>([])
        let backend = TestBackend { request, _ in
            guard request.method == .delete else { return try server.respond(to: request) }
            ended.withLock { $0.append(request.fields[.authorization]) }
            return HTTPResponse(.noContent)
        }
        let service = backend.service(auth: try BackendAuth(store: store))
        try await service.signIn(name: "mina", password: "correct")
        try await service.signIn(name: "mina", password: "correct")
        #expect(await eventually { ended.withLock { $0 } == ["Bearer bsa_1"] })
        #expect(store.load()?.token == "bsa_2" && service.auth.isSignedIn)
    }

    @Test func `passwords and tokens are not sent unencrypted to another machine`() async throws {
        let configuration = BackendConfiguration(baseURL: "http://example.com")
        let service = backend.service(configuration, auth: try BackendAuth(store: store))
        for error in [
            await outcome { try await service.signIn(name: "mina", password: "correct") }.error,
            await outcome { try await service.signUp(name: "mina", password: "correct") }.error,
            await outcome {
                try await service.send(RefreshSessionRequest(refreshToken: "bsr_1"))
            }.error,
        ] {
            guard case .transport(let failure)? = error else {
                throw TestFailure("\(error as Any)")
            }
            #expect(failure.kind == .credentials)
        }
        #expect(backend.requests.isEmpty)
    }

    // MARK: Signing out

    private func signedIn(
        _ configuration: BackendConfiguration = BackendConfiguration(baseURL: "http://localhost")
    ) async throws -> BackendService {
        let service = backend.service(configuration, auth: try BackendAuth(store: store))
        try await service.signIn(name: "mina", password: "correct")
        return service
    }

    @Test func `signing out ends the session here and at the backend`() async throws {
        let service = try await signedIn()
        #expect(await service.signOut())
        #expect(server.isOver)
        #expect(service.auth.sessionState == .signedOut)
        #expect(store.load() == nil)
        #expect(backend.requests.last?.fields[.authorization] == "Bearer bsa_1")
    }

    @Test func `a token that was replaced is renewed for signing out, and not stored`()
        async throws
    {
        let service = try await signedIn()
        server.wearOut()
        #expect(await service.signOut())
        #expect(server.isOver && server.renewals == 1)
        #expect(!service.auth.isSignedIn && store.load() == nil)
    }

    @Test func `a session that the backend has ended before is signed out`() async throws {
        let service = try await signedIn()
        server.state.withLock { $0.isOver = true }
        #expect(await service.signOut())
        #expect(service.auth.sessionState == .signedOut)
    }

    @Test func `without a network, the session ends here`() async throws {
        let server = server
        let backend = TestBackend { request, _ in
            if request.method == .delete { throw TransportError.offline("no network") }
            return try server.respond(to: request)
        }
        let service = backend.service(auth: try BackendAuth(store: store))
        try await service.signIn(name: "mina", password: "correct")
        #expect(await !service.signOut())
        #expect(!service.auth.isSignedIn && store.load() == nil && !server.isOver)
    }

    @Test func `a backend that does not respond cannot hold up signing out`() async throws {
        let server = server
        let never = Signal()
        let backend = TestBackend { request, _ in
            if request.method == .delete { await never.wait() }
            return try server.respond(to: request)
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.timeout = .milliseconds(50)
        let auth = try BackendAuth(store: store)
        try auth.signIn(Credentials(token: "bsa_0", refreshToken: "bsr_0"))
        let service = backend.service(configuration, auth: auth, environment: .system)
        #expect(await !service.signOut())
        #expect(!auth.isSignedIn && store.load() == nil)
        never.give()
    }

    @Test func `the session has ended here before the backend is told`() async throws {
        let server = server
        let store = store
        let known = Lock<BackendAuth?>(nil)
        let states = Lock<[SessionState]>([])
        let backend = TestBackend { request, _ in
            if request.method == .delete, let auth = known.withLock({ $0 }) {
                states.withLock { $0.append(auth.sessionState) }
                #expect(store.load() == nil)
            }
            return try server.respond(to: request)
        }
        let auth = try BackendAuth(store: store)
        known.withLock { $0 = auth }
        let service = backend.service(auth: auth)
        try await service.signIn(name: "mina", password: "correct")
        #expect(await service.signOut())
        #expect(states.withLock { $0 } == [.signedOut])
    }

    @Test func `a key is only forgotten`() async throws {
        let service = backend.service(auth: BackendAuth(token: "bsk_key"))
        #expect(await service.signOut())
        #expect(!service.auth.isSignedIn)
        #expect(backend.requests.isEmpty)
    }

    @Test func `signing out during a renewal stores nothing, and ends the renewed session`()
        async throws
    {
        let server = server
        let (began, goOn) = (Signal(), Signal())
        let backend = TestBackend { request, _ in
            let response = try server.respond(to: request)
            if "\(request.target)" == "/v1/sessions/refresh", server.renewals == 1 {
                began.give()
                await goOn.wait()
            }
            return response
        }
        let service = backend.service(auth: try BackendAuth(store: store))
        try await service.signIn(name: "mina", password: "correct")
        server.wearOut()
        async let error = outcome { try await service.send(list) }.error
        await began.wait()
        // The backend has replaced both tokens; the client knows the old ones only.
        #expect(await service.signOut())
        #expect(await error == .signedOut)
        goOn.give()
        #expect(server.isOver && server.renewals == 2)
        #expect(!service.auth.isSignedIn && store.load() == nil)
    }
}
