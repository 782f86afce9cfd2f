import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct SendingTests {
    @Test func `a request is sent as the contract says, and its item returned`() async throws {
        let backend = TestBackend { _, _ in page("c1") }
        let item = try await backend.service().send(FetchArticlesRequest(limit: 5, tags: ["a b"]))
        #expect(item.items.isEmpty && item.next == "c1")
        let request = try #require(backend.requests.first)
        #expect(request.method == .get)
        #expect("\(request.target)" == "/v1/articles?limit=5&tag=a%20b")
        #expect(request.fields[.accept] == "application/json, application/problem+json")
        #expect(request.fields[.userAgent] == "broadsheet-swift")
        #expect(!request.fields.contains(.authorization))
        #expect(backend.origins == [HTTPOrigin("http://localhost")])
    }

    @Test func `the base URL's path and the headers are added`() async throws {
        let backend = TestBackend { _, _ in page("c") }
        var configuration = BackendConfiguration(baseURL: "http://localhost:8080/api/")
        let name = try #require(HTTPFieldName("X-App"))
        configuration.headers.set(name, to: "1")
        configuration.headers.set(.accept, to: "text/html")
        var options = RequestOptions()
        options.headers = [.userAgent: "mine"]
        _ = try await backend.service(configuration).send(list, options: options)
        let request = try #require(backend.requests.first)
        #expect("\(request.target)" == "/api/v1/articles")
        #expect(request.fields[name] == "1")
        #expect(request.fields[.userAgent] == "mine")
        #expect(request.fields[.accept] == "application/json, application/problem+json")
    }

    @Test func `invalid headers are an error, and nothing is sent`() async throws {
        let backend = TestBackend { _, _ in page("c") }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.headers = [.cookie: "a\r\nb: c"]
        var options = RequestOptions()
        for service in [backend.service(configuration), backend.service()] {
            let error = await outcome { try await service.send(list, options: options) }.error
            guard case .transport(let failure)? = error else {
                throw TestFailure("\(error as Any)")
            }
            #expect(failure.kind == .unsupported && failure.description.contains("Cookie"))
            options.headers = [.cookie: "a\0"]
        }
        #expect(backend.requests.isEmpty)
    }

    @Test func `a rejection is the problem that the backend reports`() async throws {
        let backend = TestBackend { _, _ in rejection(.invalidValues, "the limit is 100") }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.kind == .invalidValues)
        #expect(problem.detail == "the limit is 100")
        #expect(error?.description == "the limit is 100")
    }

    @Test func `a rejection of an API without problems is reported by its status`() async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(.notFound, fields: [.contentType: "text/html"], body: .bytes([1]))
        }
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.problemTypes = nil
        let error = await outcome { try await backend.service(configuration).send(list) }.error
        let problem = Problem(type: "about:blank", title: "Not Found", status: 404)
        #expect(error == .problem(problem))
        #expect(error?.description == "Not Found")
    }

    @Test func `401 is reported as unauthorized`() async throws {
        let backend = TestBackend { _, _ in rejection(.unauthenticated) }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .unauthorized? = error else { throw TestFailure("\(error as Any)") }
        #expect(backend.requests.count == 1)
    }

    @Test func `an invalid response is an error that names the place`() async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(.ok, body: .bytes(Array(#"{"items":[{"id":7}]}"#.utf8)))
        }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .mapping(.invalid(let path, _, _))? = error else {
            throw TestFailure("\(error as Any)")
        }
        #expect(path == "$.items[0].id")
    }

    @Test func `a response without content is valid`() async throws {
        let backend = TestBackend { _, _ in HTTPResponse(.noContent) }
        _ = try await backend.service().send(DeleteArticleRequest(id: try articleID()))
        #expect(backend.requests.map(\.method) == [.delete])
    }

    @Test func `exactly one of the closures is called, once`() async throws {
        let backend = TestBackend { _, count in count == 0 ? page("a") : rejection(.notFound) }
        let service = backend.service(cache: nil)
        for expected in ["a", "404"] {
            let called = Lock([String]())
            let operation = service.send(list) { page in
                called.withLock { $0.append(page.next ?? "") }
            } failure: { error in
                guard case .problem(let problem) = error else { return }
                called.withLock { $0.append("\(problem.status)") }
            }
            _ = await operation.operation.ended()
            operation.cancel()
            #expect(called.withLock { $0 } == [expected])
        }
    }

    @Test func `a cancelled call with closures fails with cancelled, at once`() async throws {
        let arrived = Signal()
        let never = Signal()
        let backend = TestBackend { _, _ in
            arrived.give()
            await never.wait()
            return page("late")
        }
        let called = Lock([BackendError]())
        let operation = backend.service().send(list) { _ in
            Issue.record("cancelled, and yet an item")
        } failure: { error in
            called.withLock { $0.append(error) }
        }
        await arrived.wait()
        operation.cancel()
        #expect(called.withLock { $0 } == [.cancelled])
        never.give()
        _ = await operation.operation.ended()
        #expect(called.withLock { $0 } == [.cancelled])
    }

    private func articleID() throws -> Article.ID {
        try #require(Article.ID("01890a5d-ac96-774b-bcce-b302099a8057"))
    }
}
