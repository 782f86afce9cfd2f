import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct DeadlineTests {
    @Test func `an incomplete head receives 408`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limits.headMilliseconds = 100 }
        ) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /hello HTTP/1.1\r\nHos")
            let response = try connection.response()
            #expect(response.status == 408)
            connection.shutdownWrite()
            #expect(connection.isEnded())
        }
    }

    @Test func `a body that arrives too slowly receives 408`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limits.bodyGraceMilliseconds = 100 }
        ) { test in
            let connection = try RawConnection(test.address)
            try connection.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nab")
            #expect(try connection.response(to: .post).status == 408)
        }
    }

    @Test func `an idle connection is closed without a response`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limits.idleMilliseconds = 2_000 }
        ) { test in
            let silent = try RawConnection(test.address)
            #expect(silent.isEnded())
            let used = try RawConnection(test.address)
            try used.send(get)
            #expect(try used.response().status == 200)
            #expect(used.isEnded())
        }
    }

    @Test func `a handler that takes too long is cancelled and its client receives 503`()
        async throws
    {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/slow") { _, _ in
                // Ends only when it is cancelled.
                try? await Task.sleep(for: .seconds(600))
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router, with: .local { $0.limits.handlerMilliseconds = 3_000 }) {
            test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
            let response = try connection.response()
            #expect(response.status == 503)
            #expect(response.fields.contains(.retryAfter))
            #expect(connection.isEnded())
            #expect(try test.client.get("/hello").status == 200)
        }
    }

    @Test func `a client that does not read is disconnected`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in
                HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 64 << 20)))
            }
        }
        try await TestServer.run(router, with: .local { $0.limits.writeStallMilliseconds = 100 }) {
            test in
            let connection = try RawConnection(test.address, receiveBuffer: 4_096)
            try connection.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
            await test.server.stop(graceSeconds: 20)
            #expect(test.server.connectionCount == 0)
            #expect(throws: (any Error).self) { try connection.response() }
        }
    }

    @Test func `responses waiting for slow readers are bounded`() async throws {
        let size = 16 << 20
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in
                HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: size)))
            }
        }
        try await TestServer.run(router, with: .local { $0.limits.waitingBytes = size * 5 / 4 }) {
            test in
            let deaf = try (0..<2).map { _ in
                try RawConnection(test.address, receiveBuffer: 4_096)
            }
            for client in deaf { try client.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n") }
            // Which of the two waits first is up to the loops.
            #expect(await eventually { deaf.contains(where: \.isReset) })
            #expect(try test.client.get("/hello").status == 200)
            let kept = deaf.filter { !$0.isReset }
            #expect(try kept.map { try $0.response().body.count } == [size])
            #expect(try test.client.get("/large").body.count == size)
        }
    }

    @Test func `a write that takes too long is disconnected, as it may still succeed`() async throws
    {
        let goOn = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.post, "/slow") { _, _ in
                await goOn.wait()
                return HTTPResponse(.created)
            }
        }
        try await TestServer.run(router, with: .local { $0.limits.handlerMilliseconds = 100 }) {
            test in
            let connection = try RawConnection(test.address)
            try connection.send("POST /slow HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")
            #expect(throws: TestFailure.self) { try connection.response(to: .post) }
            #expect(test.server.connectionCount == 1)
            goOn.give()
            #expect(await eventually { test.server.connectionCount == 0 })
        }
    }

    @Test func `a safe request of a client that disconnected is cancelled`() async throws {
        let (began, ended) = (Signal(), Signal())
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/slow") { _, _ in
                began.give()
                // Ends only by being cancelled.
                try? await Task.sleep(for: .seconds(600))
                ended.give()
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
            await began.wait()
            connection.reset()
            await ended.wait()
            #expect(await eventually { test.server.connectionCount == 0 })
        }
    }

    @Test func `a disconnected client's write is completed, and a half-closed client is served`()
        async throws
    {
        let (goOn, done) = (Signal(), Signal())
        let begun = Counter()
        let router = try TestRoutes.router { routes in
            for method in [HTTPMethod.get, .post] {
                routes.on(method, "/slow") { _, _ in
                    begun.next()
                    await goOn.wait()
                    guard !Task.isCancelled else { return HTTPResponse(.serviceUnavailable) }
                    if method == .post { done.give() }
                    return HTTPResponse(.ok)
                }
            }
        }
        try await TestServer.run(router) { test in
            let gone = try RawConnection(test.address)
            try gone.send("POST /slow HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")
            let silent = try RawConnection(test.address)
            try silent.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
            silent.shutdownWrite()
            #expect(await eventually { begun.value == 2 })
            gone.reset()
            // Events of a loop are in order: it has seen the reset by now.
            #expect(try test.client.get("/hello").status == 200)
            goOn.give()
            await done.wait()
            #expect(try silent.response().status == 200)
        }
    }

    @Test func `handlers that never end occupy only their own slots`() async throws {
        let goOn = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/never") { _, _ in
                // Ignores its cancellation.
                await goOn.wait()
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(
            router,
            with: .local {
                // Other handlers have to end within it.
                $0.limits.handlerMilliseconds = 2_000
                $0.limitConnections = 8
            }
        ) { test in
            for _ in 0..<7 {
                let connection = try RawConnection(test.address)
                try connection.send("GET /never HTTP/1.1\r\nHost: t\r\n\r\n")
                #expect(try connection.response().status == 503)
                #expect(connection.isEnded())
                let good = try RawConnection(test.address)
                try good.send(get)
                #expect(try good.response().status == 200)
                good.shutdownWrite()
                #expect(good.isEnded())
            }
            #expect(await eventually { test.server.connectionCount == 7 })
            #expect(test.server.buffersInUse == 0)
            let last = try RawConnection(test.address)
            try last.send(get)
            #expect(try last.response().status == 200)
            #expect(try test.client.get("/hello").status == 503)
            goOn.give()
            #expect(await eventually { test.server.connectionCount == 1 })
            #expect(try test.client.get("/hello").status == 200)
        }
    }
}
