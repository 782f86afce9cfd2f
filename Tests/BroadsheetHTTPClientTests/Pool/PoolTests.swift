import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Synchronization
import Testing

@Suite struct PoolTests {
    @Test func `successive requests share a connection`() async throws {
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                try await peer.respond("\(request.target) of \(request.fields[.host] ?? "")")
            }
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            for number in 1...20 {
                let answer = try await client.send(try request("/\(number)"), to: origin)
                #expect(answer.status == .ok)
                #expect(answer.text == "/\(number) of \(origin.authority)")
            }
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `no more connections are opened than the limit allows`() async throws {
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil { try await peer.respond("a") }
        } _: { server in
            var configuration = HTTPClientConfiguration()
            configuration.connectionsPerOrigin = 3
            let client = try HTTPClient(configuration)
            let answers = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try? await client.send(
                            try request("/"), to: HTTPOrigin(server.address)
                        ).text
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: "a", count: 100))
            #expect((1...3).contains(server.acceptedCount))
            #expect(client.connectionCount <= 3)
        }
    }

    @Test func `requests above the queue limit are rejected at once`() async throws {
        try await ScriptedServer.run { peer, _ in
            await peer.waitForEnd()
        } _: { server in
            var configuration = HTTPClientConfiguration()
            configuration.waitingPerOrigin = 0
            let client = try HTTPClient(configuration)
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address))
            }
            #expect(error == .tooManyWaiting)
        }
    }

    @Test func `a Unix socket can be an origin`() async throws {
        let folder = try TemporaryFolder()
        let address = SocketAddress.unix(folder.file("a.sock"))
        let server = try ScriptedServer(on: address) { peer, _ in
            while let request = try await peer.request() {
                try await peer.respond(request.fields[.host] ?? "")
            }
        }
        let client = try HTTPClient()
        let answer = try await client.send(plain, to: HTTPOrigin(address))
        #expect(answer.text == "localhost")
        await server.stop()
    }

    @Test func `every address of a host is tried`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.respond("here")
        } _: { server in
            // `localhost` resolves to [::1] first, where this server does not listen.
            let origin = try #require(HTTPOrigin("http://localhost:\(server.address.port)"))
            #expect(try await HTTPClient().send(plain, to: origin).text == "here")
        }
    }

    @Test func `a rejected connection is reported as such`() async throws {
        let server = try ScriptedServer { _, _ in }
        let origin = HTTPOrigin(server.address)
        await server.stop()
        let client = try HTTPClient()
        let error = await failure { () throws(HTTPClientError) in
            try await client.send(plain, to: origin)
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("cannot connect to \(origin): connect: "))
        let socket = HTTPOrigin(unixSocket: "/nowhere/a.sock")
        let missing = await failure { () throws(HTTPClientError) in
            try await client.send(plain, to: socket)
        }
        #expect(missing?.description.hasSuffix("No such file or directory") == true)
        #expect(await eventually { client.connectionCount == 0 })
    }

    @Test func `a host without an address is reported as such`() async throws {
        let origin = try #require(HTTPOrigin("http://" + String(repeating: "a", count: 300)))
        let client = try HTTPClient()
        let error = await failure { () throws(HTTPClientError) in
            try await client.send(plain, to: origin)
        }
        guard case .unknownHost(origin, .unknownHost)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a released client closes its connections`() async throws {
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.respond("a")
            await peer.waitForEnd()
            ended.give()
        } _: { server in
            do {
                let client = try HTTPClient()
                _ = try await client.send(plain, to: HTTPOrigin(server.address))
                #expect(!ended.isGiven)
            }
            await ended.wait()
        }
    }

    @Test func `a stopped client aborts its exchanges and rejects new ones`() async throws {
        let arrived = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            arrived.give()
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            async let outcome = failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin, options: patient)
            }
            await arrived.wait()
            client.stop()
            #expect(await outcome == .stopped)
            let later = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: origin)
            }
            #expect(later == .stopped)
            #expect(await eventually { client.connectionCount == 0 })
        }
    }
}
