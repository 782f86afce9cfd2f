import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Bodies that handlers read as they arrive.
@Suite struct UploadTests {
    /// Counts the bytes of each body, and says so in the response.
    private static func counting(_ pieces: Lock<[Int]> = Lock([])) throws -> HTTPRouter {
        try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { _, context in
                var total = 0
                do {
                    while let piece = try await context.body?.next() {
                        total += piece.count
                        pieces.withLock { $0.append(piece.count) }
                    }
                } catch {
                    return TestRoutes.text("failed")
                }
                return TestRoutes.text("\(total)")
            }
        }
    }

    private static func head(_ fields: String) -> String {
        "POST /count HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\r\n"
    }

    @Test func `a body is read while it arrives`() async throws {
        let pieces = Lock<[Int]>([])
        try await TestServer.run(Self.counting(pieces)) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.head("Content-Length: 6") + "abc")
            // The handler has the first part before the second is sent.
            #expect(await eventually { pieces.withLock { $0 } == [3] })
            try connection.send("def")
            #expect(try connection.response(to: .post).text == "6")
            try connection.send(
                Self.head("Transfer-Encoding: chunked") + "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n")
            #expect(try connection.response(to: .post).text == "4")
            try connection.send(Self.head("Content-Length: 0"))
            #expect(try connection.response(to: .post).text == "0")
            // The next request is found behind the body.
            try connection.send(Self.head("Content-Length: 2") + "ab" + get)
            #expect(try connection.response(to: .post).text == "2")
            #expect(try connection.response().status == 200)
            #expect(server.server.bodyBytes == 0)
        }
    }

    @Test func `a body is requested when the handler wants it`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { request, context in
                guard request.fields[.accept] == "text/plain" else {
                    return HTTPResponse(.notAcceptable)
                }
                let piece = try? await context.body?.next()
                return TestRoutes.text("\(piece?.count ?? 0)")
            }
        }
        try await TestServer.run(router) { server in
            let expectation = "Expect: 100-continue\r\nContent-Length: 5"
            let wanted = try RawConnection(server.address)
            try wanted.send(Self.head("Accept: text/plain\r\n" + expectation))
            #expect(try wanted.receive(limit: 25) == ResponseSerializer.continueHead)
            try wanted.send("hello")
            #expect(try wanted.response(to: .post).text == "5")
            // A body that nobody reads ends the connection.
            let unwanted = try RawConnection(server.address)
            try unwanted.send(Self.head(expectation))
            let response = try unwanted.response(to: .post)
            #expect(response.status == 406 && response.fields[.connection] == "close")
        }
    }

    @Test func `the limits of bodies hold`() async throws {
        let limited = ServerConfiguration.local {
            $0.limits.message.bodyBytes = 4
            $0.limits.bodyGraceMilliseconds = 200
        }
        try await TestServer.run(Self.counting(), with: limited) { server in
            for (request, status) in [
                (Self.head("Content-Length: 5"), 413),
                (Self.head("Transfer-Encoding: chunked") + "5\r\nabcde\r\n0\r\n\r\n", 413),
                (Self.head("Transfer-Encoding: chunked") + "no size\r\n", 400),
                (Self.head("Content-Length: 3") + "ab", 408),
            ] {
                let connection = try RawConnection(server.address)
                try connection.send(request)
                let response = try connection.response(to: .post)
                #expect(response.status == status, "\(request)")
                #expect(response.fields[.connection] == "close")
            }
        }
    }

    @Test func `the handler's time does not pass while it waits for the client`() async throws {
        let isReading = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { _, context in
                var total = 0
                isReading.give()
                while let piece = try? await context.body?.next() { total += piece.count }
                return TestRoutes.text("\(total)")
            }
            routes.on(.get, "/slow") { _, _ in
                try? await Task.sleep(for: .seconds(Patience.seconds))
                return HTTPResponse(.ok)
            }
        }
        let hasty = ServerConfiguration.local { $0.limits.handlerMilliseconds = 5_000 }
        try await TestServer.run(router, with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.head("Content-Length: 2"))
            await isReading.wait()
            // Another handler runs out of time meanwhile.
            #expect(try server.client.get("/slow").status == 503)
            try connection.send("ab")
            #expect(try connection.response(to: .post).text == "2")
        }
    }

    @Test func `a client whose access was revoked during its upload is rejected`() async throws {
        let isOpen = Lock(true)
        let (began, total) = (Signal(), Lock(0))
        let router = try TestRoutes.router { routes in
            routes.protect(.post, "/count", body: .streamed) { _, _ in
                guard isOpen.withLock({ $0 }) else {
                    return .rejected(HTTPResponse(.unauthorized))
                }
                return .admitted { _, context in
                    began.give()
                    do {
                        while let piece = try await context.body?.next() {
                            total.withLock { $0 += piece.count }
                        }
                        return TestRoutes.text("stored")
                    } catch { return TestRoutes.text("not stored") }
                }
            }
        }
        try await TestServer.run(router) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.head("Content-Length: 2"))
            await began.wait()
            isOpen.withLock { $0 = false }
            try connection.send("ab")
            #expect(try connection.response(to: .post).status == 401)
            #expect(total.withLock { $0 } == 2)
        }
    }

    @Test func `a body ends with its handler`() async throws {
        let kept = Lock<HTTPBodyStream?>(nil)
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { _, context in
                kept.withLock { $0 = context.body }
                while (try? await context.body?.next()) != nil {}
                return TestRoutes.text("read")
            }
        }
        try await TestServer.run(router) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.head("Content-Length: 2") + "ab")
            #expect(try connection.response(to: .post).text == "read")
            let body = try #require(kept.withLock { $0.take() })
            await #expect(throws: CancellationError.self) { _ = try await body.next() }
        }
    }

    @Test func `a connection whose body is still read when its handler returns is closed`()
        async throws
    {
        let reading = Signal()
        let failure = Lock<(any Error)?>(nil)
        let failed = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { _, context in
                let body = context.body
                Task {
                    reading.give()
                    do { _ = try await body?.next() } catch { failure.withLock { $0 = error } }
                    failed.give()
                }
                await reading.wait()
                // Lets the task reach the socket; either order must be safe.
                await Task.yield()
                return TestRoutes.text("left")
            }
        }
        try await TestServer.run(router) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.head("Content-Length: 2"))
            _ = try? connection.response(to: .post)
            await failed.wait()
            #expect(failure.withLock { $0 } is CancellationError)
            connection.close()
            #expect(try server.client.get("/hello").status == 200)
        }
    }

    @Test func `a slow upload does not delay the hand-over`() async throws {
        let pieces = Lock<[Int]>([])
        let patient = ServerConfiguration.local {
            $0.limits.bodyGraceMilliseconds = 3_600_000
            $0.limits.bodyMilliseconds = 3_600_000
        }
        let server = HTTPServer(patient, router: try Self.counting(pieces))
        let address = try server.start()[0]
        let connection = try RawConnection(address)
        try connection.send(Self.head("Content-Length: 3") + "a")
        #expect(await eventually { pieces.withLock { $0 } == [1] })
        await server.handOver(graceSeconds: 3_600, quietSeconds: 0.1) { _ in }
        #expect(try connection.response(to: .post).status == 503)
    }
}
