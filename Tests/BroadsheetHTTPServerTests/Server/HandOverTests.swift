import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// A server that hands its sockets and connections to the next one.
@Suite struct HandOverTests {
    /// A server that listens on the socket and has its own responses.
    private func server(_ socket: ListeningSocket, _ name: String) throws -> HTTPServer {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/who") { _, _ in TestRoutes.text(name) }
        }
        return HTTPServer(
            .local { $0.open = { (_, _) throws(SystemError) in socket } }, router: router)
    }

    private func ask(_ connection: RawConnection) throws -> ReceivedResponse {
        try connection.send("GET /who HTTP/1.1\r\nHost: test\r\n\r\n")
        return try connection.response()
    }

    @Test func `idle connections are passed to the next server`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let first = try server(socket, "first")
        let second = try server(socket, "second")
        try first.start()
        let idle = try RawConnection(socket.address)
        let fresh = try RawConnection(socket.address)
        #expect(try ask(idle).text == "first")
        #expect(await eventually { first.connectionCount == 2 })
        let passed = Lock<[(Int32, SocketAddress, Int)]>([])
        await first.handOver(graceSeconds: 60) { connection in
            let (peer, door) = (connection.peer, connection.door)
            let raw = connection.release().release()
            passed.withLock { $0.append((raw, peer, door)) }
        }
        #expect(first.connectionCount == 0)
        // No server is running: requests wait, and so do new connections.
        let waiting = try RawConnection(socket.address)
        try fresh.send("GET /who HTTP/1.1\r\nHost: test\r\n\r\n")
        try second.start()
        let connections = passed.withLock { $0 }
        #expect(connections.count == 2 && connections.allSatisfy { $0.2 == 0 && $0.1.port > 0 })
        for (raw, peer, door) in connections {
            second.adopt(Descriptor(raw), from: peer, door: door)
        }
        #expect(try fresh.response().text == "second")
        let last = try ask(idle)
        #expect(last.text == "second" && !last.fields.list(.connection, has: "close"))
        #expect(try ask(waiting).text == "second")
        second.adopt(Descriptor(-1), from: socket.address, door: 7)
        await second.stop(graceSeconds: 0)
    }

    @Test func `a client in the middle of a head has little time left`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let server = try server(socket, "first")
        try server.start()
        let slow = try RawConnection(socket.address)
        try slow.send("GET /who HTTP/1.1\r\n")
        #expect(await eventually { server.buffersInUse == 1 })
        await server.handOver(graceSeconds: 3_600, quietSeconds: 0.1) { _ in }
        #expect(try slow.response().status == 408)
    }

    @Test(.disabled(if: Sanitizer.isUsed, "32 MiB take longer than the client's deadline"))
    func `a slow client is neither waited for nor disconnected`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let large = [UInt8](repeating: 0x61, count: 32 << 20)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(large)) }
        }
        let configuration = ServerConfiguration.local {
            $0.open = { (_, _) throws(SystemError) in socket }
            $0.limits.bodyGraceMilliseconds = 3_600_000
            $0.limits.writeStallMilliseconds = 3_600_000
        }
        let first = HTTPServer(configuration, router: router)
        try first.start()
        let sender = try RawConnection(socket.address)
        try sender.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nsl")
        let reader = try RawConnection(socket.address)
        try reader.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
        #expect(try reader.receive(limit: 9) == Array("HTTP/1.1 ".utf8))
        #expect(await eventually { first.bodyBytes == 2 })
        // It returns, although both would take forever.
        await first.handOver(graceSeconds: 3_600) { _ in }
        let second = try server(socket, "second")
        try second.start()
        #expect(try ask(try RawConnection(socket.address)).text == "second")
        try sender.send("ow")
        let late = try sender.response(to: .post)
        #expect(late.status == 503 && late.fields[.retryAfter] == "1")
        #expect(late.fields.list(.connection, has: "close"))
        #expect(areSame(Array(try reader.rest().suffix(large.count)), large))
        await first.finish(graceSeconds: 3_600)
        #expect(first.connectionCount == 0)
        await second.stop(graceSeconds: 0)
    }

    @Test func `the hand-over waits for running handlers`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let (isAtWork, goesOn) = (Signal(), Signal())
        let events = Lock<[String]>([])
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/work") { _, _ in
                isAtWork.give()
                await goesOn.wait()
                events.withLock { $0.append("worked") }
                return TestRoutes.text("done")
            }
        }
        let server = HTTPServer(
            .local { $0.open = { (_, _) throws(SystemError) in socket } }, router: router)
        try server.start()
        let idle = try RawConnection(socket.address)
        #expect(await eventually { server.connectionCount == 1 })
        let client = try RawConnection(socket.address)
        try client.send("GET /work HTTP/1.1\r\nHost: test\r\n\r\n")
        await isAtWork.wait()
        await server.handOver(graceSeconds: 3_600, patienceSeconds: 0) { _ in
            // The idle connection was passed on: everything that can be passed immediately is.
            goesOn.give()
        }
        events.withLock { $0.append("handed over") }
        #expect(events.withLock { $0 } == ["worked", "handed over"])
        #expect(try client.response().text == "done")
        _ = idle
    }

    @Test func `long requests end while others are served, or are left behind`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let (isAtWork, goesOn) = (Signal(), Signal())
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/work") { _, _ in
                isAtWork.give()
                await goesOn.wait()
                return TestRoutes.text("done")
            }
            routes.on(.get, "/who") { _, _ in TestRoutes.text("first") }
        }
        let first = HTTPServer(
            .local { $0.open = { (_, _) throws(SystemError) in socket } }, router: router)
        let second = try server(socket, "second")
        try first.start()
        let client = try RawConnection(socket.address)
        try client.send("GET /work HTTP/1.1\r\nHost: test\r\n\r\n")
        await isAtWork.wait()
        let hasFinished = Signal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // At once: the handover has to come after it.
            group.addImmediateTask {
                await first.finishCurrentRequests(seconds: 3_600)
                hasFinished.give()
            }
            #expect(try ask(try RawConnection(socket.address)).text == "first")
            #expect(!hasFinished.isGiven)
            // It has no time left, and does not keep anybody waiting.
            await first.handOver(graceSeconds: 3_600, patienceSeconds: 0) { _ in }
            #expect(!hasFinished.isGiven)
            try second.start()
            #expect(try ask(try RawConnection(socket.address)).text == "second")
            // Its client gets the response all the same.
            goesOn.give()
        }
        #expect(try client.response().text == "done")
        await first.finish(graceSeconds: 3_600)
        await second.stop(graceSeconds: 0)
    }

    @Test func `only known protocols can be upgraded to`() async throws {
        let seen = Exchanges()
        let configuration = ServerConfiguration.local {
            $0.observers = [seen]
            $0.protocols = [
                "echo/1": { descriptor in
                    guard
                        let channel = try? DescriptorChannel(
                            descriptor, timeoutSeconds: Patience.seconds)
                    else { return }
                    try? channel.send("welcome")
                }
            ]
        }
        try await TestServer.run(TestRoutes.router(), with: configuration) { test in
            func upgrade(_ name: String, connection: String = "Upgrade") throws -> RawConnection {
                let client = try RawConnection(test.address)
                try client.send(
                    "GET /hello HTTP/1.1\r\nHost: test\r\nConnection: \(connection)\r\n"
                        + "Upgrade: \(name)\r\n\r\n")
                return client
            }
            let client = try upgrade("echo/1")
            let answer = String(decoding: try client.rest(), as: UTF8.self)
            #expect(
                answer.hasPrefix(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                        + "Upgrade: echo/1\r\nDate: "))
            #expect(answer.hasSuffix("\r\n\r\nwelcome\n"))
            #expect(seen.lines.first?.hasPrefix("GET /hello 101 ") == true)
            #expect(try upgrade("echo/2").response().text == "hello")
            #expect(try upgrade("echo/1", connection: "keep-alive").response().text == "hello")
        }
    }
}
