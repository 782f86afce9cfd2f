import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// A page whose name resolves to this machine must not be able to read responses.
@Suite struct HostNamesTests {
    private static func configuration(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> ServerConfiguration {
        var names = HostNames()
        let isAdded = names.add("Articles.example")
        #expect(isAdded)
        return .local {
            $0.hostNames = names
            change(&$0)
        }
    }

    /// With a target whose response is cached, and one that is generated each time.
    private static func run(
        _ configuration: ServerConfiguration, _ body: (TestServer) async throws -> Void
    ) async throws {
        let bench = CacheFixture()
        var configuration = configuration
        configuration.cache = bench.cache
        bench.change("a", to: "kept")
        let router = try bench.router { routes in
            routes.on(.get, "/hello") { _, _ in TestRoutes.text("hello") }
        }
        try await TestServer.run(router, with: configuration, body)
    }

    private func status(_ connection: RawConnection, _ target: String, _ host: String) throws
        -> Int
    {
        try connection.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try connection.response().status
    }

    @Test func `addresses, localhost and the configured names are served`() async throws {
        try await Self.run(Self.configuration()) { server in
            let connection = try RawConnection(server.address)
            for host in [
                "127.0.0.1", "127.0.0.1:\(server.address.port)", "[::1]", "[::1]:80", "localhost",
                "LocalHost:8080", "articles.example", "ARTICLES.EXAMPLE:443", "192.0.2.7",
            ] {
                for target in ["/values/a", "/values/a", "/hello"] {
                    #expect(try status(connection, target, host) == 200, "\(host)")
                }
            }
            // The authority of an absolute target counts, and Host does not (RFC 9112 §3.2.2).
            #expect(try status(connection, "http://localhost/hello", "evil.test") == 200)
            // No browser uses HTTP/1.0 or omits Host.
            try connection.send("GET /hello HTTP/1.0\r\n\r\n")
            #expect(try connection.response().status == 200)
        }
    }

    @Test(arguments: [
        "evil.test", "localhost.evil.test", "foo.localhost", "127.0.0.1.evil.test",
        "evil.test,localhost", "articles.example.evil.test", "127.1", "2130706433", "0x7f.1",
        "localhost.", "%6cocalhost", "example",
    ])
    func `any other host is misdirected, whether or not it is cached`(host: String) async throws {
        try await Self.run(Self.configuration()) { server in
            let connection = try RawConnection(server.address)
            for target in ["/values/a", "/values/a", "/hello", "/nothing"] {
                #expect(try status(connection, target, host) == 421)
                #expect(try status(connection, "/values/a", "localhost") == 200)
            }
            #expect(try status(connection, "http://\(host)/hello", "localhost") == 421)
            // On one connection, pipelined: the valid request before it does not help.
            try connection.send(
                "GET /values/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET /values/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try connection.response().status == 200)
            #expect(try connection.response().status == 421)
        }
    }

    @Test func `any host is served where no local browser can connect`() async throws {
        let folder = try TemporaryFolder()
        let configuration = Self.configuration {
            $0.addresses = [.v4([0, 0, 0, 0], port: 0), .unix(folder.file("socket"))]
            $0.proxiedAddresses = [.v4([127, 0, 0, 1], port: 0)]
            _ = $0.trustedProxies.add("127.0.0.1")
        }
        try await Self.run(configuration) { server in
            let port = server.addresses[0].port
            let proxied = try RawConnection(server.addresses[2])
            try proxied.send(TestProxyHeader.v4([203, 0, 113, 9]))
            for connection in [
                try RawConnection(.v4([127, 0, 0, 1], port: port)),
                try RawConnection(server.addresses[1]), proxied,
            ] {
                #expect(try status(connection, "/values/a", "public.example") == 200)
            }
        }
    }

    @Test(arguments: [
        "", ".", "a..b", "https://a.example", "a.example:80", "*", "a b", "a,b",
        String(repeating: "a", count: 64),
    ])
    func `an invalid host name is not added`(name: String) {
        var names = HostNames()
        let isAdded = names.add(name)
        #expect(!isAdded)
    }
}
