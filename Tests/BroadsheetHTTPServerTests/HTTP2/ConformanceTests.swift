import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

/// The table of ``ConformanceCase`` against a server.
@Suite struct ConformanceTests {
    @Test func `the server does what RFC 9113 and RFC 7541 require`() async throws {
        let configuration = ServerConfiguration.local { $0.takesCleartextHTTP2 = true }
        try await TestServer.run(TestRoutes.router(), with: configuration) { server in
            for row in ConformanceCase.all {
                let connection = try RawConnection(server.address)
                try connection.send(
                    TestFrame.preface + row.octets + TestFrame.bytes(6, Self.lastPing))
                let frames = try connection.frames { Self.decides($0, row.outcome) }
                #expect(
                    Self.holds(row.outcome, frames), "§\(row.section) \(row.name): \(frames)")
            }
        }
    }

    private static let lastPing: [UInt8] = [9, 9, 9, 9, 9, 9, 9, 9]

    /// Returns true if nothing after this frame matters.
    private static func decides(
        _ frame: ReceivedFrame, _ outcome: ConformanceCase.Outcome
    ) -> Bool {
        switch outcome {
        case .served(let stream): frame.type == 0 && frame.stream == stream || frame.type == 7
        case .reset(let stream, _), .malformed(let stream):
            frame.stream == stream || frame.type == 7
        // What is still open by then does not end.
        case .ended: frame.type == 6 && frame.payload == lastPing
        case .frame(let type, let flags, let payload):
            frame.type == type && frame.flags & flags == flags && frame.payload == payload
        }
    }

    private static func holds(
        _ outcome: ConformanceCase.Outcome, _ frames: [ReceivedFrame]
    ) -> Bool {
        guard let last = frames.last else { return false }
        switch outcome {
        case .served(let stream):
            return last.type == 0 && last.stream == stream && last.payload == Array("hello".utf8)
        case .reset(let stream, let code):
            // It may also be treated as an error of the connection (§5.4.1).
            let isOfStream = last.type == 3 && last.stream == stream
            return (isOfStream || last.type == 7) && last.code == code.rawValue
        case .malformed(let stream):
            // 400 by the static table of HPACK.
            let isRejected = last.type == 1 && last.payload.first == 0x8C
            return last.stream == stream && (isRejected || last.type == 3 && last.code == 1)
        case .ended(let codes):
            guard let end = frames.last(where: { $0.type == 7 }) else { return false }
            return codes.contains { $0.rawValue == end.code }
        case .frame: return decides(last, outcome)
        }
    }

    @Test func `every section with a rule for servers is covered`() {
        let sections = Set(ConformanceCase.all.map(\.section))
        for section in [
            "3.4", "4.1", "4.2", "4.3", "5.1", "5.1.1", "6.1", "6.2", "6.3", "6.4", "6.5", "6.5.2",
            "6.6", "6.7", "6.8", "6.9", "6.9.1", "6.9.2", "6.9.3", "6.10", "8.1", "8.1.1", "8.2",
            "8.2.1", "8.2.2", "8.2.3", "8.3", "8.3.1", "8.5", "HPACK 2.3.3", "HPACK 4.2",
            "HPACK 5.1", "HPACK 5.2", "HPACK 6.1", "HPACK 6.2.1", "HPACK 6.2.2", "HPACK 6.2.3",
        ] {
            #expect(sections.contains(section))
        }
    }
}
