import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite struct RedirectTests {
    private func redirect(_ code: Int, to location: String) throws -> HTTPResponse {
        HTTPResponse(try #require(HTTPStatus(code)), fields: [.location: location])
    }

    @Test(arguments: [
        ("/v2/articles", "http://localhost", "/v2/articles"),
        ("other?a=b", "http://localhost", "/v1/other?a=b"),
        ("../x", "http://localhost", "/x"),
        ("http://example.com:81/y", "http://example.com:81", "/y"),
        ("//example.com", "http://example.com", "/"),
    ])
    func `a redirect is followed`(location: String, origin: String, target: String) async throws {
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.temporaryRedirect, fields: [.location: location]) : page("there")
        }
        #expect(try await backend.service().send(list).next == "there")
        #expect(backend.origins.last == HTTPOrigin(origin))
        #expect(backend.requests.last.map { "\($0.target)" } == target)
    }

    @Test func `the token never goes to another origin`() async throws {
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.permanentRedirect, fields: [.location: "http://127.0.0.1/a"])
                : page("there")
        }
        var options = RequestOptions()
        options.headers = [.cookie: "a=b"]
        let auth = BackendAuth(token: "bsk_secret")
        _ = try await backend.service(auth: auth).send(list, options: options)
        #expect(backend.requests[0].fields[.authorization] == "Bearer bsk_secret")
        #expect(!backend.requests[1].fields.contains(.authorization))
        #expect(!backend.requests[1].fields.contains(.cookie))
    }

    @Test func `the token is sent again when redirects return to the origin`() async throws {
        let backend = TestBackend { _, count in
            switch count {
            case 0: HTTPResponse(.found, fields: [.location: "http://127.0.0.1/a"])
            case 1: HTTPResponse(.found, fields: [.location: "http://localhost/b"])
            default: page("there")
            }
        }
        _ = try await backend.service(auth: BackendAuth(token: "t")).send(list)
        #expect(
            backend.requests.map { $0.fields[.authorization] } == ["Bearer t", nil, "Bearer t"])
    }

    @Test func `endless redirects are an error`() async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(.found, fields: [.location: "/v1/articles"])
        }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .redirected)
        #expect(backend.requests.count == 6)
    }

    @Test(arguments: [(301, 1), (302, 1), (303, 2), (307, 2), (308, 2)])
    func `a write is only redirected if its meaning is preserved`(
        code: Int, requests: Int
    ) async throws {
        let first = try redirect(code, to: "/v1/elsewhere")
        let backend = TestBackend { _, count in count == 0 ? first : rejection(.notFound) }
        let create = CreateArticleRequest(article: Article.Draft(title: "a"))
        _ = await outcome { try await backend.service().send(create) }
        #expect(backend.requests.count == requests)
        guard requests == 2 else { return }
        #expect(backend.requests[1].method == (code == 303 ? .get : .post))
        #expect(backend.requests[1].body.isEmpty == (code == 303))
    }

    @Test(arguments: ["http://example.com/", "ftp://example.com/", "unix:/a", "http://[", ""])
    func `redirects to http and invalid redirects are not followed`(location: String) async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(.found, fields: [.location: location])
        }
        let configuration = BackendConfiguration(baseURL: "https://example.com")
        let error = await outcome { try await backend.service(configuration).send(list) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .foreign && failure.status == .found)
        #expect(backend.requests.count == 1)
    }

    @Test func `on a Unix socket, localhost is the socket`() async throws {
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.found, fields: [.location: "http://localhost/a"]) : page("there")
        }
        let configuration = BackendConfiguration(baseURL: "unix:/run/a.control")
        _ = try await backend.service(configuration).send(list)
        #expect(
            backend.origins == Array(repeating: HTTPOrigin(unixSocket: "/run/a.control"), count: 2))
    }

    @Test func `another origin receives only harmless fields`() async throws {
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.temporaryRedirect, fields: [.location: "http://127.0.0.1/a"])
                : page("there")
        }
        let name = try #require(HTTPFieldName("X-Api-Key"))
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.headers.set(name, to: "secret")
        var options = RequestOptions()
        options.idempotencyKey = "one"
        _ = try await backend.service(configuration).send(list, options: options)
        #expect(backend.requests[0].fields[name] == "secret")
        let names = backend.requests[1].fields.all.map(\.name)
        #expect(names == ["Accept", "User-Agent"])
    }

    @Test(arguments: [307, 308])
    func `a write is not redirected to another origin`(code: Int) async throws {
        let answer = try redirect(code, to: "http://127.0.0.1/v1/articles")
        let backend = TestBackend { _, _ in answer }
        let create = CreateArticleRequest(article: Article.Draft(title: "mine"))
        let error = await outcome { try await backend.service().send(create) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .redirected)
        #expect(backend.requests.count == 1)
    }
}
