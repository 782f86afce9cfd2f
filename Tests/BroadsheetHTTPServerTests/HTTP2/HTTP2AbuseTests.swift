import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Clients that cause work, or hold memory, without being of use to anyone. Each is cut off, and
/// others are served.
@Suite struct HTTP2AbuseTests {
    /// Frames that are repeated after a beginning.
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var start: [UInt8] = []
        let piece: [UInt8]
    }

    private static let upload = TestFrame.request(1, "POST", "/echo", isLast: false)
    private static let floods = [
        Flood(testDescription: "pings", piece: TestFrame.bytes(6, [1, 2, 3, 4, 5, 6, 7, 8])),
        Flood(testDescription: "settings", piece: TestFrame.bytes(4)),
        Flood(
            testDescription: "settings that move all windows", start: upload,
            piece: TestFrame.bytes(4, [0, 4] + TestFrame.number(1))
                + TestFrame.bytes(4, [0, 4] + TestFrame.number(1 << 20))),
        Flood(
            testDescription: "window updates", piece: TestFrame.bytes(8, TestFrame.number(1))),
        Flood(
            testDescription: "window updates of a stream", start: upload,
            piece: TestFrame.bytes(8, stream: 1, TestFrame.number(1))),
        Flood(
            testDescription: "priorities", piece: TestFrame.bytes(2, stream: 3, [0, 0, 0, 0, 9])),
        Flood(
            testDescription: "priority updates",
            piece: TestFrame.bytes(16, TestFrame.number(3) + Array("u=1,i".utf8))),
        Flood(
            testDescription: "empty data", start: upload, piece: TestFrame.bytes(0, stream: 1)),
        Flood(
            testDescription: "padding without data", start: upload,
            piece: TestFrame.bytes(0, flags: 8, stream: 1, [3, 0, 0, 0])),
        Flood(
            testDescription: "continuations", start: TestFrame.bytes(1, stream: 1),
            piece: TestFrame.bytes(9, stream: 1)),
        Flood(testDescription: "unknown frames", piece: TestFrame.bytes(0xAB, [1, 2])),
    ]

    /// Returns the output of the server until it has disconnected a client that sends these pieces.
    private func response(
        to pieces: (Int) -> [UInt8], most: Int = 6_000, _ server: TestServer
    ) throws -> [ReceivedFrame] {
        let connection = try RawConnection(server.address)
        try connection.send(TestFrame.preface)
        // Several at once, so that the time that a test takes does not replenish much.
        for batch in 0..<(most / 100) {
            let bytes = (0..<100).flatMap { pieces(100 * batch + $0) }
            if connection.sendSome(bytes) < bytes.count { break }
        }
        return try connection.frames { $0.type == 7 }
    }

    @Test(arguments: floods)
    func `frames that transport nothing end the connection`(flood: Flood) async throws {
        try await TestServer.run(TestRoutes.router(), with: .cleartextHTTP2()) { server in
            let frames = try response(
                to: { $0 == 0 ? flood.start + flood.piece : flood.piece }, server)
            #expect(frames.last?.code == 11 || frames.last?.type != 7)
            #expect(await eventually { server.server.connectionCount == 0 })
            #expect(try server.client.get("/hello").status == 200)
        }
    }

    @Test func `requests that are reset at once do not add up`() async throws {
        let running = Lock((now: 0, most: 0))
        let mayGo = Signal()
        let router = try TestRoutes.router { routes in
            // A write, which continues although its client is gone.
            routes.on(.post, "/wait") { _, _ in
                running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                }
                await mayGo.wait()
                running.withLock { $0.now -= 1 }
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router, with: .cleartextHTTP2()) { server in
            let frames = try response(
                to: { index in
                    let stream = UInt32(2 * index + 1)
                    return TestFrame.request(stream, "POST", "/wait")
                        + TestFrame.bytes(3, stream: stream, TestFrame.number(8))
                }, server)
            #expect(frames.last?.code == 11)
            #expect(running.withLock { $0.most } <= 200)
            mayGo.give()
            #expect(await eventually { running.withLock { $0.now } == 0 })
            #expect(try server.client.get("/hello").status == 200)
        }
    }

    @Test func `streams above the limit are refused, and ten thousand end the connection`()
        async throws
    {
        let isWaiting = Lock(0)
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/wait") { _, _ in
                isWaiting.withLock { $0 += 1 }
                try? await Task.sleep(for: .seconds(Patience.seconds))
                return HTTPResponse(.ok)
            }
        }
        try await TestServer.run(router, with: .cleartextHTTP2()) { server in
            let frames = try response(
                to: { TestFrame.request(UInt32(2 * $0 + 1), "GET", "/wait") }, most: 10_000, server)
            #expect(frames.contains { $0.type == 3 && $0.code == 7 })
            #expect(frames.last?.code == 11)
            #expect(isWaiting.withLock { $0 } <= 100)
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test func `requests without an end have a time limit each`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.bodyGraceMilliseconds = 100 }
        try await TestServer.run(TestRoutes.router(), with: hasty) { server in
            let connection = try RawConnection(server.address)
            try connection.send(TestFrame.preface)
            for index in 0..<100 as Range<UInt32> {
                try connection.send(
                    TestFrame.request(2 * index + 1, "POST", "/echo", isLast: false))
            }
            var ended: Set<UInt32> = []
            while ended.count < 100, let frame = try connection.frame() {
                if frame.type == 3 { ended.insert(frame.stream) }
            }
            #expect(ended.count == 100)
            try connection.send(TestFrame.request(201))
            #expect(try connection.frames { $0.type == 0 && $0.stream == 201 }.last?.type == 0)
        }
    }

    @Test func `fields that expand to more than the limit reset their stream`() async throws {
        try await TestServer.run(TestRoutes.router(), with: .cleartextHTTP2()) { server in
            let connection = try RawConnection(server.address)
            // One field goes to the table (RFC 7541 §6.2.1), and one octet repeats it.
            let entry = [0x40, 1, UInt8(ascii: "x"), 100] + [UInt8](repeating: 0x61, count: 100)
            let bomb = TestFrame.block() + entry + [UInt8](repeating: 0x80 | 62, count: 12_000)
            try connection.send(
                TestFrame.preface + TestFrame.bytes(1, flags: 5, stream: 1, bomb)
                    + TestFrame.request(3))
            let frames = try connection.frames { $0.type == 0 && $0.stream == 3 }
            #expect(frames.contains { $0.type == 3 && $0.stream == 1 })
            #expect(frames.last?.payload == Array("hello".utf8))
        }
    }

    @Test func `a field without a name is rejected`() async throws {
        try await TestServer.run(TestRoutes.router(), with: .cleartextHTTP2()) { server in
            let connection = try RawConnection(server.address)
            try connection.send(
                TestFrame.preface + TestFrame.request(1, "GET", "/hello", [("", "x")]))
            let frame = try connection.frames { $0.stream == 1 }.last
            #expect(frame?.payload.first == 0x8C || frame?.code == 1)
        }
    }

    @Test func `a client that never reads holds little memory and is disconnected`() async throws {
        let hasty = ServerConfiguration.cleartextHTTP2 { $0.limits.writeStallMilliseconds = 200 }
        try await TestServer.run(TestRoutes.router(), with: hasty) { server in
            let connection = try RawConnection(server.address, receiveBuffer: 4_096)
            try connection.send(
                TestFrame.preface + TestFrame.bytes(4, [0, 4] + TestFrame.number(1 << 30))
                    + TestFrame.bytes(8, TestFrame.number(1 << 30)))
            let body = [UInt8](repeating: 1, count: 16_000)
            for index in 0..<100 as Range<UInt32> {
                let stream = 2 * index + 1
                _ = connection.sendSome(
                    TestFrame.request(stream, "POST", "/echo", isLast: false)
                        + TestFrame.bytes(0, stream: stream, body)
                        + TestFrame.bytes(0, flags: 1, stream: stream, body))
            }
            #expect(await eventually { server.server.connectionCount == 0 })
            #expect(server.server.bodyBytes == 0)
        }
    }
}
