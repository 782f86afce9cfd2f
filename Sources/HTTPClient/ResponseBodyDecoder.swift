import CZlib
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

    /// Reserves no memory for what a peer only announces.
    static let reservedBytes = 256 << 10

    /// Decodes what is possible; with gzip, one step of it.
    ///
    /// - Parameter received: Bytes that were received but not consumed.
    /// - Returns: How many of them were consumed.
    mutating func decode(
        _ received: borrowing Span<UInt8>, into body: inout [UInt8]
    ) throws(HTTPClientError) -> Int {
        guard let gzip else { return try unframe(received, into: &body) }
        var consumed = 0
        if !hasMoreInside, !isOver {
            var unframed: [UInt8] = []
            consumed = try unframe(received, into: &unframed)
            (coded, position) = (unframed, 0)
        }
        let before = body.count
        hasMoreInside = try gzip.step(coded, &position, into: &body)
        decodedBytes += body.count - before
        guard decodedBytes <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
        try checkEnd()
        return consumed
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
        _ received: borrowing Span<UInt8>, into bytes: inout [UInt8]
    ) throws(HTTPClientError) -> Int {
        do throws(HTTPParseError) {
            let consumed = try decoder.decode(received, into: &bytes)
            isOver = decoder.isComplete
            return consumed
        } catch { throw Self.error(error, limitBytes) }
    }

    private static func error(_ error: HTTPParseError, _ limitBytes: Int) -> HTTPClientError {
        error.status == .contentTooLarge
            ? .tooLarge(limitBytes: limitBytes) : .malformed(error.detail)
    }
}

extension ExchangeOptions {
    /// The response of a head without its body, and what decodes the body.
    ///
    /// - Parameter gzip: Created for the first gzip body and reused for later ones.
    /// - Throws: `tooLarge` if the head announces more than the limit.
    func begin(
        _ head: ResponseHead, _ gzip: inout GzipDecoder?
    ) throws(HTTPClientError) -> (HTTPResponse, ResponseBodyDecoder) {
        let isCoded = decodesGzip && head.hasGzipBody
        if isCoded, gzip == nil { gzip = GzipDecoder() }
        var response = HTTPResponse(head.status, fields: head.fields)
        if isCoded, gzip != nil {
            // They describe the encoded body, which the caller does not see.
            response.fields.remove(.contentEncoding)
            response.fields.remove(.contentLength)
        }
        let body = try ResponseBodyDecoder(
            head.framing, isCoded ? gzip : nil, limitBytes: bodyBytes)
        return (response, body)
    }
}

extension ResponseHead {
    /// Whether a body follows with gzip as its only content coding (RFC 9110 §8.4.1.3).
    fileprivate var hasGzipBody: Bool {
        guard framing != .none, let coding = fields.combined(.contentEncoding)?.lowercased() else {
            return false
        }
        return coding == "gzip" || coding == "x-gzip"
    }
}

/// Decodes the gzip coding (RFC 1952) of a body in bounded pieces.
final class GzipDecoder {
    // zlib keeps the address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutableBufferPointer<UInt8>
    /// Whether a member has begun, and whether the last one is complete.
    private var (hasBegun, hasEnded) = (false, false)

    /// Maximum output of one step, in bytes.
    static let stepBytes = 32 << 10

    /// `nil` if memory is exhausted (`inflateInit2`).
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        room = .allocate(capacity: Self.stepBytes)
        guard czlib_begin_gunzip(stream) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        room.deallocate()
    }

    /// Resets the decoder for another body.
    func begin() {
        inflateReset(stream)
        (hasBegun, hasEnded) = (false, false)
    }

    /// Whether the input so far is a complete body. No input at all is an empty one.
    var isWhole: Bool { !hasBegun || hasEnded }

    /// Decodes the input from `position` on, up to one step's output.
    ///
    /// - Returns: Whether this input has more output.
    /// - Throws: `malformed` if the input is not valid gzip.
    func step(
        _ input: [UInt8], _ position: inout Int, into output: inout [UInt8]
    ) throws(HTTPClientError) -> Bool {
        if hasEnded, position < input.count {
            // Members may follow each other (§2.2).
            inflateReset(stream)
            hasEnded = false
        }
        guard !hasEnded, position < input.count || hasBegun else { return false }
        hasBegun = true
        let code = inflate(input, &position, into: &output)
        switch code {
        case Z_STREAM_END:
            hasEnded = true
            return position < input.count
        case Z_OK: return position < input.count || stream.pointee.avail_out == 0
        // All output of the input has been produced.
        case Z_BUF_ERROR: return false
        case Z_MEM_ERROR: throw .malformed("a gzip body that exhausts memory")
        default: throw .malformed("a body that is not valid gzip")
        }
    }

    private func inflate(
        _ input: [UInt8], _ position: inout Int, into output: inout [UInt8]
    ) -> Int32 {
        input.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[position...])
            let offered = UInt32(clamping: rest.count)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
            stream.pointee.avail_in = offered
            stream.pointee.next_out = room.baseAddress
            stream.pointee.avail_out = UInt32(room.count)
            let code = CZlib.inflate(stream, Z_NO_FLUSH)
            position += Int(offered - stream.pointee.avail_in)
            output.append(
                contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
            stream.pointee.next_in = nil
            return code
        }
    }
}
