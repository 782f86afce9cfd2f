import BroadsheetHTTP
import BroadsheetTestSupport

/// A stream of requests; the first byte determines how the rest is split.
enum RequestLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let bytes = Array(input.dropFirst())
        var receiver = Receiver(limits: limits)
        receiver.take(bytes[...])
        let whole = receiver.result
        laws.expect(!receiver.isOverrun, "no step consumes more than its input")
        laws.expect(
            Receiver.receive(input.piecesBehindFirst, limits: limits) == whole,
            "the same bytes give the same requests in any pieces")
        laws.expect(
            whole.statusCode.map { (400...599).contains($0) } ?? true, "an error has a status")
        for request in whole.requests {
            for doubt in SmugglingOracle.doubts(request) { laws.expect(false, doubt) }
            checkPrinted(request, &laws)
        }
        return laws.broken
    }

    /// Small limits, so that inputs of a few hundred bytes reach them.
    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.requestLineBytes = 200
        limits.fieldBytes = 300
        limits.fields = 8
        limits.bodyBytes = 400
        limits.chunkLineBytes = 40
        return limits
    }

    /// An accepted request has the same meaning for the next party when it is forwarded.
    private static func checkPrinted(_ request: ReceivedRequest, _ laws: inout ViolationCollector) {
        let printed = RequestSerializer.bytes(
            of: HTTPRequest(
                request.head.method, request.head.target, version: request.head.version,
                fields: request.head.fields, body: request.body))
        let again = Receiver.receive([printed[...]])
        guard let second = again.requests.first, again.requests.count == 1 else {
            laws.expect(false, "a printed request is one request")
            return
        }
        laws.expect(second.head.method == request.head.method, "a printed method is the same")
        laws.expect(second.head.target == request.head.target, "a printed target is the same")
        laws.expect(second.body == request.body, "a printed body is the same")
        if let segments = try? request.head.target.segments() {
            laws.expect(
                !segments.contains { $0 == "." || $0 == ".." || $0.utf8.contains(0) },
                "no handler sees a dot segment or NUL")
        }
    }
}
