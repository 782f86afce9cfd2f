import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetTestSupport
import Testing

/// Peers that cause work without transporting anything.
struct FloodTests {
    /// Returns the number of these octets that a server takes before it cuts the client off; `nil`:
    /// all.
    private func taken(_ pieces: [[UInt8]], most: Int) throws -> Int? {
        let server = HTTP2Session(.server)
        try SessionPair.pass(TestFrame.preface, to: server)
        for count in 0..<most {
            do {
                try SessionPair.pass(pieces[count % pieces.count], to: server)
                _ = try SessionPair.output(of: server)
                _ = server.takeEvents()
            } catch {
                #expect(error as? HTTP2Error == .flooded)
                return count
            }
        }
        return nil
    }

    private static let headers = TestFrame.bytes(1, flags: 4, stream: 1, TestFrame.block("POST"))

    @Test(arguments: [
        TestFrame.bytes(6, [1, 2, 3, 4, 5, 6, 7, 8]), TestFrame.bytes(4),
        TestFrame.bytes(2, stream: 3, [0, 0, 0, 0, 9]),
        TestFrame.bytes(16, [0, 0, 0, 3] + Array("u=1".utf8)), TestFrame.bytes(8, [0, 0, 0, 1]),
    ])
    func `frames that transport nothing are bounded`(piece: [UInt8]) throws {
        let count = try #require(try taken([piece], most: 3_000))
        #expect(count <= 2_001)
    }

    @Test func `frames of unknown types are ignored up to a limit`() throws {
        let count = try #require(try taken([TestFrame.bytes(0xAB, [1, 2])], most: 10_000))
        #expect(count > 300 && count < 4_000)
    }

    @Test func `empty and tiny data is bounded`() throws {
        for payload in [[], [1]] as [[UInt8]] {
            let server = HTTP2Session(.server)
            try SessionPair.pass(TestFrame.preface + Self.headers, to: server)
            #expect(throws: HTTP2Error.flooded) {
                for _ in 0..<3_000 {
                    try SessionPair.pass(TestFrame.bytes(0, stream: 1, payload), to: server)
                    server.consumed(payload.count, on: 1)
                }
            }
        }
    }

    @Test func `a field block without an end is bounded`() throws {
        let server = HTTP2Session(.server)
        try SessionPair.pass(
            TestFrame.preface + TestFrame.bytes(1, stream: 1, TestFrame.block("GET", "/")),
            to: server)
        #expect(throws: (any Error).self) {
            for _ in 0..<1_000 { try SessionPair.pass(TestFrame.bytes(9, stream: 1), to: server) }
        }
    }

    @Test func `requests that are reset at once are bounded`() throws {
        let server = HTTP2Session(.server)
        try SessionPair.pass(TestFrame.preface, to: server)
        var count = 0
        #expect(throws: HTTP2Error.flooded) {
            for index in 0..<1_000 as Range<UInt32> {
                let stream = 2 * index + 1
                try SessionPair.pass(
                    TestFrame.bytes(1, flags: 5, stream: stream, TestFrame.block())
                        + TestFrame.bytes(3, stream: stream, [0, 0, 0, 8]), to: server)
                count += 1
            }
        }
        #expect(count <= 400)
    }

    @Test func `streams that the server is made to reset are bounded`() throws {
        let server = HTTP2Session(.server)
        try SessionPair.pass(TestFrame.preface, to: server)
        #expect(throws: HTTP2Error.flooded) {
            for index in 0..<1_000 as Range<UInt32> {
                let malformed = TestFrame.block("GET", "/", [("Upper", "case")])
                try SessionPair.pass(
                    TestFrame.bytes(1, flags: 5, stream: 2 * index + 1, malformed), to: server)
                _ = try SessionPair.output(of: server)
            }
        }
    }

    @Test func `fields that expand to more than the limit reset their stream`() throws {
        let server = HTTP2Session(.server)
        let large = String(repeating: "a", count: 100)
        // One field goes to the table (RFC 7541 §6.2.1), and one octet for each repetition.
        let entry = [0x40, 1, UInt8(ascii: "x"), 100] + Array(large.utf8)
        let bomb = TestFrame.block() + entry + [UInt8](repeating: 0x80 | 62, count: 12_000)
        try SessionPair.pass(
            TestFrame.preface + TestFrame.bytes(1, flags: 5, stream: 1, bomb), to: server)
        _ = try SessionPair.output(of: server)
        let events = server.takeEvents()
        let isRequest = events.contains { if case .request = $0 { true } else { false } }
        #expect(!isRequest)
        let isReset = events.contains { if case .closed(1, _) = $0 { true } else { false } }
        #expect(isReset)
    }

    @Test func `a client that keeps to the usual is not cut off`() throws {
        let server = HTTP2Session(.server)
        try SessionPair.pass(TestFrame.preface, to: server)
        var now: Int64 = 0
        for index in 0..<5_000 as Range<UInt32> {
            let stream = 2 * index + 1
            now += 1
            try SessionPair.pass(
                TestFrame.bytes(1, flags: 5, stream: stream, TestFrame.block())
                    + TestFrame.bytes(8, [0, 0, 1, 0])
                    + TestFrame.bytes(16, [0, 0, 0, 3] + Array("u=1".utf8)),
                to: server, now: now)
            var fields = HTTP2Fields()
            fields.append(":status", "204")
            server.respond(on: Int32(stream), [fields])
            _ = try SessionPair.output(of: server)
            _ = server.takeEvents()
        }
    }
}
