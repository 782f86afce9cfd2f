import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Requests and responses over HTTP/2.
@Suite struct HTTP2ServerTests {
    private static let cleartext = ServerConfiguration.local { $0.takesCleartextHTTP2 = true }

    private func client(_ server: TestServer, window: Int = 1 << 20) throws -> TestHTTP2Client {
        try TestHTTP2Client(RawConnection(server.address), window: window)
    }

    @Test func `many requests share a connection`() async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            let client = try client(server)
            let streams = try (0..<50).map { try client.send(.get, "/articles/\($0)") }
            for (number, stream) in streams.enumerated() {
                let response = try client.response(on: stream)
                #expect(response.status == 200 && response.text == "\(number)")
                #expect(response.fields[.contentType] == "text/plain")
                #expect(response.fields[.contentLength] == "\(response.body.count)")
                #expect(response.fields[.date] != nil && response.fields[.xRequestID] != nil)
                #expect(!response.fields.contains(.connection))
            }
            #expect(try client.exchange(.get, "/nothing").status == 404)
            #expect(try client.exchange(.delete, "/articles/1").status == 204)
            let head = try client.exchange(.head, "/hello")
            #expect(head.fields[.contentLength] == "5" && head.body.isEmpty)
            #expect(server.server.connectionCount == 1)
        }
    }

    @Test func `without the option the preface is not a valid request`() async throws {
        try await TestServer.run(TestRoutes.router()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(TestFrame.preface)
            #expect(try connection.response().status == 505)
        }
    }

    @Test func `the preface may arrive in pieces, and HTTP 1_1 is still served`() async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            let connection = try RawConnection(server.address)
            for byte in TestFrame.preface + TestFrame.request(1) { try connection.send([byte]) }
            let frames = try connection.frames { $0.type == 0 && $0.stream == 1 }
            #expect(frames.first?.type == 4)
            #expect(frames.last?.payload == Array("hello".utf8))
            #expect(try server.client.get("/hello").text == "hello")
            // A second connection preface is not one after a request of HTTP/1.1.
            let older = try RawConnection(server.address)
            try older.send(get)
            #expect(try older.response().status == 200)
            try older.send(TestFrame.preface)
            #expect(try older.response().status == 505)
        }
    }

    @Test func `what a target may not have is named with its code, as over HTTP 1_1`()
        async throws
    {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            for (target, detail) in [
                ("/hello#a", "a raw # in its target: encode it as %23"),
                ("/he|llo", "a raw | in its path: encode it as %7C"),
            ] {
                let response = try client(server).exchange(.get, target)
                #expect(response.status == 400)
                let older = try server.client.get(target)
                for text in [response.text, older.text] {
                    #expect(text.contains("The request has \(detail)."))
                }
            }
            #expect(try client(server).exchange(.get, "/hello?\"a\"").text == "hello")
        }
    }

    @Test func `something like the preface is rejected`() async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            let connection = try RawConnection(server.address)
            try connection.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
            #expect(try connection.response().status == 505)
        }
    }

    @Test func `bodies larger than the windows arrive in both directions`() async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            let client = try client(server, window: 70_000)
            let body = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let streams = try (0..<3).map { _ in try client.send(.post, "/echo", body: body) }
            for stream in streams { #expect(try client.response(on: stream).body == body) }
            #expect(await eventually { server.server.bodyBytes == 0 })
        }
    }

    @Test func `a client that does not read one stream gets the others`() async throws {
        let large = [UInt8](repeating: 1, count: 4 << 20)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(large)) }
        }
        try await TestServer.run(router, with: Self.cleartext) { server in
            let connection = try RawConnection(server.address)
            // The window of the first stream is used up and never opened again.
            try connection.send(
                TestFrame.preface + TestFrame.bytes(8, TestFrame.number(1 << 24))
                    + TestFrame.request(1, "GET", "/large"))
            var received = 0
            while received < 65_535 {
                guard let frame = try connection.frame() else { break }
                if frame.type == 0 { received += frame.payload.count }
            }
            try connection.send(TestFrame.request(3))
            let frames = try connection.frames { $0.type == 0 && $0.stream == 3 }
            #expect(frames.last?.payload == Array("hello".utf8))
        }
    }

    @Test func `a stream is sent piece by piece and ends when the client resets it`() async throws {
        let pieces = Lock(0)
        let isCancelled = Signal()
        let next = Lock<UnsafeContinuation<Void, Never>?>(nil)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in
                let stream = HTTPBodyStream {
                    let number = pieces.withLock { pieces in
                        pieces += 1
                        return pieces
                    }
                    if number == 3 {
                        await withTaskCancellationHandler {
                            await withUnsafeContinuation { continuation in
                                next.withLock { $0 = continuation }
                            }
                        } onCancel: {
                            isCancelled.give()
                            next.withLock { $0.take() }?.resume()
                        }
                    }
                    return Array("piece \(number)\n".utf8)
                }
                return HTTPResponse(.ok, body: .stream(stream))
            }
        }
        try await TestServer.run(router, with: Self.cleartext) { server in
            let client = try client(server)
            let stream = try client.send(.get, "/stream")
            let body = try client.body(on: stream, atLeast: 16)
            #expect(String(decoding: body, as: UTF8.self) == "piece 1\npiece 2\n")
            #expect(await eventually { next.withLock { $0 != nil } })
            try client.reset(stream)
            await isCancelled.wait()
            #expect(try client.exchange(.get, "/hello").text == "hello")
        }
    }

    @Test func `a stream that fails is reset`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/short") { _, _ in
                HTTPResponse(.ok, body: .stream(HTTPBodyStream(length: 10) { nil }))
            }
        }
        try await TestServer.run(router, with: Self.cleartext) { server in
            let client = try client(server)
            #expect(try client.failure(on: client.send(.get, "/short")) == 2)
            #expect(try client.exchange(.get, "/hello").status == 200)
        }
    }

    @Test func `cached responses are sent, also as 304 and without a body`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "first")
        let configuration = bench.configuration { $0.takesCleartextHTTP2 = true }
        try await TestServer.run(bench.router(), with: configuration) { server in
            let client = try client(server)
            for _ in 0..<3 {
                let response = try client.exchange(.get, "/values/a")
                #expect(response.status == 200 && response.text == "first")
                #expect(response.fields[.vary] == "Accept-Encoding")
                #expect(response.fields[.contentLength] == "5")
            }
            #expect(bench.reads == 1)
            let current = try client.exchange(.get, "/values/a", [.ifNoneMatch: "\"first\""])
            #expect(current.status == 304 && current.body.isEmpty)
            #expect(!current.fields.contains(.contentLength))
            let head = try client.exchange(.head, "/values/a")
            #expect(head.status == 200 && head.fields[.contentLength] == "5")
            #expect(head.body.isEmpty)
            bench.change("a", to: "second")
            #expect(try client.exchange(.get, "/values/a").text == "second")
        }
    }

    @Test(arguments: [
        ["connection", "close"], ["te", "gzip"], ["host", "other"], ["upgrade", "x"],
    ])
    func `a malformed request is rejected, and the connection goes on`(
        field: [String]
    ) async throws {
        try await TestServer.run(TestRoutes.router(), with: Self.cleartext) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                TestFrame.preface
                    + TestFrame.request(1, "GET", "/hello", [(field[0], field[1])]))
            let frames = try connection.frames { $0.stream == 1 }
            // 400 by the static table of HPACK, or a reset.
            #expect(frames.last?.payload.first == 0x8C || frames.last?.code == 1)
            try connection.send(TestFrame.request(3))
            let next = try connection.frames { $0.type == 0 && $0.stream == 3 }
            #expect(next.last?.payload == Array("hello".utf8))
        }
    }

    @Test func `pieces of a cookie and the authority reach the handler`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/fields") { request, _ in
                TestRoutes.text("\(request.fields[.host] ?? "") \(request.fields[.cookie] ?? "")")
            }
        }
        try await TestServer.run(router, with: Self.cleartext) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                TestFrame.preface
                    + TestFrame.request(
                        1, "GET", "/fields", [("cookie", "a=b"), ("cookie", "c=d")])
            )
            let frames = try connection.frames { $0.type == 0 && $0.stream == 1 }
            #expect(
                String(decoding: frames.last?.payload ?? [], as: UTF8.self)
                    == "localhost a=b; c=d")
        }
    }

    @Test func `exchanges are observed, and logged with their protocol`() async throws {
        let exchanges = Exchanges()
        let configuration = ServerConfiguration.local {
            $0.takesCleartextHTTP2 = true
            $0.observers = [exchanges]
        }
        try await TestServer.run(TestRoutes.router(), with: configuration) { server in
            let client = try client(server)
            _ = try client.exchange(.get, "/articles/7", [.xRequestID: "one"])
            _ = try client.exchange(.get, "/nothing", [.xRequestID: "two"])
            let expected = [
                "GET /articles/7 /articles/{id} 200 one", "GET /nothing 404 two",
            ]
            #expect(await eventually { exchanges.lines == expected })
        }
    }
}
