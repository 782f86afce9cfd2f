import BroadsheetHTTP
import BroadsheetHTTP2

/// The octets that a client sends on an HTTP/2 connection after its preface; the first byte
/// determines the way in which the rest is split.
enum HTTP2Laws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let bytes = HTTP2Session.clientPreface + input.dropFirst()
        let whole = Reception([bytes[...]])
        let pieces = Reception([HTTP2Session.clientPreface[...]] + input.piecesBehindFirst)
        // A flood is noticed sooner or later, depending on the pieces.
        if !whole.isFlooded, !pieces.isFlooded {
            laws.expect(whole.lines == pieces.lines, "the same bytes mean the same in any pieces")
        }
        laws.expect(whole.streams.allSatisfy { $0 % 2 == 1 }, "clients open odd streams")
        laws.expect(
            zip(whole.streams, whole.streams.dropFirst()).allSatisfy(<),
            "the number of a stream is larger than those before")
        for head in whole.heads { check(head, &laws) }
        whole.respond()
        return laws.broken
    }

    /// A request that is accepted could have been one of HTTP/1.1.
    private static func check(_ head: RequestHead, _ laws: inout ViolationCollector) {
        let printed = RequestSerializer.bytes(
            of: HTTPRequest(head.method, head.target, version: .http11, fields: head.fields))[...]
        var parser = RequestParser()
        guard let again = try? parser.parse(printed.span) else {
            return laws.expect(false, "a printed request is valid")
        }
        laws.expect(again.method == head.method, "a printed method is the same")
        laws.expect(again.target == head.target, "a printed target is the same")
        laws.expect(parser.consumed <= printed.count, "a printed request is one request")
    }

    /// A server's session and what it has learned.
    private final class Reception {
        private let session = HTTP2Session(.server)
        private(set) var lines: [String] = []
        private(set) var streams: [Int32] = []
        private(set) var heads: [RequestHead] = []
        private(set) var isFlooded = false
        private var counts: [Int32: Int] = [:]

        init(_ pieces: [ArraySlice<UInt8>]) {
            for piece in pieces {
                do throws(HTTP2Error) {
                    try receive(piece)
                } catch {
                    isFlooded = error != .badPreface
                    break
                }
            }
        }

        private func receive(_ piece: ArraySlice<UInt8>) throws(HTTP2Error) {
            let bytes = Array(piece)
            let result = bytes.withUnsafeBytes { bytes -> Result<Void, HTTP2Error> in
                do throws(HTTP2Error) {
                    return .success(try session.receive(bytes, now: 0))
                } catch { return .failure(error) }
            }
            for event in session.takeEvents() { note(event) }
            try result.get()
        }

        private func note(_ event: HTTP2Event) {
            switch event {
            case .request(let stream, let head, _, let isLast):
                streams.append(stream)
                heads.append(head)
                lines.append("\(stream): \(head.method.rawValue) \(head.target) \(isLast)")
            case .badRequest(let stream, let error, _, _):
                streams.append(stream)
                lines.append("\(stream): \(error.status)")
            case .data(let stream, let bytes): counts[stream, default: 0] += bytes.count
            // Of a body that never ends or is longer than was said, the pieces determine how much
            // is passed on before the stream is reset.
            case .received(let stream): lines.append("\(stream): \(counts[stream] ?? 0) bytes")
            default: break
            }
        }

        /// Responds to everything, and writes what there is.
        func respond() {
            for stream in streams {
                var fields = HTTP2Fields()
                fields.append(":status", "200")
                session.respond(on: stream, [fields], HTTP2Body([1, 2, 3], isLast: true))
                session.consumed(counts[stream] ?? 0, on: stream)
            }
            var output: [UInt8] = []
            try? session.write(to: &output, upTo: 1 << 20)
            _ = session.takeEvents()
        }
    }
}
