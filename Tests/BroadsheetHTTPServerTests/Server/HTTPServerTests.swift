import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Testing

@Suite struct BroadsheetHTTPServerTests {
    @Test func `a Unix socket is served, and its file is removed at the stop`() async throws {
        let folder = try TemporaryFolder()
        let address = SocketAddress.unix(folder.file("socket"))
        for _ in 0..<2 {
            try await TestServer.run(TestRoutes.router(), on: [address]) { test in
                let response = try test.client.get("/hello")
                #expect(response.text == "hello")
            }
        }
        #expect(throws: (any Error).self) { try RawConnection(address) }
    }

    @Test func `a server answers questions while it binds, and is started once`() async throws {
        let binding = Lock<HTTPServer?>(nil)
        let server = HTTPServer(
            .local {
                $0.open = { (address, access) throws(SystemError) in
                    // It does not wait for the sockets.
                    let server = binding.withLock { $0 }
                    #expect(server?.connectionCount == 0 && server?.buffersInUse == 0)
                    #expect(throws: HTTPServerError.alreadyStarted) { try server?.start() }
                    return try ListeningSocket(address, access: access)
                }
            }, router: try TestRoutes.router())
        binding.withLock { $0 = server }
        let address = try server.start()[0]
        #expect(try TestClient(address).get("/hello").status == 200)
        await server.stop(graceSeconds: 0)
        binding.withLock { $0 = nil }
    }

    @Test func `a server that is stopped while it starts accepts nobody`() async throws {
        let socket = try ListeningSocket(.v4([127, 0, 0, 1], port: 0))
        let server = HTTPServer(
            .local { $0.open = { (_, _) throws(SystemError) in socket } },
            router: try TestRoutes.router())
        let isStopped = DispatchSemaphore(value: 0)
        #expect(throws: HTTPServerError.stopped) {
            try server.start {
                Task {
                    await server.stop()
                    isStopped.signal()
                }
                isStopped.wait()
            }
        }
        #expect(server.connectionCount == 0)
    }

    @Test(.enabled(if: SocketAddress.hasIPv6, "this machine has no IPv6"))
    func `IPv4 and IPv6 are served at the same time`() async throws {
        let addresses = try ["127.0.0.1:0", "[::1]:0"].flatMap { try SocketAddress.resolve($0) }
        try await TestServer.run(TestRoutes.router(), on: addresses) { test in
            for address in test.addresses {
                #expect(address.port > 0)
                let response = try TestClient(address).get("/hello")
                #expect(response.status == 200)
            }
        }
    }

    @Test func `an address in use is reported`() async throws {
        try await TestServer.run(TestRoutes.router()) { test in
            let second = HTTPServer(
                ServerConfiguration(addresses: [test.address], system: .real),
                router: try TestRoutes.router())
            #expect(throws: HTTPServerError.addressInUse(test.address)) { try second.start() }
        }
    }

    @Test func `several loops share the connections`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.loops = 3 }
        ) { test in
            let connections = try (0..<9).map { _ in try RawConnection(test.address) }
            for connection in connections {
                try connection.send(get)
                #expect(try connection.response().status == 200)
            }
        }
    }

    @Test func `connections above the limit receive 503`() async throws {
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.limitConnections = 2 }
        ) { test in
            let connections = try (0..<2).map { _ in try RawConnection(test.address) }
            for connection in connections {
                try connection.send(get)
                #expect(try connection.response().status == 200)
            }
            let third = try RawConnection(test.address)
            let rejected = try third.response()
            #expect(rejected.status == 503)
            #expect(rejected.fields.contains(.retryAfter))
            third.shutdownWrite()
            #expect(third.isEnded())
            try connections[0].send(get)
            #expect(try connections[0].response().status == 200)
        }
    }

    @Test func `a stop closes idle connections and finishes requests in flight`() async throws {
        let (arrived, arrive) = AsyncStream<Void>.makeStream()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/wait") { _, _ in
                arrive.yield()
                for await _ in opened { break }
                return TestRoutes.text("done")
            }
        }
        try await TestServer.run(router) { test in
            let idle = try RawConnection(test.address)
            try idle.send(get)
            #expect(try idle.response().status == 200)
            let busy = try RawConnection(test.address)
            try busy.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
            for await _ in arrived { break }
            async let stopped: Void = test.server.stop(graceSeconds: 20)
            #expect(idle.isEnded())
            #expect(throws: (any Error).self) { try RawConnection(test.address) }
            open.yield()
            let response = try busy.response()
            #expect(response.text == "done")
            #expect(response.fields[.connection] == "close")
            #expect(busy.isEnded())
            await stopped
            #expect(test.server.connectionCount == 0)
        }
    }

    @Test func `a second stop closes everything at once`() async throws {
        let (arrived, arrive) = AsyncStream<Void>.makeStream()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/wait") { _, _ in
                arrive.yield()
                try? await Task.sleep(for: .seconds(600))
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router) { test in
            let busy = try RawConnection(test.address)
            try busy.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
            for await _ in arrived { break }
            async let first: Void = test.server.stop(graceSeconds: 600)
            await test.server.stop(graceSeconds: 0)
            await first
            #expect(busy.isEnded())
            #expect(test.server.connectionCount == 0)
        }
    }

    @Test func `each exchange is observed`() async throws {
        struct Observer: ExchangeObserver {
            let lines = Lock([String]())
            func finished(_ exchange: borrowing ExchangeRecord) {
                let method = exchange.method?.rawValue ?? "-"
                let line = "\(method) \(exchange.template ?? "-") \(exchange.status.code)"
                lines.withLock { $0.append(line) }
            }
        }
        let observer = Observer()
        try await TestServer.run(
            TestRoutes.router(), with: .local { $0.observers = [observer] }
        ) { test in
            _ = try test.client.get("/articles/7")
            _ = try test.client.get("/nothing")
            let connection = try RawConnection(test.address)
            try connection.send(get + "nonsense\r\n\r\n")
            connection.shutdownWrite()
            _ = try connection.rest()
        }
        #expect(
            observer.lines.withLock { $0 } == [
                "GET /articles/{id} 200", "GET - 404", "GET /hello 200", "- - 400",
            ])
    }
}
