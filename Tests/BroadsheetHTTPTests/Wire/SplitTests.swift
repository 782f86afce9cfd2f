import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite("Messages do not depend on how bytes are split")
struct SplitTests {
    /// Each stream by name; and each rejected request after a valid one.
    static let streams: [(what: String, text: String)] =
        AcceptedRequests.all.map { ($0.what, $0.text) }
        + RejectedRequests.all.map { ($0.what, $0.text) }
        + RejectedRequests.all.filter { $0.text.utf8.count < 300 }.map {
            ("\($0.what), behind a good one", lines("GET /first HTTP/1.1", "Host: a") + $0.text)
        }

    @Test func `requests do not depend on how they are split`() {
        for (what, text) in Self.streams {
            let bytes = Array(text.utf8)
            let whole = Receiver.receive([bytes[...]])
            // A long text is split everywhere near its ends, and at some positions in between.
            let stride = 1 + bytes.count / 1_000 * 97
            for cut in 0...bytes.count
            where cut < 40 || bytes.count < 400 || cut % stride == 0 || cut + 40 > bytes.count {
                if Receiver.receive([bytes[..<cut], bytes[cut...]]) != whole {
                    Issue.record("\(what), cut at \(cut)")
                }
            }
            #expect(Receiver.receive(bytes.indices.map { bytes[$0...$0] }) == whole, "\(what)")
        }
    }

    @Test func `bodies do not depend on how they are split`() throws {
        let bytes = Array(
            "3;a=\"b\"\r\nabc\r\n00000A\r\n0123456789\r\n0\r\nX: y\r\n\r\nnext".utf8)
        for length in 1...bytes.count {
            var decoder = try BodyDecoder(.chunked)
            var body: [UInt8] = []
            var used = 0
            while !decoder.isComplete {
                let piece = bytes[used..<min(used + length, bytes.count)]
                used += try decoder.decode(piece.span, into: &body)
            }
            #expect(body == Array("abc0123456789".utf8))
            #expect(used == bytes.count - 4)
            #expect(decoder.length == 13)
        }
    }
}
