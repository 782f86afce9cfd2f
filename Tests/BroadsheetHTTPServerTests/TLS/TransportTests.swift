import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct TransportTests {
    // MARK: Exposed credentials

    private static let key = "Authorization: Bearer k\r\n"
    private static let trusting = ServerConfiguration.local {
        _ = $0.trustedProxies.add("127.0.0.0/8")
    }

    @Test func `credentials are accepted over TLS and from this machine`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, _) = try server.connect(test.options())
            try connection.send("GET /hello HTTP/1.1\r\nHost: t\r\n\(Self.key)\r\n")
            #expect(try connection.response().status == 200)
        }
        try await TestServer.run(TestRoutes.router()) { server in
            let response = try server.client.send(
                .get, "/hello", fields: [.authorization: "Bearer k"])
            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        ("", 200), ("X-Forwarded-Proto: https", 200), ("X-Forwarded-Proto: http", 403),
        ("X-Forwarded-Proto: https, http", 403),
        // A named client connected to the proxy somehow, and nothing reports how.
        ("X-Forwarded-For: 203.0.113.5", 403), ("Forwarded: for=203.0.113.5", 403),
        ("Forwarded: for=203.0.113.5;proto=https", 200), ("X-Forwarded-For: 127.0.0.1", 200),
        ("Forwarded: for=unknown", 403), ("Forwarded: for=_hidden", 403),
        ("Forwarded: for=127.0.0.2\r\nX-Forwarded-For: 203.0.113.5", 403),
    ])
    func `a trusted proxy reports the client's transport`(said: String, expected: Int) async throws
    {
        try await TestServer.run(TestRoutes.router(), with: Self.trusting) { server in
            let connection = try RawConnection(server.address)
            let line = said.isEmpty ? "" : "\(said)\r\n"
            try connection.send("GET /hello HTTP/1.1\r\nHost: t\r\n\(Self.key)\(line)\r\n")
            #expect(try connection.response().status == expected)
            // Without a key the transport does not matter.
            let stranger = try RawConnection(server.address)
            try stranger.send("GET /hello HTTP/1.1\r\nHost: t\r\n\(line)\r\n")
            #expect(try stranger.response().status == 200)
        }
    }

    @Test(arguments: ["Bearer k", "Basic eDp5", ""], ["GET /hello", "GET /nothing", "PUT /hello"])
    func `exposed credentials are rejected, whatever they are for`(
        value: String, request: String
    ) async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.trusting) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                "\(request) HTTP/1.1\r\nHost: t\r\nAuthorization: \(value)\r\n"
                    + "X-Forwarded-Proto: http\r\n\r\n")
            let rejected = try connection.response()
            #expect(rejected.status == 403 && rejected.text.contains("over plain HTTP"))
        }
    }

    @Test func `untrusted peers cannot report a transport`() async throws {
        let configuration = ServerConfiguration.local { _ = $0.trustedProxies.add("10.0.0.0/8") }
        try await TestServer.run(TestRoutes.router(), with: configuration) { server in
            let response = try server.client.send(
                .get, "/hello",
                fields: [
                    .authorization: "Bearer k", .xForwardedProto: "http",
                    .forwarded: "proto=http",
                ])
            #expect(response.status == 200)
        }
    }

    // MARK: HSTS

    @Test func `HSTS is sent only over TLS and only if configured`() async throws {
        let test = try TLSTest()
        try await test.run {
            $0.strictTransportSeconds = 86_400
            $0.redirects = [.v4([127, 0, 0, 1], port: 0)]
        } _: { server in
            let (connection, _) = try server.connect(test.options())
            for target in ["/hello", "/nothing"] {
                try connection.send("GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n")
                let response = try connection.response()
                #expect(response.fields[.strictTransportSecurity] == "max-age=86400")
            }
            let plain = try TestClient(server.addresses[1]).get("/hello")
            #expect(!plain.fields.contains(.strictTransportSecurity))
        }
        try await test.run { server in
            let (connection, _) = try server.connect(test.options())
            try connection.send(get)
            #expect(try !connection.response().fields.contains(.strictTransportSecurity))
        }
    }

    // MARK: Redirection

    @Test(arguments: [
        (
            "GET /v1/articles?tag=a%20b&x=%2F HTTP/1.1\r\nHost: Example.test\r\n\r\n",
            "https://Example.test:PORT/v1/articles?tag=a%20b&x=%2F"
        ),
        ("GET / HTTP/1.1\r\nHost: example.test:80\r\n\r\n", "https://example.test:PORT/"),
        ("HEAD /a HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "https://[::1]:PORT/a"),
        (
            "GET http://other.test/b?c HTTP/1.1\r\nHost: example.test\r\n\r\n",
            "https://other.test:PORT/b?c"
        ),
        (
            "GET //evil.test/ HTTP/1.1\r\nHost: example.test\r\n\r\n",
            "https://example.test:PORT//evil.test/"
        ),
        (
            "POST /d HTTP/1.1\r\nHost: example.test\r\nContent-Length: 3\r\n\r\nabc",
            "https://example.test:PORT/d"
        ),
    ])
    func `plain HTTP is redirected to the same target over HTTPS`(request: String, expected: String)
        async throws
    {
        try await Self.redirecting { server, plain in
            let connection = try RawConnection(plain)
            try connection.send(request)
            let method: HTTPMethod = request.hasPrefix("HEAD") ? .head : .get
            let response = try connection.response(to: method)
            #expect(response.status == 308)
            let location = expected.replacing("PORT", with: "\(server.address.port)")
            #expect(response.fields[.location] == location)
        }
    }

    @Test(arguments: [
        "OPTIONS * HTTP/1.1\r\nHost: example.test\r\n\r\n",
        "CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n",
        "GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: evil.test,example.test\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: example.test;x=y\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: example%2etest\r\n\r\n",
        "GET http://evil.test,example.test/a HTTP/1.1\r\nHost: example.test\r\n\r\n",
    ])
    func `a request that cannot be redirected is rejected`(request: String) async throws {
        try await Self.redirecting { _, plain in
            let connection = try RawConnection(plain)
            try connection.send(request)
            #expect(try connection.response().status == 400)
        }
    }

    @Test func `a redirected connection is kept alive`() async throws {
        try await Self.redirecting { _, plain in
            let connection = try RawConnection(plain)
            for _ in 0..<3 {
                try connection.send(get)
                #expect(try connection.response().status == 308)
            }
        }
    }

    @Test func `exposed credentials are not redirected, and limits apply`() async throws {
        try await Self.redirecting {
            _ = $0.trustedProxies.add("127.0.0.1")
            $0.limits.addressRate = RateLimit("2/60")
        } _: { _, plain in
            func status(_ fields: String) throws -> Int {
                let connection = try RawConnection(plain)
                try connection.send(
                    "GET /hello HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: 203.0.113.5\r\n"
                        + "\(fields)\r\n")
                return try connection.response().status
            }
            let statuses = try [Self.key, "", ""].map(status)
            #expect(statuses == [403, 308, 429])
        }
    }

    @Test func `bodies of requests rejected by their head release their memory`() async throws {
        try await Self.redirecting {
            _ = $0.trustedProxies.add("127.0.0.1")
            $0.limits.bodyMemoryBytes = 100_000
        } _: { _, plain in
            let body = String(repeating: "x", count: 60_000)
            for _ in 0..<4 {
                let connection = try RawConnection(plain)
                try connection.send(
                    "POST /hello HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: 203.0.113.5\r\n"
                        + "\(Self.key)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                #expect(try connection.response().status == 403)
                connection.shutdownWrite()
                #expect(connection.isEnded())
            }
        }
    }

    private static func redirecting(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer, SocketAddress) async throws -> Void
    ) async throws {
        let test = try TLSTest()
        try await test.run {
            $0.redirects = [.v4([127, 0, 0, 1], port: 0)]
            change(&$0)
        } _: { server in
            try await body(server, server.addresses[1])
        }
    }

    @Test func `Unix sockets do not use TLS`() async throws {
        let folder = try TemporaryFolder()
        let test = try TLSTest()
        try await test.run {
            $0.addresses.append(.unix(folder.file("socket")))
        } _: { server in
            let text = try TestClient(server.addresses[1]).get("/hello").text
            #expect(text == "hello")
        }
    }
}
