import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct AdmissionTests {
    /// A route for clients with the right word; it responds with what admission found out.
    private static func router() throws -> HTTPRouter {
        try TestRoutes.router { routes in
            routes.protect(.post, "/guarded") { request, _ in
                guard request.fields[.authorization] == "the word" else {
                    return .rejected(HTTPResponse(.unauthorized))
                }
                let seen = request.body.count
                return .admitted { request, _ in
                    TestRoutes.text("\(seen) of \(request.body.count)")
                }
            }
        }
    }

    private func post(_ fields: String, _ body: String = "") -> String {
        "POST /guarded HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test func `an admitted client is asked to send its body`() async throws {
        try await TestServer.run(Self.router()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                post("Authorization: the word\r\nExpect: 100-continue\r\nContent-Length: 5"))
            let asked = try connection.receive(limit: 25)
            #expect(String(decoding: asked, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try connection.send("hello")
            #expect(try connection.response().text == "0 of 5")
        }
    }

    @Test(arguments: [
        "Expect: 100-continue\r\nContent-Length: 5", "Content-Length: 3000000",
        "Transfer-Encoding: chunked",
    ])
    func `a client that is not admitted is rejected without its body`(fields: String) async throws {
        try await TestServer.run(Self.router()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(post(fields))
            let answer = try connection.response()
            #expect(answer.status == 401)
            #expect(answer.fields[.connection] == "close")
            connection.shutdownWrite()
            #expect(connection.isEnded())
        }
    }

    @Test func `a small body in flight does not close the connection`() async throws {
        try await TestServer.run(Self.router()) { server in
            let connection = try RawConnection(server.address)
            for _ in 0..<3 {
                try connection.send(post("Content-Length: 5", "hello"))
                #expect(try connection.response().status == 401)
            }
            try connection.send(post("Authorization: the word\r\nContent-Length: 5", "hello"))
            #expect(try connection.response().status == 200)
        }
    }

    @Test func `a client whose access was revoked during its upload is rejected`() async throws {
        let isOpen = Lock(true)
        let router = try TestRoutes.router { routes in
            routes.protect(.post, "/open") { _, _ in
                isOpen.withLock { $0 }
                    ? .admitted({ _, _ in HTTPResponse(.ok) })
                    : .rejected(HTTPResponse(.unauthorized))
            }
        }
        try await TestServer.run(router) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                "POST /open HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 5\r\n\r\n")
            #expect(try connection.receive(limit: 25).count == 25)
            isOpen.withLock { $0 = false }
            try connection.send("hello")
            #expect(try connection.response(to: .post).status == 401)
            #expect(server.server.bodyBytes == 0)
            // The connection is still open and serves the next request.
            try connection.send(get)
            #expect(try connection.response().status == 200)
        }
    }

    @Test func `a write is authenticated once, and again if its body arrives after its head`()
        async throws
    {
        let admissions = Counter()
        let readers = CountedReaders()
        let router = try TestRoutes.router { routes in
            routes.protect(.patch, "/counted") { _, _ in
                admissions.next()
                return .admitted { request, _ in TestRoutes.text("\(request.body.count) bytes") }
            }
            routes.on(.get, "/cached") { _, _ in TestRoutes.text("cached") }
        }
        let configuration = ServerConfiguration.local { configuration in
            configuration.cache = ResponseCache(limitBytes: 1 << 20, now: { 0 })
            configuration.readers = readers
        }
        let fields = "HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer key\r\n"
        let head = "PATCH /counted \(fields)Content-Length: 5\r\n"
        try await TestServer.run(router, with: configuration) { server in
            let connection = try RawConnection(server.address)
            try connection.send(head + "\r\nhello")
            #expect(try connection.response(to: .patch).text == "5 bytes")
            #expect(admissions.value == 1)
            try connection.send(head + "Expect: 100-continue\r\n\r\n")
            #expect(try connection.receive(limit: 25).count == 25)
            try connection.send("hello")
            #expect(try connection.response(to: .patch).text == "5 bytes")
            #expect(admissions.value == 3)
            // Only the response to a request that reads may be in the cache.
            #expect(readers.asked.value == 0)
            try connection.send("GET /cached \(fields)\r\n")
            #expect(try connection.response().text == "cached")
            #expect(readers.asked.value > 0)
        }
    }

    /// Counts how often it is asked for the reader of a request.
    private final class CountedReaders: PublicReaders {
        let asked = Counter()

        func reader(of authorization: borrowing Span<UInt8>) -> PublicReader? {
            asked.next()
            return nil
        }
    }

    @Test func `an admission that waits is cancelled when its client disconnects`() async throws {
        let waiting = Signal()
        let cancelled = Signal()
        let router = try TestRoutes.router { routes in
            routes.protect(.get, "/slow") { _, _ in
                await withTaskCancellationHandler {
                    waiting.give()
                    await cancelled.wait()
                    return .rejected(HTTPResponse(.unauthorized))
                } onCancel: {
                    cancelled.give()
                }
            }
        }
        // Nothing but the client ends the wait.
        let patient = ServerConfiguration.local { $0.limits.handlerMilliseconds = .max / 2 }
        try await TestServer.run(router, with: patient) { server in
            let connection = try RawConnection(server.address)
            try connection.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
            await waiting.wait()
            connection.reset()
            await cancelled.wait()
        }
    }

    // MARK: Unexpected bodies

    @Test(arguments: [
        "Expect: 100-continue\r\nContent-Length: 5", "Content-Length: 3000000",
        "Transfer-Encoding: chunked",
    ])
    func `an unexpected body is rejected by the head`(fields: String) async throws {
        try await TestServer.run(TestRoutes.router()) { server in
            let connection = try RawConnection(server.address)
            try connection.send("GET /hello HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\r\n")
            let answer = try connection.response()
            #expect(answer.status == 400)
            #expect(answer.fields[.connection] == "close")
        }
    }

    @Test func `a small unexpected body is discarded, and the next request is served`()
        async throws
    {
        try await TestServer.run(TestRoutes.router()) { server in
            let connection = try RawConnection(server.address)
            for _ in 0..<3 {
                let body = "GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n"
                try connection.send(
                    "GET /hello HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.utf8.count)"
                        + "\r\n\r\n\(body)\(get)")
                #expect(try connection.response().status == 400)
                #expect(try connection.response().text == "hello")
            }
        }
    }

    // MARK: Memory of bodies

    @Test(arguments: ["GET /hello", "POST /guarded"])
    func `discarded bodies take no memory`(line: String) async throws {
        let configuration = ServerConfiguration.local { $0.limits.bodyMemoryBytes = 128 << 10 }
        try await TestServer.run(Self.router(), with: configuration) { server in
            let crowd = try (0..<16).map { _ in
                let connection = try RawConnection(server.address)
                try connection.send(
                    "\(line) HTTP/1.1\r\nHost: t\r\nContent-Length: 65536\r\n\r\n")
                try connection.send([UInt8](repeating: 1, count: 60_000))
                return connection
            }
            // All of it has been read when a later request on the same loop gets its response.
            #expect(try server.client.get("/hello").status == 200)
            #expect(server.server.bodyBytes == 0)
            let answer = try server.client.send(.post, "/echo", body: [1, 2, 3])
            #expect(answer.status == 200)
            for connection in crowd { connection.close() }
        }
    }

    @Test func `bodies above the memory limit are rejected, small ones last`() async throws {
        let (router, release) = try Self.holding()
        let configuration = ServerConfiguration.local { $0.limits.bodyMemoryBytes = 1 << 20 }
        try await TestServer.run(router, with: configuration) { server in
            func send(_ bytes: Int, of whole: Int) throws -> RawConnection {
                let connection = try RawConnection(server.address)
                try connection.send(
                    "POST /hold HTTP/1.1\r\nHost: t\r\nContent-Length: \(whole)\r\n\r\n")
                try connection.send([UInt8](repeating: 1, count: bytes))
                return connection
            }
            // An announced body takes no memory; received bytes do.
            let announced = try send(0, of: 3 << 20)
            let first = try send(700 << 10, of: 700 << 10)
            #expect(await eventually { server.server.bodyBytes == 700 << 10 })
            let second = try send(200 << 10, of: 200 << 10)
            let rejected = try second.response(to: .post)
            #expect(rejected.status == 503 && rejected.fields[.retryAfter] == "1")
            #expect(server.server.bodyBytes == 700 << 10)
            #expect(server.server.rejections.first { $0.reason == .bodies }?.count == 1)
            let small = try send(60 << 10, of: 60 << 10)
            #expect(await eventually { server.server.bodyBytes == 760 << 10 })
            release.give()
            for connection in [first, small] {
                #expect(try connection.response(to: .post).status == 200)
            }
            // Memory is released as soon as requests are complete or disconnected.
            let third = try send(600 << 10, of: 700 << 10)
            #expect(await eventually { server.server.bodyBytes >= 500 << 10 })
            third.reset()
            #expect(await eventually { server.server.bodyBytes == 0 })
            announced.close()
        }
    }

    /// A route that holds requests until the signal is given.
    private static func holding() throws -> (HTTPRouter, Signal) {
        let release = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/hold") { _, _ in
                await release.wait()
                return HTTPResponse(.ok)
            }
        }
        return (router, release)
    }
}
