import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// The examples of the server itself, its configuration and its limits.
@Suite struct HTTPServerExamples {
    private struct InvalidName: Error {}

    private func router(_ text: String = "hello") throws -> HTTPRouter {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/hello") { _, _ in HTTPResponse(.ok, body: .bytes(Array(text.utf8))) }
        routes.on(.post, "/echo") { request, _ in HTTPResponse(.ok, body: .bytes(request.body)) }
        return try routes.build()
    }

    /// The status of the response to a request for this host.
    private func status(_ test: TestServer, host: String) throws -> Int {
        let connection = try RawConnection(test.address)
        try connection.send("GET /hello HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try connection.response().status
    }

    @Test func `a server`() async throws {
        let router = try router()
        let local = SocketAddress.v4([127, 0, 0, 1], port: 0)
        let server = HTTPServer(
            ServerConfiguration(addresses: [local], system: .real), router: router)
        let addresses = try server.start()
        #expect(try TestClient(addresses[0]).get("/hello").text == "hello")
        #expect(throws: HTTPServerError.alreadyStarted) { try server.start() }
        await server.stop(graceSeconds: 0)
        #expect(server.connectionCount == 0)
    }

    @Test func `a configuration`() async throws {
        let local = SocketAddress.v4([127, 0, 0, 1], port: 0)
        var configuration = ServerConfiguration(addresses: [local], loops: 2, system: .real)
        configuration.limitConnections = 1_000
        configuration.report = { print($0) }
        try await TestServer.run(router(), with: configuration) { (test) async throws in
            #expect(try test.client.get("/hello").text == "hello")
            #expect(await test.server.loopLags().count == 2)
        }
    }

    @Test func `a Unix socket for a group`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let access = try SocketAccess(parsing: "mode=0660")
        let socket = try ListeningSocket(.unix(path), access: access)
        #expect(socket.address == .unix(path))
    }

    @Test func `a connection that is handed off`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let configuration = ServerConfiguration.local {
            $0.open = { (_, _) throws(SystemError) in socket }
        }
        let server = HTTPServer(configuration, router: try router("first"))
        let next = HTTPServer(configuration, router: try router("next"))
        try server.start()
        let client = try RawConnection(socket.address)
        try client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n")
        #expect(try client.response().text == "first")
        try next.start()
        await server.handOver(graceSeconds: 10) { connection in
            let (peer, door) = (connection.peer, connection.door)
            next.adopt(connection.release(), from: peer, door: door)
        }
        try client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n")
        #expect(try client.response().text == "next")
        await next.stop(graceSeconds: 0)
    }

    @Test func `counts of rejections`() async throws {
        try await TestServer.run(router(), with: .local { $0.limitConnections = 1 }) {
            (test) async throws in
            let server = test.server
            let first = try RawConnection(test.address)
            try first.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try first.response().status == 200)
            #expect(try test.client.get("/hello").status == 503)
            var counts: [String: Int] = [:]
            for (reason, count) in server.rejections { counts[reason.rawValue] = count }
            #expect(counts["connections"] == 1)
            #expect(counts["address_rate"] == 0)
            #expect(counts.count == RejectionReason.allCases.count)
        }
    }

    @Test func `limits`() async throws {
        var configuration = ServerConfiguration.local()
        configuration.limits.message.bodyBytes = 1 << 20
        configuration.limits.headMilliseconds = 5_000
        configuration.limits.connectionsPerAddress = 100
        try await TestServer.run(router(), with: configuration) { (test) async throws in
            for (length, status) in [(1 << 20 + 1, 413), (2, 200)] {
                let connection = try RawConnection(test.address)
                try connection.send(
                    "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: \(length)\r\n\r\nab")
                #expect(try connection.response(to: .post).status == status)
            }
        }
    }

    @Test func `rates`() {
        var configuration = ServerConfiguration.local()
        configuration.limits.keyRate = RateLimit(requests: 12_000, seconds: 60)
        configuration.limits.addressRate = RateLimit("600/60")
        #expect(configuration.limits.keyRate?.requests == 12_000)
        #expect(configuration.limits.addressRate == RateLimit(requests: 600, seconds: 60))
        #expect(RateLimit("600") == nil && RateLimit(requests: 0, seconds: 60) == nil)
    }

    @Test func `host names`() async throws {
        var configuration = ServerConfiguration.local()
        var names = HostNames()
        guard names.add("news.example.org") else { throw InvalidName() }
        configuration.hostNames = names
        try await TestServer.run(router(), with: configuration) { (test) async throws in
            #expect(try status(test, host: "news.example.org") == 200)
            #expect(try status(test, host: "localhost") == 200)
            #expect(try status(test, host: "attacker.example") == 421)
        }
    }

    @Test func `a cookie with credentials`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/v1/me") { request, _ in
            let text = request.fields[.authorization] ?? "none"
            return HTTPResponse(.ok, body: .bytes(Array(text.utf8)))
        }
        let router = try routes.build()
        var configuration = ServerConfiguration.local()
        _ = configuration.trustedProxies.add("127.0.0.1")
        configuration.sessionCookie = SessionCookie("__Host-session", below: "/v1/")
        try await TestServer.run(router, with: configuration) { (test) async throws in
            for (site, credentials) in [("same-origin", "Bearer s1"), ("cross-site", "none")] {
                let response = try test.client.send(
                    .get, "/v1/me",
                    fields: [
                        .cookie: "__Host-session=s1", .secFetchSite: site,
                        .xForwardedProto: "https",
                    ])
                #expect(response.text == credentials)
            }
        }
    }

    @Test func `origins that may read responses`() async throws {
        var configuration = ServerConfiguration.local()
        let isOrigin = configuration.crossOrigin.add("https://app.example.org")
        #expect(isOrigin)
        try await TestServer.run(router(), with: configuration) { (test) async throws in
            for (origin, allowed) in [
                ("https://app.example.org", "https://app.example.org"),
                ("https://other.example.org", nil),
            ] {
                let response = try test.client.send(.get, "/hello", fields: [.origin: origin])
                #expect(response.fields[.accessControlAllowOrigin] == allowed)
            }
        }
    }

    @Test func `rejections of the server`() async throws {
        var configuration = ServerConfiguration.local()
        configuration.rejections = { error in
            let json = #"{"status":\#(error.status.code)}"#
            return HTTPResponse(
                error.status, fields: [.contentType: "application/json"],
                body: .bytes(Array(json.utf8)))
        }
        try await TestServer.run(router(), with: configuration) { (test) async throws in
            let response = try test.client.send(.delete, "/hello")
            #expect(response.text == #"{"status":405}"#)
            #expect(response.fields[.contentType] == "application/json")
            #expect(response.fields[.allow] == "GET, HEAD, OPTIONS")
        }
    }
}
