import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetTestSupport
import Testing

struct SessionExample {
    @Test func `a server responds to a request`() throws {
        let bytes = TestFrame.preface + TestFrame.bytes(1, flags: 5, stream: 1, TestFrame.block())
        var output: [UInt8] = []
        try bytes.withUnsafeBytes { bytes in
            let session = HTTP2Session(.server)
            try session.receive(bytes, now: 0)
            for event in session.takeEvents() {
                guard case .request(let stream, let head, _, _) = event else { continue }
                var fields = HTTP2Fields()
                fields.append(":status", head.method == .get ? "204" : "405")
                session.respond(on: stream, [fields])
            }
            try session.write(to: &output, upTo: 65_536)
        }
        // The last frame is a field block whose only field is the 204 of the static table.
        #expect(output.suffix(10) == TestFrame.bytes(1, flags: 5, stream: 1, [0x89])[...])
    }
}
