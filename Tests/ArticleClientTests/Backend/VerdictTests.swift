import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The difference between the backend's responses and those of anything on the way to it.
@Suite struct VerdictTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var status: Int
        var type: String?
        var body = ""

        var testDescription: String { "\(status) \(type ?? "") \(body)" }

        var response: HTTPResponse {
            var response = HTTPResponse(HTTPStatus(status) ?? .ok, body: .bytes(Array(body.utf8)))
            if let type { response.fields.set(.contentType, to: type) }
            return response
        }
    }

    private static let html = "<html><title>Sign in to this network</title></html>"
    private static let blank = #"{"type":"about:blank","title":"No","status":404}"#

    private static let foreign: [Case] =
        [200, 401, 403, 404, 500, 503, 511].map {
            Case(status: $0, type: "text/html", body: html)
        } + [
            Case(status: 404, type: Problem.mediaType, body: blank),
            Case(status: 401, type: Problem.mediaType, body: blank),
            Case(status: 403, type: Problem.mediaType, body: html),
            Case(status: 404, type: Problem.mediaType, body: #"{"type":"/problems/other"}"#),
            Case(status: 404, type: "application/json", body: #"{"type":"/problems/not-found"}"#),
            Case(status: 404), Case(status: 302), Case(status: 204), Case(status: 200),
            Case(status: 200, type: "text/plain", body: "ok"),
            Case(status: 200, type: "application/json", body: html),
            Case(status: 200, type: "application/json", body: #"{"items":["#),
            Case(status: 200, body: html),
        ]

    private func service(
        _ backend: TestBackend, auth: BackendAuth = BackendAuth()
    ) -> BackendService {
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        return backend.service(configuration, auth: auth)
    }

    @Test(arguments: foreign)
    func `what the contract does not know is a failure of the network`(item: Case) async throws {
        let backend = TestBackend { _, _ in item.response }
        let renewals = Counter()
        let auth = try BackendAuth(
            store: MemoryCredentialStore(Credentials(token: "a", refreshToken: "b", account: "c"))
        ) { old, _ in
            _ = renewals.next()
            return old
        }
        let error = await outcome { try await service(backend, auth: auth).send(list) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .foreign && failure.status?.code == item.status)
        #expect(error?.isTransient == true && error?.allowsStale == true)
        #expect(renewals.value == 0 && auth.sessionState == .signedIn(account: "c"))
    }

    @Test(arguments: foreign.filter { $0.status != 204 })
    func `a deletion is not confirmed by something else`(item: Case) async throws {
        let backend = TestBackend { _, _ in item.response }
        let request = DeleteArticleRequest(id: Article.ID(at: Timestamp(milliseconds: 0)))
        let error = await outcome { try await service(backend).send(request) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .foreign)
    }

    @Test(arguments: Problem.Kind.allCases)
    func `every problem of the contract is a verdict`(kind: Problem.Kind) async throws {
        let backend = TestBackend { _, _ in
            var response = rejection(kind)
            response.fields.set(.contentType, to: "Application/Problem+JSON; charset=utf-8")
            response.fields.set(.retryAfter, to: "7")
            return response
        }
        let error = await outcome { try await service(backend).send(list) }.error
        #expect(error?.problem?.kind == kind && error?.retryAfter == .seconds(7))
    }

    @Test func `a failed renewal ends the session only by a verdict`() async throws {
        for item in Self.foreign + [Case(status: 503, type: nil)] {
            let isRight = Lock(false)
            let backend = TestBackend { request, _ in
                guard request.fields[.authorization] != "Bearer a" else {
                    return rejection(.unauthenticated)
                }
                if "\(request.target)".contains("tags"), !isRight.withLock({ $0 }) {
                    return item.response
                }
                return page("b")
            }
            let auth = try BackendAuth(
                store: MemoryCredentialStore(
                    Credentials(token: "a", refreshToken: "b", account: "c"))
            ) { old, service in
                _ = try await service.send(FetchTagsRequest())
                return Credentials(token: "new")
            }
            let service = self.service(backend, auth: auth)
            let error = await outcome { try await service.send(list) }.error
            #expect(error?.isTransient == true, "\(item): \(error as Any)")
            #expect(auth.sessionState == .signedIn(account: "c"))
            isRight.withLock { $0 = true }
            #expect(try await service.send(list).next == "b")
        }
    }

    @Test func `a server of one's own has problems of its own`() async throws {
        let backend = TestBackend { _, _ in
            Case(status: 402, type: Problem.mediaType, body: #"{"type":"/mine/unpaid"}"#).response
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        let service = backend.service(configuration)
        #expect(await outcome { try await service.send(list) }.error?.problem == nil)
        configuration.problemTypes?.insert("/mine/unpaid")
        let own = backend.service(configuration)
        let error = await outcome { try await own.send(list) }.error
        #expect(error?.problem?.type == "/mine/unpaid" && error?.isTransient == false)
    }

    @Test func `a delay for which something else asks is known`() async throws {
        let backend = TestBackend { _, _ in
            var response = Case(status: 503, type: "text/html", body: Self.html).response
            response.fields.set(.retryAfter, to: "120")
            return response
        }
        let error = await outcome { try await service(backend).send(list) }.error
        #expect(error?.retryAfter == .seconds(120) && error?.problem == nil)
    }
}
