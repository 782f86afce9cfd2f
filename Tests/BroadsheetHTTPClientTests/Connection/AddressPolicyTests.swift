import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// `permits` of the configuration judges the address that is connected to, not the name.
@Suite struct AddressPolicyTests {
    /// A client that notes the addresses that it was asked about.
    private func client(
        _ asked: Lock<[SocketAddress]>, _ permits: @escaping @Sendable (SocketAddress) -> Bool
    ) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.permits = { address in
            asked.withLock { $0.append(address) }
            return permits(address)
        }
        return try HTTPClient(configuration)
    }

    @Test func `a forbidden address is never connected to`() async throws {
        try await ScriptedServer.run { _, _ in
        } _: { server in
            let asked = Lock([SocketAddress]())
            let client = try client(asked) { _ in false }
            let origin = HTTPOrigin(server.address)
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin)
            }
            #expect(error == .forbiddenAddress(origin))
            #expect(
                error?.description == "connections to the addresses of \(origin) are not permitted")
            #expect(asked.withLock { $0 } == [server.address])
            #expect(server.acceptedCount == 0)
        }
    }

    @Test func `a name is judged by the addresses that it resolves to`() async throws {
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil { try await peer.respond("a") }
        } _: { server in
            let origin = try #require(HTTPOrigin("http://localhost:\(server.address.port)"))
            let asked = Lock([SocketAddress]())
            let strict = try client(asked) { $0.isPublic }
            let error = await failure { () throws(HTTPClientError) in
                try await strict.send(plain, to: origin)
            }
            #expect(error == .forbiddenAddress(origin))
            let all = asked.withLock { $0 }
            #expect(all.contains(server.address) && all.allSatisfy(\.isLoopback))
            #expect(server.acceptedCount == 0)
            // The others are tried if one is forbidden.
            let choosing = try client(asked) { [address = server.address] in $0 == address }
            #expect(try await choosing.send(plain, to: origin).text == "a")
        }
    }

    @Test func `each new connection is judged`() async throws {
        try await ScriptedServer.run { peer, _ in
            if try await peer.request() != nil { try await peer.respond("a") }
        } _: { server in
            let asked = Lock([SocketAddress]())
            // As if the name led elsewhere at the second look.
            let client = try client(asked) { _ in asked.withLock { $0.count } == 1 }
            let origin = HTTPOrigin(server.address)
            #expect(try await client.send(plain, to: origin).text == "a")
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin)
            }
            #expect(error == .forbiddenAddress(origin))
            #expect(server.acceptedCount == 1)
        }
    }
}
