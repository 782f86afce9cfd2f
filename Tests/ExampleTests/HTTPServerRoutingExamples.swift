import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// The examples of routes and of what their handlers receive.
@Suite struct HTTPServerRoutingExamples {
    @Test func `a router`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/articles/latest") { _, _ in HTTPResponse(.ok) }
        routes.on(.get, "/articles/{id}") { _, _ in HTTPResponse(.notFound) }
        let router: HTTPRouter = try routes.build()
        try await TestServer.run(router) { (test) async throws in
            #expect(try test.client.get("/articles/latest").status == 200)
            #expect(try test.client.get("/articles/7").status == 404)
            #expect(try test.client.send(.put, "/articles/7").status == 405)
        }
    }

    @Test func `a builder of routes`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/articles/{id}") { _, _ in HTTPResponse(.ok) }
        routes.on(.delete, "/articles/{id}") { _, _ in HTTPResponse(.noContent) }
        let router = try routes.build()
        try await TestServer.run(router) { (test) async throws in
            #expect(try test.client.get("/articles/7").status == 200)
            #expect(try test.client.send(.delete, "/articles/7").status == 204)
        }
        routes.on(.get, "/articles/{slug}") { _, _ in HTTPResponse(.ok) }
        let conflict = RouterError.conflict(
            method: "GET", "/articles/{id}", "/articles/{slug}")
        #expect(throws: conflict) { try routes.build() }
    }

    @Test func `the context of a request`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/articles/{id}") { _, context in
            let text = "\(context.requestID) reads \(context.parameters["id"] ?? "")"
            return HTTPResponse(.ok, body: .bytes(Array(text.utf8)))
        }
        try await TestServer.run(routes.build()) { (test) async throws in
            let response = try test.client.send(
                .get, "/articles/7", fields: [.xRequestID: "request-1"])
            #expect(response.text == "request-1 reads 7")
        }
    }

    @Test func `parameters of a path`() {
        let parameters = PathParameters(names: ["id"], values: ["7"])
        let context = RequestContext(
            requestID: "test", peer: .v4([127, 0, 0, 1], port: 0), template: "/articles/{id}",
            parameters: parameters)
        #expect(context.parameters["id"] == "7")
        #expect(context.parameters["slug"] == nil)
    }

    @Test func `an admission`() async throws {
        var routes = HTTPRouterBuilder()
        routes.protect(.delete, "/articles/{id}") { request, _ in
            guard request.fields[.authorization] == "Bearer secret" else {
                return .rejected(HTTPResponse(.unauthorized))
            }
            return .admitted({ _, _ in HTTPResponse(.noContent) }, account: "editor")
        }
        try await TestServer.run(routes.build()) { (test) async throws in
            #expect(try test.client.send(.delete, "/articles/7").status == 401)
            let admitted = try test.client.send(
                .delete, "/articles/7", fields: [.authorization: "Bearer secret"])
            #expect(admitted.status == 204)
        }
    }

    @Test func `the sender of a request`() async throws {
        var routes = HTTPRouterBuilder()
        routes.protect(.delete, "/articles/{id}") { _, _ in
            let sender = RequestSender(key: "editors")
            return .admitted({ _, _ in HTTPResponse(.noContent) }, sender: sender)
        }
        try await TestServer.run(routes.build()) { (test) async throws in
            #expect(try test.client.send(.delete, "/articles/7").status == 204)
        }
    }

    @Test func `a body that is read as it arrives`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.post, "/uploads", body: .streamed) { _, context in
            var count = 0
            do {
                while let piece = try await context.body?.next() { count += piece.count }
            } catch { return HTTPResponse(.badRequest) }
            return HTTPResponse(.ok, body: .bytes(Array("\(count)".utf8)))
        }
        try await TestServer.run(routes.build()) { (test) async throws in
            let body = [UInt8](repeating: 7, count: 100_000)
            #expect(try test.client.send(.post, "/uploads", body: body).text == "100000")
        }
    }

    @Test func `an exchange that costs more than one request`() async throws {
        var routes = HTTPRouterBuilder()
        routes.protect(.get, "/search") { _, _ in
            let search: HTTPHandler = { _, context in
                guard let seconds = context.scope?.charge(4) else { return HTTPResponse(.ok) }
                return HTTPResponse(.tooManyRequests, fields: [.retryAfter: "\(seconds)"])
            }
            return .admitted(search, account: "reader")
        }
        let configuration = ServerConfiguration.local {
            $0.limits.keyRate = RateLimit(requests: 6, seconds: 86_400)
        }
        try await TestServer.run(routes.build(), with: configuration) { (test) async throws in
            #expect(try test.client.get("/search").status == 200)
            // The handler rejects it, as one of the six is left for the request itself.
            let rejected = try test.client.get("/search")
            #expect(rejected.status == 429 && rejected.body.isEmpty)
            #expect(rejected.fields[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        }
    }
}
