import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Bodies of requests over HTTP/2: their limits, and how handlers read them.
@Suite struct HTTP2BodyTests {
    private static func counting(_ pieces: Lock<[Int]> = Lock([])) throws -> HTTPRouter {
        try TestRoutes.router { routes in
            routes.on(.post, "/count", body: .streamed) { request, context in
                guard !request.fields.contains(.accept) else { return HTTPResponse(.notAcceptable) }
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

    private func start(
        _ server: TestServer, _ path: String, _ fields: [(String, String)] = []
    ) throws -> RawConnection {
        let connection = try RawConnection(server.address)
        try connection.send(
            TestFrame.preface + TestFrame.request(1, "POST", path, isLast: false, fields))
        return connection
    }

    private func text(_ frames: [ReceivedFrame]) -> String {
        String(
            decoding: frames.filter { $0.type == 0 && $0.stream == 1 }.flatMap(\.payload),
            as: UTF8.self)
    }

    @Test func `a body is read while it arrives, and trailers are discarded`() async throws {
        let pieces = Lock<[Int]>([])
        try await TestServer.run(Self.counting(pieces), with: .cleartextHTTP2()) { server in
            let connection = try start(server, "/count")
            try connection.send(TestFrame.bytes(0, stream: 1, Array("abc".utf8)))
            #expect(await eventually { pieces.withLock { $0 } == [3] })
            try connection.send(
                TestFrame.bytes(0, stream: 1, Array("def".utf8))
                    + TestFrame.bytes(1, flags: 5, stream: 1, TestFrame.field("x-sum", "1")))
            #expect(text(try connection.frames { $0.type == 0 }) == "6")
            #expect(server.server.bodyBytes == 0)
        }
    }

    @Test func `a body is requested when the handler wants it`() async throws {
        try await TestServer.run(Self.counting(), with: .cleartextHTTP2()) { server in
            let connection = try start(server, "/count", [("expect", "100-continue")])
            // An interim response does not end the stream.
            #expect(try connection.frames { $0.type == 1 }.last?.flags == 4)
            try connection.send(TestFrame.bytes(0, flags: 1, stream: 1, Array("hello".utf8)))
            #expect(text(try connection.frames { $0.type == 0 }) == "5")
        }
    }

    @Test func `a client whose body is not wanted is told to stop`() async throws {
        try await TestServer.run(Self.counting(), with: .cleartextHTTP2()) { server in
            let connection = try start(server, "/count", [("accept", "x")])
            let frames = try connection.frames { $0.type == 3 }
            #expect(frames.contains { $0.type == 1 && $0.flags & 1 == 1 })
            #expect(frames.last?.code == 0)
            // The connection goes on.
            try connection.send(TestFrame.request(3))
            #expect(try connection.frames { $0.type == 0 && $0.stream == 3 }.last?.type == 0)
        }
    }

    @Test(arguments: [
        ([("content-length", "5")], [], "413"), ([], Array("abcde".utf8), "413"),
        ([("content-length", "3")], Array("ab".utf8), "408"),
    ])
    func `the limits of bodies hold`(
        fields: [(String, String)], body: [UInt8], status: String
    ) async throws {
        let limited = ServerConfiguration.cleartextHTTP2 {
            $0.limits.message.bodyBytes = 4
            // Bodies that are rejected for other reasons arrive in time.
            $0.limits.bodyGraceMilliseconds =
                status == "408" ? 200 : Int64(Patience.seconds) * 1_000
            $0.rejections = { HTTPResponse($0.status, body: .bytes(Array("\($0.status)".utf8))) }
        }
        for path in ["/count", "/echo"] {
            try await TestServer.run(Self.counting(), with: limited) { server in
                let connection = try start(server, path, fields)
                if !body.isEmpty { try connection.send(TestFrame.bytes(0, stream: 1, body)) }
                let frames = try connection.frames { $0.type == 3 }
                #expect(text(frames).hasPrefix(status) || text(frames) == "failed")
                #expect(frames.last?.code == 0)
            }
        }
    }

    @Test func `bodies in memory are bounded over all streams`() async throws {
        let small = ServerConfiguration.cleartextHTTP2 {
            $0.limits.bodyMemoryBytes = 128 << 10
            $0.rejections = { HTTPResponse($0.status, body: .bytes(Array("\($0.status)".utf8))) }
        }
        try await TestServer.run(Self.counting(), with: small) { server in
            let connection = try start(server, "/echo")
            let piece = [UInt8](repeating: 1, count: 16_000)
            for stream in [1, 3, 5] as [UInt32] {
                if stream > 1 {
                    try connection.send(TestFrame.request(stream, "POST", "/echo", isLast: false))
                }
                for _ in 0..<3 { try connection.send(TestFrame.bytes(0, stream: stream, piece)) }
            }
            let frames = try connection.frames { $0.type == 3 }
            let rejected = frames.filter { $0.type == 0 }.flatMap(\.payload)
            #expect(String(decoding: rejected, as: UTF8.self).hasPrefix("503"))
            #expect(server.server.bodyBytes <= 128 << 10)
            connection.close()
            #expect(await eventually { server.server.bodyBytes == 0 })
        }
    }

    @Test func `a client that disappears releases what it has sent`() async throws {
        try await TestServer.run(Self.counting(), with: .cleartextHTTP2()) { server in
            let connection = try start(server, "/echo")
            try connection.send(TestFrame.bytes(0, stream: 1, [1, 2, 3]))
            #expect(await eventually { server.server.bodyBytes == 3 })
            connection.reset()
            #expect(await eventually { server.server.bodyBytes == 0 })
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }
}
