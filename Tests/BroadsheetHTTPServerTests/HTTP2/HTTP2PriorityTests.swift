import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// In which order the responses of a connection are sent (RFC 9218), and that no connection takes
/// the turns of others.
@Suite struct HTTP2PriorityTests {
    private static let bodyBytes = 100_000
    /// The initial window of a connection (RFC 9113 §6.9.2).
    private static let windowBytes = 65_535

    private static func router(bodyBytes: Int = bodyBytes) throws -> HTTPRouter {
        let body = [UInt8](repeating: 1, count: bodyBytes)
        return try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in HTTPResponse(.ok, body: .bytes(body)) }
        }
    }

    /// A client whose first stream has used up the window of the connection; that of each stream is
    /// larger than a body.
    private func client(
        _ server: TestServer, first priority: String? = nil
    ) throws -> RawConnection {
        let connection = try RawConnection(server.address)
        let window = [0, 4] + TestFrame.number(1 << 20)
        try connection.send(
            TestFrame.preface + TestFrame.bytes(4, window)
                + Self.large(1, priority))
        var received = 0
        while received < Self.windowBytes, let frame = try connection.frame() {
            if frame.type == 0 { received += frame.payload.count }
        }
        return connection
    }

    private static func large(_ stream: UInt32, _ priority: String?) -> [UInt8] {
        TestFrame.request(stream, "GET", "/large", priority.map { [("priority", $0)] } ?? [])
    }

    /// The order in which streams are sent once the window is open; streams that alternate are
    /// named each time.
    private func order(
        on connection: RawConnection, streams: Int, _ last: [UInt8] = []
    ) throws -> [UInt32] {
        // Heads are not subject to windows; once they are here, the bodies wait.
        for _ in 1..<streams { _ = try connection.frames { $0.type == 1 } }
        try connection.send(last + TestFrame.bytes(8, TestFrame.number(1 << 24)))
        var order: [UInt32] = []
        var ended = 0
        while ended < streams, let frame = try connection.frame() {
            guard frame.type == 0 else { continue }
            if order.last != frame.stream { order.append(frame.stream) }
            if frame.flags & 1 == 1 { ended += 1 }
        }
        return order
    }

    @Test func `urgent streams are sent before others, and each without interruption`()
        async throws
    {
        try await TestServer.run(Self.router(), with: .cleartextHTTP2()) { server in
            let connection = try client(server)
            try connection.send(
                Self.large(3, "u=6") + Self.large(5, "u=0") + Self.large(7, nil)
                    + Self.large(9, "u=1"))
            #expect(try order(on: connection, streams: 5) == [5, 9, 1, 7, 3])
        }
    }

    @Test func `incremental streams take turns`() async throws {
        try await TestServer.run(Self.router(), with: .cleartextHTTP2()) { server in
            let connection = try client(server, first: "u=0")
            try connection.send(Self.large(3, "i") + Self.large(5, "i"))
            let order = try order(on: connection, streams: 3)
            #expect(order.first == 1 && order.count > 8)
            #expect(Set(order.dropFirst()) == [3, 5])
        }
    }

    @Test func `PRIORITY_UPDATE changes the priority of a stream`() async throws {
        try await TestServer.run(Self.router(), with: .cleartextHTTP2()) { server in
            let connection = try client(server)
            try connection.send(Self.large(3, nil) + Self.large(5, nil))
            // RFC 9218 §7.1
            let update = TestFrame.bytes(16, TestFrame.number(5) + Array("u=0".utf8))
            #expect(try order(on: connection, streams: 3, update) == [5, 1, 3])
        }
    }

    @Test(arguments: ["u=9", "u=", "i=2", "\u{1}", "u=0;x, ???", ""])
    func `an invalid priority is ignored`(priority: String) async throws {
        try await TestServer.run(Self.router(), with: .cleartextHTTP2()) { server in
            let connection = try client(server)
            try connection.send(Self.large(3, "u=2"))
            let update = TestFrame.bytes(16, TestFrame.number(3) + Array(priority.utf8))
            #expect(try order(on: connection, streams: 2, update).count == 2)
        }
    }

    @Test func `a busy connection does not starve others`()
        async throws
    {
        let configuration = ServerConfiguration.cleartextHTTP2 { $0.loops = 1 }
        let router = try Self.router(bodyBytes: 4 << 20)
        try await TestServer.run(router, with: configuration) { server in
            let modest = try TestHTTP2Client(RawConnection(server.address))
            let isOver = Lock(false)
            let received = Lock(0)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    let greedy = try RawConnection(server.address)
                    let window = [0, 4] + TestFrame.number(1 << 30)
                    try greedy.send(
                        TestFrame.preface + TestFrame.bytes(4, window)
                            + TestFrame.bytes(8, TestFrame.number(1 << 30)))
                    var next = UInt32(1)
                    // Invariant: eight streams have not ended.
                    for _ in 0..<8 { try greedy.send(Self.following(&next)) }
                    while !isOver.withLock({ $0 }), let frame = try greedy.frame() {
                        received.withLock { $0 += frame.payload.count }
                        if frame.type == 0, frame.flags & 1 == 1 {
                            try greedy.send(
                                TestFrame.bytes(8, TestFrame.number(4 << 20))
                                    + Self.following(&next))
                        }
                    }
                }
                defer { isOver.withLock { $0 = true } }
                #expect(await eventually { received.withLock { $0 } > 0 })
                for _ in 0..<20 {
                    #expect(try modest.exchange(.get, "/hello").status == 200)
                }
                isOver.withLock { $0 = true }
                try await group.waitForAll()
            }
        }
    }

    /// A request on the next stream.
    private static func following(_ stream: inout UInt32) -> [UInt8] {
        defer { stream += 2 }
        return large(stream, nil)
    }
}
