import HTTP

/// Decodes the body of one response while it is received: its framing, then gzip.
struct ResponseBodyDecoder {
    private let framing: BodyFraming
    private let limitBytes: Int
    private var decoder: BodyDecoder
    private let gzip: GzipDecoder?
    /// Output of the framing, and how much of it gzip has consumed.
    private var (coded, position): ([UInt8], Int) = ([], 0)
    private var hasMoreInside = false
    private var decodedBytes = 0
    private var isOver: Bool

    /// - Parameter gzip: Decodes gzip; `nil` if the body has no content coding.
    /// - Throws: `tooLarge` if the head announces more than the limit.
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

    /// Whether more input is needed before there is more output.
    var needsMore: Bool { !isOver && !hasMoreInside }

    /// Whether the whole body has been decoded.
    var isComplete: Bool { isOver && !hasMoreInside }

    /// The announced length of the decoded body.
    var length: Int? {
        if gzip == nil, case .length(let length) = framing { length } else { nil }
    }

    /// Decodes what is possible; with gzip, one step of it.
    ///
    /// - Parameter received: Bytes that were received but not consumed.
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

    /// The peer has closed the connection, which delimits some bodies (RFC 9112 §6.3).
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
