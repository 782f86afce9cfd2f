import BroadsheetHTTP
import CBroadsheetZlib

/// Decodes the body of one response while it is received: its framing, then its content
/// coding.
struct ResponseBodyDecoder {
    private let framing: BodyFraming
    private let limitBytes: Int
    private var decoder: BodyDecoder
    private let content: ContentDecoder?
    /// The output of the framing, and the number of its bytes that the content coding has consumed.
    private var (coded, position): ([UInt8], Int) = ([], 0)
    private var hasMoreInside = false
    private var decodedBytes = 0
    private var isOver: Bool

    /// - Parameter content: Decodes the content coding, from its beginning; `nil` without one.
    /// - Throws: `tooLarge` if the head announces more than the limit.
    init(
        _ framing: BodyFraming, _ content: ContentDecoder?, limitBytes: Int
    ) throws(HTTPClientError) {
        self.framing = framing
        self.content = content
        self.limitBytes = limitBytes
        var limits = HTTPLimits()
        limits.bodyBytes = limitBytes
        do throws(HTTPParseError) {
            decoder = try BodyDecoder(framing, limits: limits)
        } catch { throw Self.error(error, limitBytes) }
        isOver = decoder.isComplete
    }

    /// True if more input is needed before there is more output.
    var needsMore: Bool { !isOver && !hasMoreInside }

    /// True if the whole body has been decoded.
    var isComplete: Bool { isOver && !hasMoreInside }

    /// The announced length of the decoded body.
    var length: Int? {
        if content == nil, case .length(let length) = framing { length } else { nil }
    }

    /// The maximum bytes reserved for a body before any of it has arrived.
    static let reservedBytes = 256 << 10

    /// Decodes as much as possible; with a content coding, one step of it.
    ///
    /// - Parameter received: Bytes that were received but not consumed.
    /// - Returns: The number of them that were consumed.
    mutating func decode(
        _ received: borrowing Span<UInt8>, into body: inout [UInt8]
    ) throws(HTTPClientError) -> Int {
        guard let content else { return try unframe(received, into: &body) }
        var consumed = 0
        if !hasMoreInside, !isOver {
            var unframed: [UInt8] = []
            consumed = try unframe(received, into: &unframed)
            (coded, position) = (unframed, 0)
        }
        let before = body.count
        hasMoreInside = try content.step(coded, &position, into: &body)
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
        guard isComplete, let content, !content.isWhole else { return }
        throw .malformed("a truncated \(content.coding) body")
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
    /// Returns the response of a head without its body, and the decoder of the body.
    ///
    /// - Parameter decoder: Created for the first coded body and reused for later ones.
    /// - Throws: `tooLarge` if the head announces more than the limit.
    func begin(
        _ head: ResponseHead, _ decoder: inout ContentDecoder?
    ) throws(HTTPClientError) -> (HTTPResponse, ResponseBodyDecoder) {
        var response = HTTPResponse(head.status, fields: head.fields)
        guard decodesGzip, let coding = head.contentCoding else {
            return (response, try ResponseBodyDecoder(head.framing, nil, limitBytes: bodyBytes))
        }
        if decoder == nil { decoder = ContentDecoder() }
        guard let decoder else { throw .malformed("a body that exhausts memory") }
        decoder.begin(coding)
        // They describe the encoded body, which the caller does not see.
        response.fields.remove(.contentEncoding)
        response.fields.remove(.contentLength)
        return (response, try ResponseBodyDecoder(head.framing, decoder, limitBytes: bodyBytes))
    }
}

extension ResponseHead {
    /// The only content coding of the body that follows (RFC 9110 §8.4.1); `nil` if there are none
    /// or several, or it cannot be decoded.
    fileprivate var contentCoding: ContentDecoder.Coding? {
        guard framing != .none else { return nil }
        return switch fields.combined(.contentEncoding)?.lowercased() {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }
}

/// Decodes the content coding of a body in bounded pieces.
final class ContentDecoder {
    enum Coding: String {
        /// RFC 1952
        case gzip
        /// RFC 1950; some servers send the data inside it (RFC 1951). It is never asked for.
        case deflate
    }

    // zlib keeps the address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutableBufferPointer<UInt8>
    private(set) var coding = Coding.gzip
    private var state = State.start

    private enum State {
        case start
        /// In a member; only gzip has several.
        case member(isFirst: Bool)
        case behindMember
        /// Bytes after the last member are ignored, as browsers ignore them.
        case ignoring
    }

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
    func begin(_ coding: Coding) {
        self.coding = coding
        state = .start
    }

    /// True if the input so far is a complete body. An empty input is an empty body, and a single
    /// byte behind a member is not another member.
    var isWhole: Bool {
        guard case .member(let isFirst) = state else { return true }
        return !isFirst && stream.pointee.total_in < 2
    }

    /// Decodes the input from `position` on, up to one step's output.
    ///
    /// - Returns: True if this input has more output.
    /// - Throws: `malformed` if the input is not valid.
    func step(
        _ input: [UInt8], _ position: inout Int, into output: inout [UInt8]
    ) throws(HTTPClientError) -> Bool {
        beginMember(input, &position)
        guard case .member(let isFirst) = state else { return false }
        switch inflate(input, &position, into: &output) {
        case Z_STREAM_END:
            state = .behindMember
            return position < input.count
        case Z_OK: return position < input.count || stream.pointee.avail_out == 0
        // All output of the input has been produced.
        case Z_BUF_ERROR: return false
        case Z_MEM_ERROR: throw .malformed("a \(coding) body that exhausts memory")
        case Z_DATA_ERROR where !isFirst && stream.pointee.total_in == 2:
            // These two bytes begin no member.
            state = .ignoring
            position = input.count
            return false
        default: throw .malformed("a body that is not valid \(coding)")
        }
    }

    /// Begins a member if the input has one here; otherwise skips bytes that do not matter.
    private func beginMember(_ input: [UInt8], _ position: inout Int) {
        guard position < input.count else { return }
        switch state {
        case .start:
            inflateReset2(stream, windowBits(of: input[position]))
            state = .member(isFirst: true)
        case .member: break
        case .behindMember where coding == .gzip && input[position] == 0x1F:
            // Members may follow each other (RFC 1952 §2.2).
            inflateReset(stream)
            state = .member(isFirst: false)
        case .behindMember, .ignoring:
            state = .ignoring
            position = input.count
        }
    }

    /// The format of a body with this first byte, as `inflateInit2` has it. That of zlib's header
    /// begins no block of the bare format that a compressor would write.
    private func windowBits(of first: UInt8) -> Int32 {
        switch coding {
        case .gzip: 15 + 16
        case .deflate: first & 0xF == 8 && first < 0x80 ? 15 : -15
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
            let code = CBroadsheetZlib.inflate(stream, Z_NO_FLUSH)
            position += Int(offered - stream.pointee.avail_in)
            output.append(
                contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
            stream.pointee.next_in = nil
            return code
        }
    }
}
