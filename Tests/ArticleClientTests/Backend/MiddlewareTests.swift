import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Steps around the exchanges of a service.
@Suite struct MiddlewareTests {
    /// Records what it sees, and adds its name to the request.
    private final class Witness: RequestMiddleware {
        let name: String
        let seen = Lock([(request: HTTPRequest, context: ExchangeContext)]())

        init(_ name: String = "a") { self.name = name }

        func respond(
            to request: HTTPRequest, in context: ExchangeContext, next: Next
        ) async throws(TransportError) -> HTTPResponse {
            seen.withLock { $0.append((request, context)) }
            var request = request
            let names = request.fields[.xRequestID]
            request.fields[.xRequestID] = (names ?? "") + name
            return try await next(request)
        }

        var ids: [String] { seen.withLock { $0.map { "\($0.context.id)" } } }
        var tokens: [String?] { seen.withLock { $0.map { $0.request.fields[.authorization] } } }
    }

    /// Responds itself.
    private struct Responder: RequestMiddleware {
        let result: Result<HTTPResponse, TransportError>

        func respond(
            to request: HTTPRequest, in context: ExchangeContext, next: Next
        ) async throws(TransportError) -> HTTPResponse { try result.get() }
    }

    @Test func `each attempt passes the middleware, the first outermost`() async throws {
        let (outer, inner) = (Witness("a"), Witness("b"))
        let backend = TestBackend { _, count in
            guard count > 0 else { throw TransportError.offline("no network") }
            return page("b")
        }
        let service = backend.service(middleware: [outer, inner])
        #expect(try await service.send(list).next == "b")
        #expect(outer.ids == ["1.1", "1.2"] && inner.ids == ["1.1", "1.2"])
        #expect(backend.requests.map { $0.fields[.xRequestID] } == ["ab", "ab"])
        let context = try #require(outer.seen.withLock { $0.first?.context })
        #expect(context.endpoint?.name == "listArticles" && !context.isStreamed)
        #expect(context.account == nil)
    }

    @Test func `renewals and their retries are seen with their own tokens`() async throws {
        let server = SessionServer()
        _ = try server.respond(
            to: HTTPRequest(.post, try #require(RequestTarget(path: "/v1/sessions"))))
        server.wearOut()
        let witness = Witness()
        let store = MemoryCredentialStore()
        store.save(server.credentials())
        let auth = try BackendAuth(store: store)
        let backend = TestBackend { request, _ in try server.respond(to: request) }
        _ = try await backend.service(auth: auth, middleware: [witness]).send(list)
        #expect(witness.tokens == ["Bearer bsa_1", nil, "Bearer bsa_2"])
        let contexts = witness.seen.withLock { $0.map(\.context) }
        let account = SessionServer.user.id.description
        #expect(contexts.map(\.account) == [account, nil, account])
        #expect(witness.ids == ["1.1", "2.1", "1.2"])
    }

    @Test func `another origin is told apart, and gets no token`() async throws {
        let witness = Witness()
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.found, fields: [.location: "http://example.com/a"]) : page("b")
        }
        let auth = BackendAuth(token: "bsk_secret")
        _ = try await backend.service(auth: auth, middleware: [witness]).send(list)
        #expect(witness.tokens == ["Bearer bsk_secret", nil])
        let origins = witness.seen.withLock { $0.map { "\($0.context.origin)" } }
        #expect(origins == ["http://localhost", "http://example.com"])
    }

    @Test func `a middleware may respond itself, also to a stream`() async throws {
        let backend = TestBackend { _, _ in rejection(.forbidden) }
        let own = Responder(result: .success(page("own")))
        let service = backend.service(middleware: [own])
        #expect(try await service.send(list).next == "own")
        let stream = try await service.stream(list)
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        #expect(bytes == Array(#"{"items":[],"next":"own"}"#.utf8) && stream.length == bytes.count)
        #expect(backend.requests.isEmpty)
    }

    @Test func `a streamed body of its own is rejected where it would not be read`() async throws {
        let body = HTTPBody.stream(HTTPBodyStream { nil })
        let own = Responder(result: .success(HTTPResponse(.ok, body: body)))
        let service = TestBackend { _, _ in page("b") }.service(middleware: [own])
        guard case .transport(let failure)? = await outcome({ try await service.send(list) }).error
        else { throw TestFailure("no failure") }
        #expect(failure.kind == .unsupported)
    }

    @Test func `an error of a middleware is one of the transport`() async throws {
        let failing = Responder(result: .failure(.offline("no key")))
        let backend = TestBackend { _, _ in page("b") }
        let witness = Witness()
        let service = backend.service(middleware: [witness, failing])
        #expect(await outcome { try await service.send(list) }.error == .offline("no key"))
        #expect(witness.ids == ["1.1", "1.2", "1.3"] && backend.requests.isEmpty)
    }

    @Test func `what a middleware changes is not cached or shared as another request`() async throws
    {
        let backend = TestBackend { request, _ in
            var response = page(request.fields[.xRequestID] ?? "none")
            response.fields[.etag] = "\"1\""
            return response
        }
        let service = backend.service(middleware: [Witness("a")])
        _ = try await service.send(list)
        let copy = try await service.send(list, options: .init(freshness: .cached))
        #expect(copy.next == "a")
    }
}
