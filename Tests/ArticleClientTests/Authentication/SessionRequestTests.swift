import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleClient

/// The requests that begin or end a session, by every way in which a service sends them.
@Suite struct SessionRequestTests {
    /// A way of sending a request.
    enum Way: CaseIterable, Sendable {
        case send, reply, replies, queue, closures, superseding

        func send<Request: BackendAPIRequest>(
            _ request: Request, on service: BackendService
        ) async throws {
            switch self {
            case .send: try await service.send(request)
            case .reply: _ = try await service.reply(to: request)
            case .replies: for try await _ in service.replies(to: request) {}
            case .queue:
                let queue = NetworkQueue()
                let operation = ServiceOperation(request, on: service)
                queue.add(operation)
                _ = try await operation.value()
            case .closures:
                _ = try await service.send(request, success: { _ in }, failure: { _ in }).value()
            case .superseding: _ = try await SupersedingRequests(service).send(request)
            }
        }
    }

    let server = SessionServer()
    let backend: TestBackend
    let store = MemoryCredentialStore()
    let auth: BackendAuth

    init() throws {
        let server = server
        backend = TestBackend { request, _ in try server.respond(to: request) }
        auth = try BackendAuth(store: store)
    }

    private static let signIn = SignInRequest(name: "mina", password: "correct")
    private static let signUp = SignUpRequest(name: "mina", password: "correct")

    private var sent: [String] { backend.requests.map { "\($0.method) \($0.target)" } }

    @Test(arguments: Way.allCases)
    func `sending a sign-in begins a session`(way: Way) async throws {
        let service = backend.service(auth: auth)
        try await way.send(Self.signIn, on: service)
        #expect(auth.sessionState == .signedIn(account: SessionServer.user.id.description))
        #expect(store.load() == server.credentials(expiresAt: 4_000_000_000))
        #expect(try await service.send(list).next == "in")
        #expect(sent == ["POST /v1/sessions", "GET /v1/articles"])
    }

    @Test(arguments: Way.allCases)
    func `sending a sign-up creates an account and begins a session in it`(way: Way) async throws {
        let service = backend.service(auth: auth)
        try await way.send(Self.signUp, on: service)
        #expect(store.load()?.token == "bsa_1" && auth.isSignedIn)
        #expect(sent == ["POST /v1/users", "POST /v1/sessions"])
        #expect(backend.requests.allSatisfy { !$0.fields.contains(.authorization) })
    }

    @Test(arguments: Way.allCases)
    func `sending a sign-out ends the session here and at the backend`(way: Way) async throws {
        let service = backend.service(auth: auth)
        try await service.send(Self.signIn)
        try await way.send(SignOutRequest(), on: service)
        #expect(auth.sessionState == .signedOut && store.load() == nil && server.isOver)
        #expect(sent.last == "DELETE /v1/sessions/current")
        // There is nothing left to end.
        try await way.send(SignOutRequest(), on: service)
        #expect(sent.count == 2)
    }

    @Test(arguments: Way.allCases)
    func `deleting the account ends the session`(way: Way) async throws {
        let service = backend.service(auth: auth)
        try await service.send(Self.signIn)
        try await way.send(DeleteMeRequest(current: "correct"), on: service)
        #expect(auth.sessionState == .signedOut && store.load() == nil)
        #expect(sent.last == "DELETE /v1/me")
        #expect(backend.requests.last?.fields[.authorization] == "Bearer bsa_1")
    }

