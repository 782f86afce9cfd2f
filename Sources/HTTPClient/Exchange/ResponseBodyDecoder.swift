import HTTP

/// The body of one answer while it comes: out of its framing, and out of gzip.
struct ResponseBodyDecoder {
    private let framing: BodyFraming
    private let limitBytes: Int
    private var decoder: BodyDecoder
    private let gzip: GzipDecoder?
    /// What came out of the framing, and how far gzip has looked at it.
    private var (coded, position): ([UInt8], Int) = ([], 0)
    private var hasMoreInside = false
    private var decodedBytes = 0
    private var isOver: Bool

    /// - Parameter gzip: takes the coding off; `nil`: there is none.
    /// - Throws: `tooLarge`, if the head announces so much.
    init(
        _ framing: BodyFraming, _ gzip: GzipDecoder?, limitBytes: Int
    ) throws(HTTPClientError) {
        self.framing = framing
        self.gzip = gzip
        self.limitBytes = limitBytes
        var limits = HTTPLimits()
        limits.bodyBytes = limitBytes
        do throws(HTTPParseError) {
            decoder = try BodyDecoder(framing, limits: limits)
        } catch { throw Self.error(error, limitBytes) }
        isOver = decoder.isComplete
        gzip?.begin()
    }

    /// Whether nothing comes out of it any more before more was received.
    var needsMore: Bool { !isOver && !hasMoreInside }

    /// Whether all of it was taken out.
    var isComplete: Bool { isOver && !hasMoreInside }

    /// The bytes that the head announces, as they will be taken out.
    var length: Int? {
        if gzip == nil, case .length(let length) = framing { length } else { nil }
    }

    /// Takes out what can be; with gzip, as far as one step of it goes.
    ///
    /// - Parameter received: what was received and not looked at yet.
    mutating func decode(
        _ received: ReceiveBuffer, into body: inout [UInt8]
    ) throws(HTTPClientError) {
        guard let gzip else { return try unframe(received, into: &body) }
        if !hasMoreInside, !isOver {
            var unframed: [UInt8] = []
            try unframe(received, into: &unframed)
            (coded, position) = (unframed, 0)
        }
        let before = body.count
        hasMoreInside = try gzip.step(coded, &position, into: &body)
        decodedBytes += body.count - before
        guard decodedBytes <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
        try checkEnd()
    }

    /// The peer has ended the connection: for some bodies, that is their end (RFC 9112 §6.3).
    mutating func close() throws(HTTPClientError) {
        guard framing == .untilClose else { throw .disconnected }
        isOver = true
        try checkEnd()
    }

    private func checkEnd() throws(HTTPClientError) {
        guard isComplete, let gzip, !gzip.isWhole else { return }
        throw .malformed("a truncated gzip body")
    }

    private mutating func unframe(
        _ received: ReceiveBuffer, into bytes: inout [UInt8]
    ) throws(HTTPClientError) {
        do throws(HTTPParseError) {
            received.use(try decoder.decode(Span(_unsafeElements: received.bytes), into: &bytes))
        } catch { throw Self.error(error, limitBytes) }
        isOver = decoder.isComplete
    }

    private static func error(_ error: HTTPParseError, _ limitBytes: Int) -> HTTPClientError {
        error.status == .contentTooLarge
            ? .tooLarge(limitBytes: limitBytes) : .malformed(error.detail)
    }
}
