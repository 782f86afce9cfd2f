import HTTP
import HTTPServer
import Network
import TestSupport
import Testing

@Suite struct TransportTests {
    // MARK: Who could read along

    /// Routes that tell whether the request was confidential.
    private static func telling() throws -> Router {
        try TestRoutes.router { routes in
            routes.on(.get, "/confidential") { _, context in
                TestRoutes.text("\(context.isConfidential)")
            }
        }
    }

    @Test func `what came by TLS, or from this machine, nobody could read`() async throws {
        let test = try TLSTest()
        try await test.run(Self.telling()) { server in
            let (connection, _) = try server.connect(test.options())
            try connection.send("GET /confidential HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try connection.response().text == "true")
        }
        try await TestServer.run(Self.telling()) { server in
            let told = try server.client.get("/confidential").text
            #expect(told == "true")
        }
    }

    @Test(arguments: [
        ("https", "true"), ("http", "false"), ("https, http", "false"), (nil, "true"),
    ])
    func `a trusted proxy tells how the client came`(said: String?, expected: String)
        async throws
    {
        let configuration = ServerConfiguration.local {
            _ = $0.trustedProxies.add("127.0.0.0/8")
        }
        try await TestServer.run(Self.telling(), with: configuration) { server in
            var fields = HTTPFields()
            if let said { fields[.xForwardedProto] = said }
            let response = try server.client.send(.get, "/confidential", fields: fields)
            #expect(response.text == expected)
        }
    }

    @Test func `what others say of how a client came does not count`() async throws {
        let configuration = ServerConfiguration.local { _ = $0.trustedProxies.add("10.0.0.0/8") }
        try await TestServer.run(Self.telling(), with: configuration) { server in
            let response = try server.client.send(
                .get, "/confidential", fields: [.xForwardedProto: "http", .forwarded: "proto=http"])
            #expect(response.text == "true")
        }
    }

    // MARK: HSTS

    @Test func `HSTS is told by TLS alone, and only when asked for`() async throws {
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
    func `plain HTTP is sent to the same place by https`(request: String, expected: String)
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
    ])
    func `what has no place by https is refused`(request: String) async throws {
        try await Self.redirecting { _, plain in
            let connection = try RawConnection(plain)
            try connection.send(request)
            #expect(try connection.response().status == 400)
        }
    }

    @Test func `a connection that is redirected is kept`() async throws {
        try await Self.redirecting { _, plain in
            let connection = try RawConnection(plain)
            for _ in 0..<3 {
                try connection.send(get)
                #expect(try connection.response().status == 308)
            }
        }
    }

    private static func redirecting(
        _ body: (TestServer, SocketAddress) async throws -> Void
    ) async throws {
        let test = try TLSTest()
        try await test.run {
            $0.redirects = [.v4([127, 0, 0, 1], port: 0)]
        } _: { server in
            try await body(server, server.addresses[1])
        }
    }

    @Test func `Unix sockets stay as they are`() async throws {
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
