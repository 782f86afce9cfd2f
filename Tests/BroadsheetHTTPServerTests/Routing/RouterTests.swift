import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

@Suite struct RouterTests {
    @Test(arguments: [
        ("/articles/42", "42"), ("/articles/latest", "the latest"),
        ("/articles/%6Catest", "the latest"), ("/articles/a%2Fb", "a/b"),
        ("/articles/%ED%95%9C", "한"), ("http://test/articles/7?x=/y", "7"),
    ])
    func `paths are routed to their handlers`(target: String, text: String) async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let response = try test.client.get(target)
            #expect(response.status == 200)
            #expect(response.text == text)
        }
    }

    @Test func `requests of the program itself are routed without a connection`() async throws {
        let router = try TestRoutes.router()
        func status(_ method: HTTPMethod, _ target: String) async throws -> Int {
            let target = try #require(RequestTarget(target.utf8))
            return await router.respond(to: HTTPRequest(method, target)).status.code
        }
        #expect(try await status(.get, "/articles/42") == 200)
        #expect(try await status(.get, "/nothing") == 404)
        #expect(try await status(.put, "/articles/42") == 405)
    }

    @Test(arguments: ["/", "/nothing", "/articles", "/articles/", "/articles/1/2", "/hello/"])
    func `other paths receive 404`(target: String) async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let response = try test.client.get(target)
            #expect(response.status == 404)
        }
    }

    @Test func `an unsupported method receives 405 with the allowed ones`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let response = try test.client.send(.put, "/articles/1")
            #expect(response.status == 405)
            #expect(response.fields[.allow] == "DELETE, GET, HEAD, OPTIONS")
        }
    }

    @Test func `OPTIONS lists the allowed methods`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let one = try test.client.send(.options, "/hello")
            #expect(one.status == 204)
            #expect(one.fields[.allow] == "GET, HEAD, OPTIONS")
            let all = try test.client.send(.options, "*")
            #expect(all.status == 204)
            #expect(all.fields[.allow] == "DELETE, GET, HEAD, OPTIONS, POST")
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send("HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n" + get)
            let head = try connection.response(to: .head)
            #expect(head.fields[.contentLength] == "5")
            #expect(head.fields[.contentType] == "text/plain")
            #expect(try connection.response().text == "hello")
        }
    }

    @Test func `a response that forbids a body has no length`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let response = try test.client.send(.delete, "/articles/1")
            #expect(response.status == 204)
            #expect(!response.fields.contains(.contentLength))
        }
    }

    @Test(arguments: ["", "a", "/a//b", "/a/", "/{}", "/{a}/{a}", "/x{a}", "/..", "/a%20b", "/a?b"])
    func `malformed templates are rejected`(template: String) {
        var routes = HTTPRouterBuilder()
        routes.on(.get, PathTemplate(stringLiteral: template)) { _, _ in HTTPResponse(.ok) }
        #expect(throws: RouterError.self) { _ = try routes.build() }
    }

    @Test func `conflicting routes are rejected`() {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/a/{id}") { _, _ in HTTPResponse(.ok) }
        routes.on(.get, "/a/{slug}") { _, _ in HTTPResponse(.ok) }
        #expect(throws: RouterError.conflict(method: "GET", "/a/{id}", "/a/{slug}")) {
            _ = try routes.build()
        }
    }
}
