import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Servers that speak HTTP/2, but require HTTP/1.1 (RFC 9113 §7).
@Suite struct HTTP1RequiredTests {
    /// The requests to a server, with the number of the connection.
    private final class Served: Sendable {
        private let all = Lock([String]())
        var list: [String] { all.withLock { $0 } }

        func add(_ index: Int, _ method: HTTPMethod, _ version: String) {
            all.withLock { $0.append("\(index): \(method.rawValue) \(version)") }
        }
    }

    private static func serveHTTP1(
        _ peer: ScriptedPeer, _ index: Int, _ served: Served
    ) async throws {
        while let request = try await peer.request() {
            served.add(index, request.method, "1.1")
            try await peer.respond("\(index)")
        }
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `a rejected stream moves to a connection of HTTP 1_1, and so does what follows`(
        method: HTTPMethod
    ) async throws {
        let served = Served()
        try await ScriptedServer.run { peer, index in
            guard index == 0 else { return try await Self.serveHTTP1(peer, index, served) }
            let peer = HTTP2Peer(peer)
            while let (stream, head) = try await peer.request() {
                served.add(index, head.method, "2")
                try await peer.reset(stream, .http11Required)
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            for _ in 0..<3 {
                #expect(try await texts(["/"], method, of: client, origin) == ["1"])
            }
            let name = method.rawValue
            #expect(served.list == ["0: \(name) 2"] + Array(repeating: "1: \(name) 1.1", count: 3))
            #expect(await eventually { client.connectionCount == 1 })
        }
    }

    @Test func `the other streams of the connection go on`() async throws {
        let (arrived, moved) = (Signal(), Signal())
        let served = Served()
        try await ScriptedServer.run { peer, index in
            guard index == 0 else {
                try await Self.serveHTTP1(peer, index, served)
                return
            }
            let peer = HTTP2Peer(peer)
            guard let (first, _) = try await peer.request() else { return }
            arrived.give()
            guard let (second, _) = try await peer.request() else { return }
            try await peer.reset(second, .http11Required)
            await moved.wait()
            try await peer.respond(on: first, "first")
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            async let first = texts(["/"], .post, of: client, origin)
            await arrived.wait()
            #expect(try await texts(["/"], .post, of: client, origin) == ["1"])
            moved.give()
            #expect(try await first == ["first"])
        }
    }

    /// The first request may have been processed: it is repeated only if that is safe.
    @Test(arguments: [
        (HTTPMethod.get, ["1", "2"]), (.post, ["\(HTTPClientError.disconnected)"]),
    ])
    func `GOAWAY moves requests that may be repeated`(
        method: HTTPMethod, expected: [String]
    ) async throws {
        let arrived = Signal()
        let served = Served()
        try await ScriptedServer.run { peer, index in
            guard index == 0 else { return try await Self.serveHTTP1(peer, index, served) }
            let http2 = HTTP2Peer(peer)
            guard let (first, _) = try await http2.request() else { return }
            arrived.give()
            guard try await http2.request() != nil else { return }
            let code = HTTP2ErrorCode.http11Required.rawValue
            try await http2.send(
                TestFrame.bytes(
                    7, TestFrame.number(UInt32(first)) + TestFrame.number(code)))
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            async let first = texts(["/"], method, of: client, origin)
            await arrived.wait()
            let second = try #require(try await texts(["/"], .post, of: client, origin)[0])
            #expect(["1", "2"].contains(second))
            #expect(expected.contains(try await first[0] ?? ""))
            #expect(served.list.allSatisfy { $0.hasSuffix(" 1.1") })
        }
    }

    @Test func `a server that continues with HTTP2 without TLS is an error`() async throws {
        try await ScriptedServer.run { peer, index in
            guard index == 0 else {
                _ = try await peer.request()
                return try await peer.send(TestFrame.bytes(4) + TestFrame.bytes(7, [0, 0, 0, 0]))
            }
            let peer = HTTP2Peer(peer)
            guard let (stream, _) = try await peer.request() else { return }
            try await peer.reset(stream, .http11Required)
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin, options: patient)
            }
            #expect(error == .requiresHTTP1(origin))
            #expect("\(error ?? .stopped)".contains("requires HTTP/1.1"))
            #expect(server.acceptedCount == 2)
        }
    }

    @Test(arguments: [["h2", "http/1.1"], ["h2"]])
    func `over TLS only HTTP 1_1 is offered from then on`(protocols: [String]) async throws {
        let certificates = try TestCertificates()
        let tls = try TLSServer(
            [certificates.pair(["localhost"])], protocols: protocols, system: .real)
        let served = Served()
        try await ScriptedServer.run { peer, index in
            guard try await peer.secure(by: tls) == "h2" else {
                return try await Self.serveHTTP1(peer, index, served)
            }
            let peer = HTTP2Peer(peer)
            guard let (stream, head) = try await peer.request() else { return }
            served.add(index, head.method, "2")
            try await peer.reset(stream, .http11Required)
            await peer.waitForEnd()
        } _: { server in
            var configuration = HTTPClientConfiguration()
            configuration.tls = try TLSClient(
                authorities: Array(certificates.authority.certificatePEM.utf8),
                protocols: HTTPClientConfiguration.protocols)
            let client = try HTTPClient(configuration)
            let origin = try #require(HTTPOrigin("https://localhost:\(server.address.port)"))
            let found = try await texts(["/"], .post, of: client, origin)
            guard protocols.contains("http/1.1") else {
                #expect(found == ["\(HTTPClientError.requiresHTTP1(origin))"])
                return #expect(served.list == ["0: POST 2"])
            }
            #expect(found == ["1"])
            #expect(served.list == ["0: POST 2", "1: POST 1.1"])
        }
    }
}
