import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct ProxyProtocolTests {
    private static func telling() throws -> HTTPRouter {
        try TestRoutes.router { routes in
            routes.on(.get, "/client") { _, context in
                TestRoutes.text("\(context.peer)")
            }
        }
    }

    private let request = "GET /client HTTP/1.1\r\nHost: t\r\n\r\n"

    /// The client's address as the server sees it, and whether its credentials are accepted.
    private func told(_ connection: RawConnection, _ fields: String = "") throws -> String {
        let head = "GET /client HTTP/1.1\r\nHost: t\r\n\(fields)"
        try connection.send("\(head)\r\n\(head)Authorization: Bearer k\r\n\r\n")
        let peer = try connection.response().text
        return "\(peer) \(try connection.response().status == 200)"
    }

    /// A server whose second address expects PROXY headers.
    private func run(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer, SocketAddress) async throws -> Void
    ) async throws {
        let configuration = ServerConfiguration.local {
            $0.proxiedAddresses = [.v4([127, 0, 0, 1], port: 0)]
            _ = $0.trustedProxies.add("127.0.0.1")
            change(&$0)
        }
        try await TestServer.run(Self.telling(), with: configuration) { server in
            try await body(server, server.addresses[1])
        }
    }

    @Test(arguments: [
        (TestProxyHeader.v4([203, 0, 113, 9]), "203.0.113.9:4711 false"),
        (
            TestProxyHeader.v4([203, 0, 113, 9], values: TestProxyHeader.ssl),
            "203.0.113.9:4711 true"
        ),
        (
            TestProxyHeader.v4([127, 0, 0, 9], values: TestProxyHeader.notSSL),
            "127.0.0.9:4711 false"
        ),
        (TestProxyHeader.v6([0x20, 1] + [UInt8](repeating: 0, count: 14)), "[2001::]:4711 false"),
    ])
    func `address and transport of the client are those in the header`(
        header: [UInt8], expected: String
    ) async throws {
        try await run { server, proxied in
            let connection = try RawConnection(proxied)
            try connection.send(header)
            for _ in 0..<2 { #expect(try told(connection) == expected) }
            // Where no header is expected, it is not a valid request.
            let plain = try RawConnection(server.address)
            try plain.send(header)
            #expect(try plain.response().status == 400)
        }
    }

    /// If the header names nobody, the client may be anyone: plaintext requests count as exposed,
    /// and its forwarding headers are not trusted, although the proxy's would be.
    @Test(arguments: [
        (TestProxyHeader.bytes(command: 0x20, family: 0, []), false),
        (TestProxyHeader.bytes(command: 0x21, family: 0, []), false),
        (TestProxyHeader.bytes(command: 0x21, family: 0, TestProxyHeader.notSSL), false),
        (TestProxyHeader.bytes(command: 0x21, family: 0, TestProxyHeader.ssl), true),
        // What follows LOCAL must be ignored (§2.2).
        (TestProxyHeader.bytes(command: 0x20, family: 0, TestProxyHeader.ssl), false),
    ])
    func `a client that the proxy does not name is not treated as local`(
        header: [UInt8], isSecure: Bool
    ) async throws {
        try await run { _, proxied in
            for fields in [
                "", "X-Forwarded-For: 127.0.0.1\r\n", "X-Forwarded-Proto: https\r\n",
                "Forwarded: for=127.0.0.1;proto=https\r\n",
            ] {
                let connection = try RawConnection(proxied)
                try connection.send(header)
                let text = try told(connection, fields)
                #expect(text.hasPrefix("127.0.0.1:") && text.hasSuffix(" \(isSecure)"), "\(fields)")
            }
        }
    }

    @Test func `a header may arrive byte by byte`() async throws {
        try await run { _, proxied in
            let connection = try RawConnection(proxied)
            for byte in TestProxyHeader.v4([203, 0, 113, 9]) { try connection.send([byte]) }
            try connection.send(request)
            #expect(try connection.response().text.hasPrefix("203.0.113.9:4711"))
        }
    }

    @Test func `TLS begins after the header`() async throws {
        let test = try TLSTest()
        try await run {
            $0.tls = test.tls
        } _: { _, proxied in
            let connection = try RawConnection(proxied)
            try connection.send(TestProxyHeader.v4([203, 0, 113, 9]))
            try connection.startTLS(test.options())
            #expect(try told(connection) == "203.0.113.9:4711 true")
        }
    }

    @Test(arguments: [
        Array("GET /client HTTP/1.1\r\nHost: t\r\n\r\n".utf8),
        Array("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\r\n".utf8),
        TestProxyHeader.bytes(family: 0x12, [UInt8](repeating: 1, count: 12)),
        TestProxyHeader.bytes(family: 0x11, [UInt8](repeating: 1, count: 12), length: 60_000),
    ])
    func `an invalid header closes the connection without a response`(bytes: [UInt8]) async throws {
        try await run { server, proxied in
            let connection = try RawConnection(proxied)
            _ = connection.sendSome(bytes)
            #expect(connection.isEnded())
            #expect(server.server.rejections.first { $0.reason == .proxyHeader }?.count == 1)
        }
    }

    /// The proxy's operator only sees that its checks fail.
    @Test(arguments: [
        ("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\r\n", "it sends PROXY protocol version 1; "),
        ("PROXY UNKNOWN\r\n", "it sends PROXY protocol version 1; "),
        ("GET /readyz HTTP/1.0\r\n\r\n", "it sends plain HTTP without a PROXY protocol header; "),
        ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{7C}\u{3}\u{3}abcdef", "it sends TLS without "),
        ("SSH-2.0-OpenSSH_9\r\n", "it sends data that is not a PROXY protocol header; "),
        ("\r\n\r\n\0\r\nQUIT\n\u{31}\u{11}\0\0", "it sends a malformed PROXY protocol header; "),
    ])
    func `what a proxy sends instead of a header is reported once`(
        sent: String, expected: String
    ) async throws {
        let reports = Lock<[String]>([])
        try await run {
            $0.report = { line in reports.withLock { $0.append(line) } }
        } _: { _, proxied in
            // A check of whether the port is open is no mistake.
            for text in ["", sent, sent, ""] {
                let connection = try RawConnection(proxied)
                _ = connection.sendSome(Array(text.utf8))
                connection.shutdownWrite()
                #expect(connection.isEnded())
            }
        }
        let lines = reports.withLock { $0 }
        try #require(lines.count == 1, "\(lines)")
        #expect(lines[0].contains("the proxy 127.0.0.1 are closed: \(expected)"))
        #expect(lines[0].contains("haproxy: send-proxy-v2"))
    }

    @Test func `a header that does not arrive in time closes the connection`() async throws {
        try await run {
            $0.limits.handshakeMilliseconds = 100
        } _: { _, proxied in
            let connection = try RawConnection(proxied)
            try connection.send(Array(TestProxyHeader.v4([203, 0, 113, 9]).dropLast()))
            #expect(connection.isEnded())
        }
    }

    @Test func `headers of untrusted peers are not read`() async throws {
        let reports = Lock<[String]>([])
        try await run {
            $0.trustedProxies = NetworkList()
            _ = $0.trustedProxies.add("10.0.0.0/8")
            $0.report = { line in reports.withLock { $0.append(line) } }
        } _: { server, proxied in
            for _ in 0..<2 {
                let connection = try RawConnection(proxied)
                _ = connection.sendSome(TestProxyHeader.v4([203, 0, 113, 9]) + Array(request.utf8))
                #expect(connection.isEnded())
            }
            #expect(server.server.rejections.first { $0.reason == .proxyHeader }?.count == 2)
        }
        let lines = reports.withLock { $0 }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("127.0.0.1 are closed: it is not a trusted proxy") == true)
    }

    @Test func `clients behind the proxy cannot forge their address`() async throws {
        try await run { _, proxied in
            let connection = try RawConnection(proxied)
            try connection.send(TestProxyHeader.v4([203, 0, 113, 9]))
            let fields = "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\n"
            #expect(try told(connection, fields) == "203.0.113.9:4711 false")
        }
    }

    // MARK: Connections per address

    @Test func `connections are limited per address`() async throws {
        try await run {
            $0.limits.connectionsPerAddress = 2
        } _: { server, proxied in
            func connect(_ last: UInt8) throws -> RawConnection {
                let connection = try RawConnection(proxied)
                try connection.send(
                    TestProxyHeader.v4([203, 0, 113, last]) + Array(request.utf8))
                return connection
            }
            let first = try connect(9)
            let second = try connect(9)
            for connection in [first, second] {
                #expect(try connection.response().status == 200)
            }
            let third = try connect(9)
            let rejected = try third.response()
            #expect(rejected.status == 429)
            #expect(rejected.fields[.retryAfter] == "1")
            third.shutdownWrite()
            #expect(third.isEnded())
            #expect(try connect(10).response().status == 200)
            #expect(
                server.server.rejections.first { $0.reason == .addressConnections }?.count == 1)
            // A connection that closes makes room for another one.
            first.close()
            #expect(
                await eventually {
                    guard let connection = try? connect(9) else { return false }
                    return (try? connection.response().status) == 200
                })
            for _ in 0..<5 { _ = try server.client.get("/client") }
        }
    }

    @Test func `excess rejected connections are closed without a response`() async throws {
        try await run {
            $0.limits.connectionsPerAddress = 1
        } _: { _, proxied in
            let connections = try (0..<40).map { _ in
                let connection = try RawConnection(proxied)
                try connection.send(TestProxyHeader.v4([203, 0, 113, 9]) + Array(request.utf8))
                return connection
            }
            let statuses = connections.map { try? $0.response().status }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.contains(429) && statuses.contains(nil))
        }
    }
}
