import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct ConnectionTests {
    @Test(arguments: [HTTPMethod.get, .head])
    func `a response that would lack a field is an error`(method: HTTPMethod) async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/made") { _, _ in
                HTTPResponse(.created, fields: [.location: "/a\nb"], body: .bytes([1, 2, 3]))
            }
        }
        try await TestServer.run(router) { server in
            let answer = try server.client.send(method, "/made")
            #expect(answer.status == 500)
            #expect(!answer.fields.contains(.location))
        }
    }

    @Test func `a connection serves one request after another`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            for _ in 0..<100 {
                try connection.send(get)
                let response = try connection.response()
                #expect(response.status == 200)
                #expect(response.text == "hello")
                #expect(response.head.keepsAlive)
                #expect(response.fields.contains(.date))
                #expect(response.fields.contains(.xRequestID))
            }
            #expect(test.server.connectionCount == 1)
        }
    }

    @Test func `pipelined requests get responses in order`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            let requests = (0..<500).map {
                "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\n\(1_000 + $0)"
            }
            try connection.send(requests.joined())
            for number in 0..<500 {
                #expect(try connection.response(to: .post).text == "\(1_000 + number)")
            }
        }
    }

    @Test func `a request may arrive byte by byte`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            let request = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
            for byte in (request + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").utf8 {
                try connection.send([byte])
            }
            #expect(try connection.response(to: .post).text == "abcde")
        }
    }

    @Test func `a body of 3 MiB is echoed completely`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            var random = SplitMix64(seed: 7)
            let body = (0..<3 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
            let response = try test.client.send(.post, "/echo", body: body)
            #expect(response.body == body)
        }
    }

    @Test func `a body announced above the limit is rejected before it is read`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send(
                "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3145729\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try connection.response(to: .post).status == 413)
            connection.shutdownWrite()
            #expect(connection.isEnded())
        }
    }

    @Test func `a client that sends too much still receives the rejection`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            try connection.send(
                "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            try connection.send(String(repeating: chunk, count: 80))
            let response = try connection.response(to: .post)
            #expect(response.status == 413)
            #expect(!response.head.keepsAlive)
        }
    }

    @Test func `100 Continue arrives before the body is sent`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send(
                "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try connection.response(to: .post).status == 100)
            try connection.send("abc")
            #expect(try connection.response(to: .post).text == "abc")
        }
    }

    @Test(arguments: [
        ("BAD\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: t\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: t\r\nA: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: t\r\nExpect: tea\r\n\r\n", 417),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET /a/%2E%2e/b HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET /%00 HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET /%ff HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("CONNECT a:1 HTTP/1.1\r\nHost: t\r\n\r\n", 501),
        ("BREW /hello HTTP/1.1\r\nHost: t\r\n\r\n", 405),
    ])
    func `an invalid request is rejected with a date`(bytes: String, status: Int) async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send(bytes)
            let response = try connection.response()
            #expect(response.status == status)
            #expect(response.fields.contains(.date))
            #expect(response.fields.contains(.xRequestID))
        }
    }

    @Test func `nothing is served after an invalid request`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /hello HTTP/1.1\r\nHost: t\r\n bad: x\r\n\r\n" + get)
            connection.shutdownWrite()
            let answers = String(decoding: try connection.rest(), as: UTF8.self)
            #expect(answers.hasPrefix("HTTP/1.1 400 "))
            #expect(answers.split(separator: "HTTP/1.1 ").count == 1)
        }
    }

    @Test func `1_0 closes by default and keeps alive when asked`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let closing = try RawConnection(test.address)
            try closing.send("GET /hello HTTP/1.0\r\n\r\n")
            #expect(try closing.response().text == "hello")
            #expect(closing.isEnded())
            let keeping = try RawConnection(test.address)
            for _ in 0..<2 {
                try keeping.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try keeping.response()
                #expect(response.fields[.connection] == "keep-alive")
            }
        }
    }

    @Test func `a client that shut down its sending side still gets its response`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let connection = try RawConnection(test.address)
            try connection.send(get + get)
            connection.shutdownWrite()
            #expect(try connection.response().text == "hello")
            #expect(try connection.response().text == "hello")
            #expect(connection.isEnded())
        }
    }

    @Test func `a client that disconnects leaves nothing behind`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            for _ in 0..<20 {
                let connection = try RawConnection(test.address)
                try connection.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nab")
                connection.reset()
            }
            await test.server.stop(graceSeconds: 20)
            #expect(test.server.connectionCount == 0)
        }
    }

    @Test func `a handler can close the connection`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/bye") { _, _ in
                HTTPResponse(.ok, fields: [.connection: "close", .date: "never"])
            }
        }
        try await TestServer.run(router) { test in
            let connection = try RawConnection(test.address)
            try connection.send("GET /bye HTTP/1.1\r\nHost: t\r\n\r\n")
            let response = try connection.response()
            #expect(response.fields.values(of: .date).count == 1)
            #expect(response.fields[.date] != "never")
            #expect(connection.isEnded())
        }
    }

    @Test func `a client's request ID is echoed if it is safe`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let kept = try test.client.send(.get, "/hello", fields: [.xRequestID: "abc-1._Z"])
            #expect(kept.fields[.xRequestID] == "abc-1._Z")
            let made = try test.client.send(.get, "/hello", fields: [.xRequestID: "a b"])
            #expect(made.fields[.xRequestID]?.utf8.count == 13)
        }
    }

    @Test func `an idle connection holds no buffer`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let partial = try RawConnection(test.address)
            try partial.send("GET /hel")
            let connections = try (0..<50).map { _ in try RawConnection(test.address) }
            for connection in connections {
                try connection.send(get)
                #expect(try connection.response().status == 200)
            }
            // The loop has run one turn for each: all of them wait now, and only one is within a
            // head.
            try partial.send("lo HTTP/1.1\r\nHost: t\r\n")
            try connections[0].send(get)
            #expect(try connections[0].response().status == 200)
            #expect(test.server.buffersInUse <= 2)
            #expect(test.server.connectionCount == 51)
        }
    }
}
