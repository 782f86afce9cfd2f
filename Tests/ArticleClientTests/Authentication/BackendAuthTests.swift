import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct BackendAuthTests {
    /// Takes the token `new` alone.
    private static func backend() -> TestBackend {
        TestBackend { request, _ in
            request.fields[.authorization] == "Bearer new"
                ? page("in") : rejection(.unauthenticated)
        }
    }

    private static func auth(
        _ refresh: @escaping BackendAuth.Refresh
    ) throws -> BackendAuth {
        let old = Credentials(token: "old", refreshToken: "r")
        return try BackendAuth(store: MemoryCredentialStore(old), refresh: refresh)
    }

    @Test func `however many requests are rejected, the token is renewed once`() async throws {
        let renewals = Counter()
        let gate = Signal()
        let auth = try Self.auth { old, _ in
            #expect(old == Credentials(token: "old", refreshToken: "r"))
            renewals.next()
            await gate.wait()
            return Credentials(token: "new", refreshToken: "r2")
        }
        let backend = Self.backend()
        let service = backend.service(auth: auth, cache: nil)
        let pages = await withTaskGroup(of: String?.self) { group in
            for number in 1...50 {
                group.addTask {
                    try? await service.send(FetchArticlesRequest(limit: number)).next
                }
            }
            #expect(await eventually { backend.requests.count == 50 })
            gate.give()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(pages == Array(repeating: "in", count: 50))
        #expect(renewals.value == 1)
        #expect(backend.requests.count == 100)
    }

    @Test func `a request that was rejected late uses the renewed token`()
        async throws
    {
        let renewals = Counter()
        let rejected = Signal()
        let goOn = Signal()
        let auth = try Self.auth { _, _ in
            renewals.next()
            return Credentials(token: "new")
        }
        let backend = TestBackend { request, count in
            guard request.fields[.authorization] == "Bearer old" else { return page("in") }
            if count == 0 {
                rejected.give()
                await goOn.wait()
            }
            return rejection(.unauthenticated)
        }
        let service = backend.service(auth: auth, cache: nil)
        async let late = service.send(list).next
        await rejected.wait()
        _ = try await service.send(FetchTagsRequest())
        goOn.give()
        #expect(try await late == "in")
        #expect(renewals.value == 1)
        #expect(backend.requests.last?.fields[.authorization] == "Bearer new")
    }

    @Test func `a rejected renewal is not retried with the same credentials`()
        async throws
    {
        let renewals = Counter()
        let auth = try Self.auth { _, service in
            renewals.next()
            // Refused as well: this must not call for a renewal of its own.
            _ = try await service.send(FetchTagsRequest())
            return Credentials(token: "never")
        }
        let service = Self.backend().service(auth: auth, cache: nil)
        for _ in 0..<3 {
            guard case .unauthorized? = await outcome({ try await service.send(list) }).error
            else { throw TestFailure("not refused") }
        }
        #expect(renewals.value == 1)
        try auth.signIn(Credentials(token: "new"))
        #expect(try await service.send(list).next == "in")
    }

    @Test func `a renewal without a response does not expire the credentials`() async throws {
        let renewals = Counter()
        let auth = try Self.auth { _, _ in
            guard renewals.next() > 0 else { throw BackendError.offline("no network") }
            return Credentials(token: "new")
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        let service = Self.backend().service(configuration, auth: auth, cache: nil)
        #expect(await outcome { try await service.send(list) }.error == .offline("no network"))
        #expect(try await service.send(list).next == "in")
    }

    @Test func `a token that stays rejected after renewals ends the request`()
        async throws
    {
        let renewals = Counter()
        let auth = try Self.auth { _, _ in Credentials(token: "wrong\(renewals.next())") }
        let backend = Self.backend()
        let error = await outcome { try await backend.service(auth: auth).send(list) }.error
        guard case .unauthorized? = error else { throw TestFailure("\(error as Any)") }
        #expect(renewals.value == 2)
        #expect(backend.requests.count == 3)
    }

    @Test func `a sign-out during a renewal stays in effect`() async throws {
        let began = Signal()
        let goOn = Signal()
        let store = MemoryCredentialStore(Credentials(token: "old"))
        let auth = try BackendAuth(store: store) { _, _ in
            began.give()
            await goOn.wait()
            return Credentials(token: "new")
        }
        let service = Self.backend().service(auth: auth)
        async let error = outcome { try await service.send(list) }.error
        await began.wait()
        try auth.signOut()
        #expect(await error == .signedOut)
        goOn.give()
        #expect(!auth.isSignedIn)
        #expect(store.load() == nil)
    }

    @Test func `a renewal continues when its first waiter leaves`() async throws {
        let began = Signal()
        let goOn = Signal()
        let auth = try Self.auth { _, _ in
            began.give()
            await goOn.wait()
            try Task.checkCancellation()
            return Credentials(token: "new")
        }
        let service = Self.backend().service(auth: auth, cache: nil)
        let first = Task { await outcome { try await service.send(list) }.error }
        await began.wait()
        first.cancel()
        #expect(await first.value == .cancelled)
        goOn.give()
        #expect(try await service.send(list).next == "in")
    }

    @Test func `a token is not sent unencrypted to another machine`() async throws {
        let backend = Self.backend()
        let auth = BackendAuth(token: "new")
        var configuration = BackendConfiguration(baseURL: "http://example.com")
        let error = await outcome { [configuration] in
            try await backend.service(configuration, auth: auth).send(list)
        }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .credentials)
        #expect(backend.requests.isEmpty)
        configuration.sendsTokensInTheClear = true
        #expect(try await backend.service(configuration, auth: auth).send(list).next == "in")
    }

    @Test func `a token with a line break is rejected`() async throws {
        let backend = Self.backend()
        let service = backend.service(auth: BackendAuth(token: "a\r\nX: b"))
        #expect(await outcome { try await service.send(list) }.error != nil)
        #expect(backend.requests.isEmpty)
    }
}