    @Test func `what the backend rejects leaves the session as it is`() async throws {
        let backend = TestBackend { _, _ in rejection(.invalidValues, "is wrong") }
        try auth.signIn(server.credentials())
        let service = backend.service(auth: auth)
        let deletion = DeleteMeRequest(current: "wrong")
        for way in Way.allCases {
            let errors = [
                await outcome { try await way.send(Self.signIn, on: service) }.error,
                await outcome { try await way.send(Self.signUp, on: service) }.error,
                await outcome { try await way.send(deletion, on: service) }.error,
            ]
            for error in errors { #expect(error?.problem?.kind == .invalidValues) }
        }
        #expect(auth.isSignedIn && store.load() == server.credentials())
    }

    @Test func `a wrong password does not mean that a session has ended`() async throws {
        let backend = TestBackend { _, _ in rejection(.unauthenticated, "wrong") }
        let service = backend.service(auth: auth)
        for way in Way.allCases {
            let error = await outcome { try await way.send(Self.signIn, on: service) }.error
            #expect(error == .signInRejected(Problem(.unauthenticated, detail: "wrong")))
        }
        let identity = ProvidedIdentity(provider: "apple", idToken: "a.b.c", nonce: "n")
        let error = await outcome { try await service.signIn(identity: identity) }.error
        #expect(error == .unauthorized(Problem(.unauthenticated, detail: "wrong")))
    }

    @Test func `an admin who creates an account for somebody else stays signed in`() async throws {
        let service = backend.service(auth: BackendAuth(token: "bsk_admin"))
        let draft = User.Draft(name: "mina", password: "correct", role: .reader)
        #expect(try await service.send(SignUpRequest(user: draft)) == SessionServer.user)
        #expect(sent == ["POST /v1/users"])
        #expect(backend.requests[0].fields[.authorization] == "Bearer bsk_admin")
        #expect(service.auth.sessionState == .signedIn(account: nil))
    }

    // MARK: Operations

    @Test func `operations behind a sign-in belong to its session`() async throws {
        let service = backend.service(auth: auth, cache: nil)
        let other = backend.service(cache: nil)
        let queue = NetworkQueue()
        let signIn = SignInOperation(name: "mina", password: "correct", on: service)
        let pause = NetworkOperation(after: [signIn.operation]) { .success(()) }
        let inside = ServiceOperation(list, on: service, after: [pause])
        let elsewhere = ServiceOperation(list, on: other, after: [pause])
        let signOut = ServiceOperation(SignOutRequest(), on: service, after: [inside.operation])
        let outside = ServiceOperation(
            list, on: service, after: [inside.operation, signOut.operation])
        queue.add(signIn)
        queue.add(pause)
        queue.add(inside)
        queue.add(elsewhere)
        #expect(try await signIn.value().user == SessionServer.user)
        #expect(try await inside.value().next == "in")
        guard case .unauthorized? = await outcome({ try await elsewhere.value() }).error else {
            throw TestFailure("sent in the session of another service")
        }
        queue.add(signOut)
        queue.add(outside)
        guard case .unauthorized? = await outcome({ try await outside.value() }).error else {
            throw TestFailure("sent in a session that has ended")
        }
        #expect(!auth.isSignedIn && server.isOver)
        let tokens = backend.requests.map { $0.fields[.authorization] }
        #expect(tokens.count == 5 && tokens.compactMap(\.self) == ["Bearer bsa_1", "Bearer bsa_1"])
    }

    @Test func `a sign-up in a queue is followed by what depends on it`() async throws {
        let service = backend.service(auth: auth)
        let queue = NetworkQueue()
        let signUp = SignUpOperation(name: "mina", password: "correct", on: service)
        let inside = ServiceOperation(list, on: service, after: [signUp.operation])
        queue.add(signUp)
        queue.add(inside)
        #expect(try await inside.value().next == "in")
    }

    @Test func `a sign-out that was queued in an earlier session leaves the later one alone`()
        async throws
    {
        let service = backend.service(auth: auth)
        try await service.send(Self.signIn)
        let signOut = ServiceOperation(SignOutRequest(), on: service)
        let behind = ServiceOperation(list, on: service, after: [signOut.operation])
        try await service.send(Self.signIn)
        let queue = NetworkQueue()
        queue.add(signOut)
        queue.add(behind)
        #expect(await outcome { try await signOut.value() }.error == .signedOut)
        #expect(await outcome { try await behind.value() }.error == .signedOut)
        #expect(auth.isSignedIn && store.load()?.token == "bsa_2")
    }

    @Test func `a cancelled sign-in begins no session`() async throws {
        let (began, goOn) = (Signal(), Signal())
        let server = server
        let backend = TestBackend { request, _ in
            let response = try server.respond(to: request)
            began.give()
            await goOn.wait()
            return response
        }
        let service = backend.service(auth: auth)
        let queue = NetworkQueue()
        let signIn = SignInOperation(name: "mina", password: "correct", on: service)
        let behind = ServiceOperation(list, on: service, after: [signIn.operation])
        queue.add(signIn)
        queue.add(behind)
        await began.wait()
        queue.cancelAll()
        goOn.give()
        #expect(await outcome { try await behind.value() }.error == .cancelled)
        #expect(await eventually { queue.count == 0 })
        #expect(!auth.isSignedIn && store.load() == nil)
    }
}
