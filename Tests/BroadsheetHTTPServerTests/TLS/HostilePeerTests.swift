import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct HostilePeerTests {
    @Test func `plain HTTP on a TLS port is told to use HTTPS`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let response = try server.client.get("/hello")
            #expect(response.status == 400)
            #expect(response.text.contains("HTTPS"))
            #expect(try server.serves(test.options()))
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `garbage closes its connection and harms nothing else`(seed: UInt64) async throws {
        let test = try TLSTest()
        var generator = SplitMix64(seed: seed)
        try await test.run {
            $0.limits.handshakeMilliseconds = 5_000
        } _: { server in
            for _ in 0..<50 {
                let connection = try RawConnection(server.address)
                let count = Int.random(in: 1...4_000, using: &generator)
                var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                // Half of them look like a record at first.
                if Bool.random(using: &generator) {
                    bytes = [0x16, 0x03, 0x01, UInt8.random(in: 0...80, using: &generator)] + bytes
                }
                _ = connection.sendSome(bytes)
                connection.shutdownWrite()
                while let piece = try? connection.receive(limit: 4_096), !piece.isEmpty {}
            }
            try await server.waitUntilUnused()
            #expect(try server.serves(test.options()))
        }
    }

    @Test func `a flipped bit closes the connection`() async throws {
        let test = try TLSTest()
        let (router, handled) = try Self.counting()
        try await test.run(router) { server in
            for _ in 0..<20 {
                let (connection, flights) = try Self.established(server, test)
                var bytes = flights.carry("PUT /count HTTP/1.1\r\nHost: t\r\n\r\n")
                bytes[Int.random(in: 5..<bytes.count)] ^= 1
                _ = connection.sendSome(bytes)
                _ = try? connection.rest()
            }
            try await server.waitUntilUnused()
            #expect(handled.withLock { $0 } == 0)
            #expect(try server.serves(test.options()))
        }
    }

    @Test func `a stalled handshake is closed in time`() async throws {
        let test = try TLSTest()
        try await test.run {
            $0.limits.handshakeMilliseconds = 10_000
        } _: { server in
            let silent = try RawConnection(server.address)
            let hello = try #require(try InMemoryTLSClient(test.options()).respond())
            let half = try RawConnection(server.address)
            try half.send(Array(hello.prefix(hello.count / 2)))
            let waiting = try RawConnection(server.address)
            try waiting.send(hello)
            #expect(silent.isEnded())
            #expect(half.isEnded())
            // The server responded to its hello.
            #expect(try !waiting.rest().isEmpty)
            try await server.waitUntilUnused()
            #expect(try server.serves(test.options()))
        }
    }

    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `a reset or close at any point of any flight harms nothing else`(version: Int32)
        async throws
    {
        let test = try TLSTest()
        let options = test.options { $0.version = version }
        try await test.run { server in
            // Invariant: connections were cut after each multiple of `step` bytes so far.
            var cut = 0
            while try Self.send(upTo: cut, server, options, resets: cut % 2 == 0) { cut += 37 }
            #expect(cut > 300)
            try await server.waitUntilUnused()
            #expect(try server.serves(test.options()))
        }
    }

    @Test func `a body truncated without close_notify is not a request`() async throws {
        let (router, handled) = try Self.counting()
        let test = try TLSTest()
        try await test.run(router) { server in
            let (connection, _) = try server.connect(test.options())
            try connection.send("PUT /count HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n12345")
            connection.shutdownWrite()
            #expect(throws: TestFailure.self) { try connection.response(to: .put) }
            try await server.waitUntilUnused()
            #expect(handled.withLock { $0 } == 0)
        }
    }

    @Test func `a client that requests key updates and never reads is disconnected`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let connection = try RawConnection(server.address, receiveBuffer: 4_096)
            let session = try connection.startTLS(test.options { $0.version = TestTLS.tls13 })
            var sent = 0
            // Each requests a response of about 30 bytes.
            while sent < 2_000_000 {
                session.updateKeys()
                let count = connection.sendSome(Array("x".utf8))
                guard count > 0 else { break }
                sent += count
            }
            // The endless head or the key updates: either has closed it.
            #expect(sent < 2_000_000)
            connection.reset()
            try await server.waitUntilUnused()
            #expect(try server.serves(test.options()))
        }
    }

    // MARK: Helpers

    /// Routes that count the effects of `PUT /count`.
    private static func counting() throws -> (HTTPRouter, Lock<Int>) {
        let handled = Lock(0)
        let router = try TestRoutes.router { routes in
            routes.on(.put, "/count") { _, _ in
                handled.withLock { $0 += 1 }
                return HTTPResponse(.ok)
            }
        }
        return (router, handled)
    }

    /// Sends so many bytes of a conversation and disconnects; false if it is shorter.
    private static func send(
        upTo cut: Int, _ server: TestServer, _ options: TestTLS, resets: Bool
    ) throws -> Bool {
        let connection = try RawConnection(server.address)
        let flights = try InMemoryTLSClient(options)
        var next = flights.respond() ?? []
        var left = cut
        var hasAsked = false
        while true {
            let piece = Array(next.prefix(left))
            _ = connection.sendSome(piece)
            left -= piece.count
            if left == 0 {
                if resets { connection.reset() }
                return true
            }
            guard !hasAsked else { return false }
            if flights.isDone {
                next = flights.carry(get)
                hasAsked = true
            } else {
                next = flights.respond(to: try receive(connection)) ?? []
            }
        }
    }

    private static func receive(_ connection: RawConnection) throws -> [UInt8] {
        let bytes = try connection.receive(limit: 1 << 20)
        guard !bytes.isEmpty else { throw TestFailure("the server ended the handshake") }
        return bytes
    }

    private static func established(
        _ server: TestServer, _ test: TLSTest
    ) throws -> (RawConnection, InMemoryTLSClient) {
        let connection = try RawConnection(server.address)
        let flights = try InMemoryTLSClient(test.options())
        var next = flights.respond() ?? []
        while true {
            try connection.send(next)
            if flights.isDone { return (connection, flights) }
            next = flights.respond(to: try receive(connection)) ?? []
        }
    }
}
