import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

/// The behaviour of servers on whole connections.
@Suite struct HTTP2ConnectionTests {
    private static let paths = (0..<30).map { "/\($0)" }

    @Test func `streams that were not processed before GOAWAY move to a new connection`()
        async throws
    {
        let processed = Lock([String]())
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            // Five requests for each connection. The first gets its response after GOAWAY.
            var accepted: [Int32] = []
            while accepted.count < 5, let (stream, head) = try await peer.request() {
                processed.withLock { $0.append("\(head.target)") }
                accepted.append(stream)
            }
            guard let last = accepted.last else { return }
            try await peer.send(
                TestFrame.bytes(
                    7, TestFrame.number(UInt32(last)) + TestFrame.number(0)))
            for stream in accepted { try await peer.respond(on: stream, "a") }
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let found = try await texts(Self.paths, .post, of: client, HTTPOrigin(server.address))
            #expect(Set(found) == ["a"])
            #expect(processed.withLock { $0.sorted() } == Self.paths.sorted())
            #expect(server.acceptedCount == 6)
            #expect(await eventually { client.connectionCount == 0 })
        }
    }

    @Test func `no more streams are opened than the server accepts`() async throws {
        let most = Lock(0)
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer, streams: 3)
            var open: [Int32] = []
            while let (stream, _) = try await peer.request() {
                open.append(stream)
                most.withLock { $0 = max($0, open.count) }
                // The last ones do not fill the limit.
                for stream in open { try await peer.respond(on: stream, "a") }
                open = []
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            for _ in 0..<3 {
                let found = try await texts(Self.paths, of: client, origin)
                #expect(Set(found) == ["a"])
            }
            #expect((1...3).contains(most.withLock { $0 }))
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `an exchange that waits for a stream in vain times out`() async throws {
        let arrived = Signal()
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            _ = try await peer.request()
            arrived.give()
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2 { $0.streamsPerConnection = 1 }
            await expectTimeout(of: client, at: HTTPOrigin(server.address), once: arrived)
            #expect(await eventually { client.connectionCount == 0 })
        }
    }

    @Test func `a server that rejects every stream is not retried forever`() async throws {
        let rejected = Counter()
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            while let (stream, _) = try await peer.request() {
                rejected.next()
                try await peer.reset(stream, .unprocessed)
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address), options: patient)
            }
            #expect(error == .disconnected)
            #expect(rejected.value == 4)
        }
    }

    @Test func `a server that ends every connection at once is not retried forever`()
        async throws
    {
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            try await peer.goAway()
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address), options: patient)
            }
            #expect(error == .disconnected)
            #expect((1...4).contains(server.acceptedCount))
        }
    }

    /// Responds once on each connection, and closes the first one when the second request arrives.
    private static let endsOnSecond: @Sendable (ScriptedPeer, Int) async throws -> Void = {
        peer, index in
        let peer = HTTP2Peer(peer)
        guard let (stream, _) = try await peer.request() else { return }
        try await peer.respond(on: stream, "\(index)")
        guard let (next, _) = try await peer.request(), index > 0 else { return }
        try await peer.respond(on: next, "\(index) again")
        await peer.waitForEnd()
    }

    @Test func `a safe request is retried when a kept connection closes`() async throws {
        try await ScriptedServer.run(Self.endsOnSecond) { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            for text in ["0", "1", "1 again"] {
                #expect(try await texts(["/"], of: client, origin) == [text])
            }
            #expect(server.acceptedCount == 2)
        }
    }

    @Test func `a request that may have had an effect is not retried`() async throws {
        try await ScriptedServer.run(Self.endsOnSecond) { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            let ends = "\(HTTPClientError.disconnected)"
            for text in ["0", ends, "1"] {
                #expect(try await texts(["/"], .post, of: client, origin) == [text])
            }
            #expect(server.acceptedCount == 2)
        }
    }

    /// A request waits for a stream, and gets one by the last bytes of its connection.
    @Test func `a request of which nothing was sent is retried, whatever its method`()
        async throws
    {
        let (arrived, mayRespond) = (Signal(), Signal())
        let served = Lock([String]())
        try await ScriptedServer.run { peer, index in
            let peer = HTTP2Peer(peer)
            guard let (stream, head) = try await peer.request() else { return }
            served.withLock { $0.append("\(index): \(head.method.rawValue)") }
            arrived.give()
            await mayRespond.wait()
            try await peer.respond(on: stream, "\(index)")
            if index > 0 { await peer.waitForEnd() }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2 { $0.streamsPerConnection = 1 }
            let origin = HTTPOrigin(server.address)
            async let first = texts(["/"], of: client, origin)
            await arrived.wait()
            let post = try request("/", .post)
            // Both run on the client's loop, one after the other.
            let second = try await withTaskExecutorPreference(client.executor) {
                async let second = client.send(post, to: origin, options: patient).text
                async let isEnded = Self.hold(giving: mayRespond) { server.connectionCount == 0 }
                #expect(await isEnded)
                return try await second
            }
            #expect(try await first == ["0"])
            #expect(second == "1")
            #expect(served.withLock { $0 } == ["0: GET", "1: POST"])
        }
    }

    /// Keeps the loop busy from the signal until the condition is met, so that it finds the last
    /// bytes of a connection together with its end.
    private static func hold(
        giving signal: Signal, until isMet: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        signal.give()
        let condition = Task.detached {
            defer { isOver.signal() }
            return await eventually(isMet)
        }
        block(until: isOver)
        return await condition.value
    }

    private static func block(until isOver: DispatchSemaphore) { isOver.wait() }

    @Test func `an unused connection is closed after its time, with a GOAWAY`() async throws {
        let code = Lock<HTTP2ErrorCode?>(nil)
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            guard let (stream, _) = try await peer.request() else { return }
            try await peer.respond(on: stream, "a")
            while let event = try await peer.event() {
                if case .goAway(_, let reason) = event { code.withLock { $0 = reason } }
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2 { $0.idleMilliseconds = 50 }
            #expect(try await texts(["/"], of: client, HTTPOrigin(server.address)) == ["a"])
            #expect(await eventually { client.connectionCount == 0 })
            #expect(await eventually { code.withLock { $0 } == HTTP2ErrorCode.none })
        }
    }

    @Test func `a flood of frames ends the connection`() async throws {
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            _ = try await peer.request()
            let ping = TestFrame.bytes(6, [UInt8](repeating: 0, count: 8))
            for _ in 0..<3_000 { try await peer.send(ping) }
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let error = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address), options: patient)
            }
            guard case .malformed? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a complete body can be read after its connection has ended`() async throws {
        let text = String(repeating: "a", count: 60_000)
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            guard let (stream, _) = try await peer.request() else { return }
            try await peer.respond(on: stream, text)
            await peer.finish()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2 { $0.streamWindowBytes = 1_000 }
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: patientStream)
            #expect(await eventually { client.connectionCount == 0 })
            #expect(try await answer.gathered() == Array(text.utf8))
        }
    }
}
