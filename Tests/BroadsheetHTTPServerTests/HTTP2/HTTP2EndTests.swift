import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Time limits of HTTP/2 connections, and how they end.
@Suite struct HTTP2EndTests {
    private func router(_ isWaiting: Signal, _ mayGo: Signal) throws -> HTTPRouter {
        try TestRoutes.router { routes in
            TestRoutes.addWait(to: &routes, isWaiting, mayGo) { TestRoutes.text("went") }
        }
    }

    @Test func `an idle connection is closed`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.idleMilliseconds = 100 }
        try await TestServer.run(TestRoutes.router(), with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(TestFrame.preface)
            let frames = try connection.frames { _ in false }
            #expect(frames.filter { $0.type == 7 }.map(\.code) == [0, 0])
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `a head without an end has a time limit`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.headMilliseconds = 100 }
        try await TestServer.run(TestRoutes.router(), with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                TestFrame.preface + TestFrame.bytes(1, stream: 1, TestFrame.block()))
            #expect(try connection.frames { $0.type == 7 }.last?.code == 11)
            #expect(connection.isEnded())
        }
    }

    @Test func `a handler that takes too long gets a 503 or a reset`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        // Other handlers have to end within it.
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.handlerMilliseconds = 2_000 }
        try await TestServer.run(router(isWaiting, mayGo), with: hasty) { server in
            let client = try TestHTTP2Client(RawConnection(server.address))
            #expect(try client.exchange(.get, "/wait").status == 503)
            #expect(try client.failure(on: client.send(.post, "/wait")) == 2)
            #expect(try client.exchange(.get, "/hello").status == 200)
            mayGo.give()
        }
    }

    @Test func `a client that does not read its response is given up`() async throws {
        let large = [UInt8](repeating: 1, count: 1 << 20)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(large)) }
        }
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.writeStallMilliseconds = 100 }
        try await TestServer.run(router, with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                TestFrame.preface + TestFrame.bytes(8, TestFrame.number(1 << 24))
                    + TestFrame.request(1, "GET", "/large"))
            #expect(try connection.frames { $0.type == 3 }.last?.stream == 1)
            // The window of the connection never opens either, for the next two.
            let other = try RawConnection(server.address)
            try other.send(
                TestFrame.preface
                    + TestFrame.bytes(4, [0, 4] + TestFrame.number(1 << 24))
                    + TestFrame.request(1, "GET", "/large")
                    + TestFrame.request(3, "GET", "/large"))
            #expect(try other.frames { $0.type == 3 }.last?.type == 3)
        }
    }

    @Test func `a client that stops reading its socket is disconnected`() async throws {
        let large = [UInt8](repeating: 1, count: 16 << 20)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(large)) }
        }
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.writeStallMilliseconds = 100 }
        try await TestServer.run(router, with: hasty) { server in
            let connection = try RawConnection(server.address, receiveBuffer: 4_096)
            try connection.send(
                TestFrame.preface
                    + TestFrame.bytes(4, [0, 4] + TestFrame.number(1 << 30))
                    + TestFrame.bytes(8, TestFrame.number(1 << 30))
                    + TestFrame.request(1, "GET", "/large"))
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `responses that wait for slow readers are bounded`() async throws {
        let large = [UInt8](repeating: 1, count: 1 << 20)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(large)) }
        }
        let small = ServerConfiguration.cleartextHTTP2 { $0.limits.waitingBytes = 3 << 20 }
        try await TestServer.run(router, with: small) { server in
            let connection = try RawConnection(server.address)
            try connection.send(TestFrame.preface)
            for index in 0..<6 as Range<UInt32> {
                try connection.send(TestFrame.request(2 * index + 1, "GET", "/large"))
            }
            #expect(try connection.frames { $0.type == 3 }.last?.code == 11)
        }
    }

    @Test func `a stop is announced, and what was sent before is served`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { test in
            let server = test.server
            let client = try TestHTTP2Client(RawConnection(test.address))
            let first = try client.send(.get, "/wait")
            await isWaiting.wait()
            async let stopping: Void = server.stop(graceSeconds: Double(Patience.seconds))
            while client.lastStream == nil { try client.advance() }
            #expect(client.lastStream == .max)
            mayGo.give()
            #expect(try client.response(on: first).text == "went")
            await stopping
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `a request that crosses the announcement is served`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { test in
            let server = test.server
            let connection = try RawConnection(test.address)
            try connection.send(TestFrame.preface + TestFrame.request(1, "GET", "/wait"))
            await isWaiting.wait()
            async let stopping: Void = server.stop(graceSeconds: Double(Patience.seconds))
            let announced = try connection.frames { $0.type == 7 }
            #expect(announced.last?.number(at: 0) == UInt32(Int32.max))
            let pings = try connection.frames { $0.type == 6 }
            // Sent before the announcement arrived, and before the ping is acknowledged.
            try connection.send(
                TestFrame.request(3) + TestFrame.bytes(6, flags: 1, pings.last?.payload ?? []))
            let frames = try connection.frames { $0.type == 7 }
            #expect(frames.last?.number(at: 0) == 3)
            mayGo.give()
            let rest = frames + (try connection.frames { _ in false })
            let bodies = rest.filter { $0.type == 0 }.map {
                String(decoding: $0.payload, as: UTF8.self)
            }
            #expect(Set(bodies) == ["hello", "went"])
            await stopping
        }
    }

    @Test func `a connection is drained when its server hands over`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { test in
            let server = test.server
            let client = try TestHTTP2Client(RawConnection(test.address))
            let stream = try client.send(.get, "/wait")
            await isWaiting.wait()
            async let handedOver: Bool = server.handOver(graceSeconds: Double(Patience.seconds)) {
                _ in
                Issue.record("a connection of HTTP/2 cannot be passed on")
            }
            while client.lastStream == nil { try client.advance() }
            mayGo.give()
            #expect(try client.response(on: stream).text == "went")
            _ = await handedOver
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    @Test func `the end is announced with the last response of a burst`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        let patient = ServerConfiguration.cleartextHTTP2 {
            $0.limits.burstMilliseconds = Int64(Patience.seconds) * 1_000
        }
        try await TestServer.run(router(isWaiting, mayGo), with: patient) { test in
            let idle = try TestHTTP2Client(RawConnection(test.address))
            #expect(try idle.exchange(.get, "/hello").status == 200)
            let busy = try RawConnection(test.address)
            try busy.send(TestFrame.preface + TestFrame.request(1, "GET", "/wait"))
            await isWaiting.wait()
            async let stopping: Void = test.server.stop(graceSeconds: Double(Patience.seconds))
            while idle.lastStream == nil { try idle.advance() }
            mayGo.give()
            #expect(try busy.frames { $0.type == 7 }.contains { $0.type == 0 })
            busy.close()
            await stopping
        }
    }

    @Test func `a burst that takes too long is not waited for`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { test in
            let busy = try RawConnection(test.address)
            try busy.send(TestFrame.preface + TestFrame.request(1, "GET", "/wait"))
            await isWaiting.wait()
            async let stopping: Void = test.server.stop(graceSeconds: Double(Patience.seconds))
            #expect(try !busy.frames { $0.type == 7 }.contains { $0.type == 0 })
            mayGo.give()
            #expect(try busy.frames { $0.type == 0 }.last?.payload == Array("went".utf8))
            busy.close()
            await stopping
        }
    }

    @Test func `a connection that begins during a handover lasts until its end`() async throws {
        let isQuiet = Signal()
        let seconds = Double(Patience.seconds)
        let quietSeconds = seconds + 1
        let paused = ServerConfiguration.cleartextHTTP2 { configuration in
            let sleep = configuration.system.sleep
            configuration.system.sleep = { time in
                if time == .seconds(quietSeconds) {
                    await isQuiet.wait()
                } else {
                    await sleep(time)
                }
            }
        }
        try await TestServer.run(TestRoutes.router(), with: paused) { test in
            let server = test.server
            let first = try TestHTTP2Client(RawConnection(test.address))
            #expect(try first.exchange(.get, "/hello").status == 200)
            async let handedOver: Bool = server.handOver(
                graceSeconds: seconds, quietSeconds: quietSeconds
            ) { _ in }
            while first.lastStream == nil { try first.advance() }
            let second = try TestHTTP2Client(RawConnection(test.address))
            for _ in 0..<3 { #expect(try second.exchange(.get, "/hello").status == 200) }
            #expect(second.lastStream == nil)
            isQuiet.give()
            while second.lastStream == nil { try second.advance() }
            _ = await handedOver
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    @Test func `an endless stream ends when the server stops`() async throws {
        let isStopped = Signal()
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/endless") { _, _ in
                let isFirst = Lock(true)
                let stream = HTTPBodyStream(stop: { isStopped.give() }) {
                    if isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    }) {
                        return [1]
                    }
                    await isStopped.wait()
                    return nil
                }
                return HTTPResponse(.ok, body: .stream(stream))
            }
        }
        try await TestServer.run(router, with: .cleartextHTTP2()) { test in
            let server = test.server
            let client = try TestHTTP2Client(RawConnection(test.address))
            let stream = try client.send(.get, "/endless")
            #expect(try client.body(on: stream, atLeast: 1) == [1])
            async let stopping: Void = server.stop(graceSeconds: Double(Patience.seconds))
            #expect(try client.response(on: stream).body == [1])
            await stopping
        }
    }

    @Test func `a client above the connection limit is rejected`() async throws {
        let test = try TLSTest(protocols: ["h2", "http/1.1"])
        let limit: (inout ServerConfiguration) -> Void = { $0.limitConnections = 1 }
        try await test.run(nil, limit) { server in
            let options = test.options { $0.protocols = ["h2"] }
            let (first, _) = try server.connect(options)
            try first.send(TestFrame.preface + TestFrame.request(1))
            #expect(try first.frames { $0.type == 0 }.last?.payload == Array("hello".utf8))
            let (second, _) = try server.connect(options)
            #expect(try second.frames { $0.type == 7 }.last?.code == 11)
        }
    }

    @Test func `ALPN chooses between the versions`() async throws {
        let test = try TLSTest(protocols: ["h2", "http/1.1"])
        try await test.run { server in
            let (older, session) = try server.connect(test.options { $0.protocols = ["http/1.1"] })
            #expect(session.agreedProtocol == "http/1.1")
            try older.send(get)
            #expect(try older.response().text == "hello")
            let both = test.options { $0.protocols = ["http/1.1", "h2"] }
            let (newer, other) = try server.connect(both)
            #expect(other.agreedProtocol == "h2")
            let client = try TestHTTP2Client(newer)
            let body = [UInt8](repeating: 5, count: 300_000)
            #expect(try client.exchange(.get, "/hello").text == "hello")
            #expect(try client.exchange(.post, "/echo", body: body).body == body)
            // Without ALPN it is HTTP/1.1.
            #expect(try server.serves(test.options()))
        }
    }
}
