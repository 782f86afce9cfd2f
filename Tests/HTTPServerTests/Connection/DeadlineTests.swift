import HTTP
import HTTPServer
import Network
import TestSupport
import Testing

@Suite struct DeadlineTests {
    @Test func `a head that does not end is answered 408`() async throws {
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

    @Test func `a body that comes too slowly is answered 408`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limits.bodyGraceMilliseconds = 100 }
        ) { test in
            let connection = try RawConnection(test.address)
            try connection.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nab")
            #expect(try connection.response(to: .post).status == 408)
        }
    }

    @Test func `an idle connection is closed without a word`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limits.idleMilliseconds = 100 }
        ) { test in
            let silent = try RawConnection(test.address)
            #expect(silent.isEnded())
            let used = try RawConnection(test.address)
            try used.send(get)
            #expect(try used.response().status == 200)
            #expect(used.isEnded())
        }
    }

    @Test func `a handler that takes too long is cancelled and answered 503`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/slow") { _, _ in
                // Ends only by being cancelled.
                try? await Task.sleep(for: .seconds(600))
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router, with: .local { $0.limits.handlerMilliseconds = 100 }) {
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

    @Test func `a reader that does not read is dropped`() async throws {
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
}
