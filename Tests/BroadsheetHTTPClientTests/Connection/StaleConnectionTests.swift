import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetTestSupport
import Testing

/// Servers may close idle connections at any time, even just as one is reused.
@Suite struct StaleConnectionTests {
    /// Responds once on each connection, and closes the first one when the second request arrives.
    private static let endsOnSecond: @Sendable (ScriptedPeer, Int) async throws -> Void = {
        peer, index in
        _ = try await peer.request()
        try await peer.respond("\(index)")
        guard try await peer.request() != nil, index > 0 else { return }
        try await peer.respond("\(index) again")
    }

    @Test func `a safe request is retried on a new connection`() async throws {
        try await ScriptedServer.run(Self.endsOnSecond) { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            #expect(try await client.send(plain, to: origin).text == "0")
            #expect(try await client.send(plain, to: origin).text == "1")
            #expect(try await client.send(plain, to: origin).text == "1 again")
            #expect(server.acceptedCount == 2)
        }
    }

    @Test func `a request that may have had an effect is not retried`() async throws {
        try await ScriptedServer.run(Self.endsOnSecond) { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            let post = try request("/", .post, body: [1])
            #expect(try await client.send(post, to: origin).text == "0")
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(post, to: origin)
            }
            #expect(error == .disconnected)
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a new connection that closes is a failure even for safe requests`()
        async throws
    {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
        } _: { server in
            let client = try HTTPClient()
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address))
            }
            #expect(error == .disconnected)
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a connection that closed while idle is not used`() async throws {
        try await ScriptedServer.run { peer, index in
            _ = try await peer.request()
            try await peer.respond("\(index)")
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            for number in 0..<5 {
                let post = try request("/", .post, body: [1])
                #expect(try await client.send(post, to: origin).text == "\(number)")
                #expect(await eventually { client.connectionCount == 0 })
            }
        }
    }

    @Test func `unsolicited bytes close the connection`() async throws {
        try await ScriptedServer.run { peer, index in
            _ = try await peer.request()
            try await peer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(index)HTTP/1.1 200 OK\r\n")
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            #expect(try await client.send(plain, to: origin).text == "0")
            #expect(try await client.send(plain, to: origin).text == "1")
        }
    }

    @Test func `a connection with close is not kept`() async throws {
        try await ScriptedServer.run { peer, index in
            _ = try await peer.request()
            try await peer.send(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n\(index)")
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            #expect(try await client.send(plain, to: origin).text == "0")
            #expect(try await client.send(plain, to: origin).text == "1")
        }
    }
}
