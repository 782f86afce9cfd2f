import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Clients that send nothing more: by the end of TCP's stream, or by close_notify of TLS.
@Suite struct HTTP2HalfCloseTests {
    private static let large = [UInt8](repeating: 1, count: 1 << 20)

    /// Windows for all bodies that are sent here.
    private static let wide =
        TestFrame.preface + TestFrame.bytes(4, [0, 4] + TestFrame.number(1 << 30))
        + TestFrame.bytes(8, TestFrame.number(1 << 30))

    /// `/large` responds at once.
    private func router(_ isWaiting: Signal, _ mayGo: Signal) throws -> HTTPRouter {
        try TestRoutes.router { routes in
            TestRoutes.addWait(to: &routes, isWaiting, mayGo) {
                HTTPResponse(.ok, body: .bytes(Self.large))
            }
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(Self.large)) }
        }
    }

    private func bodies(_ frames: [ReceivedFrame]) -> [UInt32: Int] {
        let data = frames.filter { $0.type == 0 }
        return Dictionary(data.map { ($0.stream, $0.payload.count) }, uniquingKeysWith: +)
    }

    @Test(arguments: [false, true])
    func `complete requests get their responses, and then the connection ends`(
        isSecure: Bool
    ) async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        let test = try TLSTest(protocols: ["h2"])
        let configuration = ServerConfiguration.cleartextHTTP2 {
            if isSecure { $0.tls = test.tls }
        }
        try await TestServer.run(router(isWaiting, mayGo), with: configuration) { server in
            let connection = try RawConnection(server.address)
            let session =
                isSecure
                ? try connection.startTLS(test.options { $0.protocols = ["h2"] }) : nil
            try connection.send(
                Self.wide + TestFrame.request(1, "GET", "/wait")
                    + TestFrame.request(3, "POST", "/echo", isLast: false)
                    + TestFrame.bytes(0, flags: 1, stream: 3, Array("hello".utf8)))
            await isWaiting.wait()
            if let session { session.sendEnd() } else { connection.shutdownWrite() }
            // The server knows of the end before it responds.
            let announced = try connection.frames { $0.type == 7 }
            #expect(announced.last?.code == 0 && announced.last?.number(at: 0) == 3)
            mayGo.give()
            let frames = announced + (try connection.frames { _ in false })
            #expect(bodies(frames) == [1: 1 << 20, 3: 5])
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `requests that are incomplete end, and others are served`() async throws {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                Self.wide + TestFrame.request(1, "POST", "/wait")
                    + TestFrame.request(3, "POST", "/echo", isLast: false)
                    + TestFrame.bytes(0, stream: 3, Array("hel".utf8))
                    + TestFrame.bytes(1, stream: 5, TestFrame.block()))
            await isWaiting.wait()
            connection.shutdownWrite()
            let ended = try connection.frames { $0.type == 3 }
            #expect(ended.last?.stream == 3 && ended.last?.code == 8)
            mayGo.give()
            let frames = ended + (try connection.frames { _ in false })
            #expect(bodies(frames) == [1: 1 << 20])
            #expect(await eventually { server.server.connectionCount == 0 })
            #expect(server.server.bodyBytes == 0)
        }
    }

    @Test func `a response for which no window opens is given up`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.writeStallMilliseconds = 100 }
        try await TestServer.run(router(Signal(), Signal()), with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(TestFrame.preface + TestFrame.request(1, "GET", "/large"))
            connection.shutdownWrite()
            let frames = try connection.frames { _ in false }
            #expect(frames.last { $0.type == 3 }?.code == 8)
            #expect(bodies(frames) == [1: 65_535])
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `a client that does not read its socket either is disconnected`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.writeStallMilliseconds = 100 }
        try await TestServer.run(router(Signal(), Signal()), with: hasty) { server in
            let connection = try RawConnection(server.address, receiveBuffer: 4_096)
            try connection.send(
                (0..<40).reduce(Self.wide) {
                    $0 + TestFrame.request(2 * $1 + 1, "GET", "/large")
                })
            connection.shutdownWrite()
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test(arguments: [false, true])
    func `a stream without an end is cancelled, as with HTTP 1_1`(
        hasBegun: Bool
    ) async throws {
        let (isWaiting, isCancelled, mayBegin) = (Signal(), Signal(), Signal())
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/endless") { _, _ in
                if !hasBegun {
                    isWaiting.give()
                    await mayBegin.wait()
                }
                let stream = HTTPBodyStream(stop: {}) {
                    await withTaskCancellationHandler {
                        isWaiting.give()
                        await isCancelled.wait()
                        return nil
                    } onCancel: {
                        isCancelled.give()
                    }
                }
                return HTTPResponse(.ok, body: .stream(stream))
            }
        }
        try await TestServer.run(router, with: .cleartextHTTP2()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.wide + TestFrame.request(1, "GET", "/endless"))
            await isWaiting.wait()
            connection.shutdownWrite()
            if !hasBegun { _ = try connection.frames { $0.type == 7 } }
            mayBegin.give()
            #expect(try connection.frames { _ in false }.contains { $0.code == 8 })
            #expect(await eventually { server.server.connectionCount == 0 })
            await isCancelled.wait()
        }
    }

    @Test func `safe requests of a client that is gone are cancelled`() async throws {
        let (isWaiting, isCancelled) = (Signal(), Signal())
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/wait") { _, _ in
                await withTaskCancellationHandler {
                    isWaiting.give()
                    await isCancelled.wait()
                    return HTTPResponse(.ok)
                } onCancel: {
                    isCancelled.give()
                }
            }
        }
        try await TestServer.run(router, with: .cleartextHTTP2()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(Self.wide + TestFrame.request(1, "GET", "/wait"))
            await isWaiting.wait()
            // Not a reset: all that the server has sent until now is read.
            while connection.hasInput { _ = try connection.receive(limit: 1 << 16) }
            connection.close()
            await isCancelled.wait()
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `a half of a connection that is left open does not hold up the stop`()
        async throws
    {
        let (isWaiting, mayGo) = (Signal(), Signal())
        try await TestServer.run(router(isWaiting, mayGo), with: .cleartextHTTP2()) { test in
            let connection = try RawConnection(test.address)
            try connection.send(Self.wide + TestFrame.request(1, "GET", "/wait"))
            await isWaiting.wait()
            connection.shutdownWrite()
            _ = try connection.frames { $0.type == 7 }
            let server = test.server
            async let stopping: Void = server.stop(graceSeconds: Double(Patience.seconds))
            mayGo.give()
            #expect(bodies(try connection.frames { _ in false }) == [1: 1 << 20])
            await stopping
            #expect(server.connectionCount == 0)
        }
    }
}
