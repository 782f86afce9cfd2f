import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct StreamTests {
    /// Counts how many pieces were requested.
    private static func pieces(
        _ count: Int, of size: Int, length: Int? = nil, asked: Lock<Int> = Lock(0)
    ) -> HTTPResponse {
        HTTPResponse(
            .ok,
            body: .stream(
                HTTPBodyStream(length: length) {
                    let number = asked.withLock { asked in
                        asked += 1
                        return asked
                    }
                    return number > count
                        ? nil : [UInt8](repeating: UInt8(number & 0xFF), count: size)
                }))
    }

    @Test func `a stream is chunked, and the connection stays open`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(10, of: 1_000) }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            for _ in 0..<2 {
                try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
                let response = try connection.response()
                #expect(response.head.framing == .chunked)
                #expect(response.body.count == 10_000)
            }
        }
    }

    @Test func `a stream to a 1_0 client ends with the connection`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(3, of: 10) }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /stream HTTP/1.0\r\n\r\n")
            let response = try connection.response()
            #expect(response.head.framing == .untilClose)
            #expect(response.body.count == 30)
        }
    }

    @Test func `a stream of known length has a Content-Length`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(3, of: 10, length: 30) }
        }
        try await TestServer.run(router) { test in
            #expect(try test.client.get("/stream").head.framing == .length(30))
            let head = try test.client.send(.head, "/stream")
            #expect(head.fields[.contentLength] == "30")
        }
    }

    @Test(arguments: [20, 40])
    func `a stream of the wrong length is cut off`(length: Int) async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(3, of: 10, length: length) }
        }
        try await TestServer.run(router) { test in
            if length == 40 {
                #expect(throws: (any Error).self) { try test.client.get("/stream") }
            } else {
                let connection = try RawConnection(test.address)
                try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
                #expect(throws: (any Error).self) {
                    _ = try connection.response()
                    _ = try connection.rest()
                }
            }
        }
    }

    @Test func `a slow reader applies back pressure to the stream`() async throws {
        let asked = Lock(0)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(4_000, of: 64 << 10, asked: asked) }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address, receiveBuffer: 4_096)
            try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
            // By the time the server serves other connections, it has filled what it can.
            #expect(try connection.receive(limit: 1).count == 1)
            for _ in 0..<100 { #expect(try test.client.get("/hello").status == 200) }
            // The stream has 250 MiB; the kernel's buffers take a few.
            #expect(asked.withLock { $0 } < 400)
        }
    }

    @Test func `a stream ends when its reader disconnects`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.pieces(.max, of: 64 << 10) }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try connection.receive(limit: 1).count == 1)
            connection.reset()
            await test.server.stop(graceSeconds: 20)
            #expect(test.server.connectionCount == 0)
        }
    }

    @Test func `a stream that waits is cancelled when its client disconnects`() async throws {
        let waiting = Signal()
        let cancelled = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in
                HTTPResponse(
                    .ok,
                    body: .stream(
                        HTTPBodyStream(length: nil) {
                            await withTaskCancellationHandler {
                                waiting.give()
                                await cancelled.wait()
                                return nil
                            } onCancel: {
                                cancelled.give()
                            }
                        }))
            }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
            await waiting.wait()
            connection.close()
            await cancelled.wait()
        }
    }

    /// A stream without an end, which ends itself with a last line when it is told to.
    private static func endless(_ isSent: Signal) -> HTTPResponse {
        let (pieces, source) = AsyncStream.makeStream(of: String.self)
        source.yield("first\n")
        let rest = Lock(pieces.makeAsyncIterator())
        return HTTPResponse(
            .ok,
            body: .stream(
                HTTPBodyStream(
                    stop: {
                        source.yield("last\n")
                        source.finish()
                    },
                    next: {
                        var iterator = rest.withLock { $0 }
                        defer { isSent.give() }
                        return await iterator.next().map { Array($0.utf8) }
                    })))
    }

    @Test(arguments: [false, true])
    func `a stream without an end is told when the server stops`(isHandedOver: Bool) async throws {
        let isSent = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in Self.endless(isSent) }
        }
        let server = HTTPServer(.local(), router: router)
        let connection = try RawConnection(try server.start()[0])
        try connection.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n")
        await isSent.wait()
        if isHandedOver {
            await server.handOver(graceSeconds: 3_600, quietSeconds: 0.1) { _ in }
        } else {
            await server.stop(graceSeconds: 3_600)
        }
        #expect(try connection.response().text.hasPrefix("first\nlast\n"))
    }
}
