/// Decodes a message body from the bytes after its head (RFC 9112 §6, §7.1), in pieces of any size.
///
/// A value for one body; use it anywhere. It consumes no byte of the next message, and fails with
/// 413 before the body is longer than the limit, and with 400 for malformed chunks. Trailers are
/// discarded.
///
/// ```swift
/// var decoder = try BodyDecoder(.chunked)
/// var body: [UInt8] = []
/// let received = Array("5\r\nhello\r\n0\r\n\r\nGET".utf8)[...]
/// let consumed = try decoder.decode(received.span, into: &body)
/// ```
public struct BodyDecoder: Sendable {
    private enum State: Sendable {
        case length(Int)
        case untilClose
        case size(value: Int, digits: Int)
        case `extension`(ChunkExtension, size: Int)
        case sizeLineFeed(Int)
        case data(Int)
        case dataReturn
        case dataLineFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        case lastLineFeed
        case complete
    }

    private var state: State
    private let limits: HTTPLimits
    private var lineLength = 0
    private var extensionLength = 0
    private var trailerLength = 0
    /// The decoded bytes so far.
    public private(set) var length = 0

    /// - Throws: 413 if the declared length exceeds the limit.
    public init(_ framing: BodyFraming, limits: HTTPLimits = HTTPLimits()) throws(HTTPParseError) {
        self.limits = limits
        switch framing {
        case .none: state = .complete
        case .length(let length):
            guard length <= limits.bodyBytes else { throw Self.tooLarge(limits) }
            state = length > 0 ? .length(length) : .complete
        case .chunked: state = .size(value: 0, digits: 0)
        case .untilClose: state = .untilClose
        }
    }

    /// True if the body is complete.
    public var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Appends the bytes that belong to the body and returns the number of input bytes consumed;
    /// that is fewer than given only when the body is complete.
    public mutating func decode(
        _ bytes: borrowing Span<UInt8>, into body: inout [UInt8]
    ) throws(HTTPParseError) -> Int {
        var position = 0
        // Invariant: the bytes before `position` are consumed; each step consumes at least one.
        while position < bytes.count {
            switch state {
            case .complete: return position
            case .length(let rest):
                let taken = min(rest, bytes.count - position)
                try take(bytes.extracting(position..<(position + taken)), into: &body)
                position += taken
                state = taken == rest ? .complete : .length(rest - taken)
            case .untilClose:
                try take(bytes.extracting(position..<bytes.count), into: &body)
                position = bytes.count
            case .data(let rest):
                let taken = min(rest, bytes.count - position)
                try take(bytes.extracting(position..<(position + taken)), into: &body)
                position += taken
                state = taken == rest ? .dataReturn : .data(rest - taken)
            default:
                try step(bytes[unchecked: position])
                position += 1
            }
        }
        return position
    }

    private mutating func take(
        _ bytes: borrowing Span<UInt8>, into body: inout [UInt8]
    ) throws(HTTPParseError) {
        guard length + bytes.count <= limits.bodyBytes else { throw Self.tooLarge(limits) }
        length += bytes.count
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
    }

    /// Decodes one octet of the chunked framing.
    private mutating func step(_ byte: UInt8) throws(HTTPParseError) {
        switch state {
        case .size(let value, let digits): try stepSize(byte, value, digits)
        case .extension(let place, let size): try stepExtension(byte, place, size)
        case .sizeLineFeed(let size):
            try expectLineFeed(byte)
            lineLength = 0
            state = size == 0 ? .trailerStart : .data(size)
        case .dataReturn:
            guard byte == 0x0D else { throw .bad("a chunk that is longer than its declared size") }
            state = .dataLineFeed
        case .dataLineFeed:
            try expectLineFeed(byte)
            state = .size(value: 0, digits: 0)
        default: try stepTrailer(byte)
        }
    }

    private mutating func stepSize(
        _ byte: UInt8, _ value: Int, _ digits: Int
    ) throws(HTTPParseError) {
        try countLine()
        if let digit = PercentEncoding.hexValue(of: byte) {
            guard value <= Int.max >> 4 else { throw .bad("a chunk size that overflows") }
            let size = value << 4 | Int(digit)
            guard size <= limits.bodyBytes - length else { throw Self.tooLarge(limits) }
            state = .size(value: size, digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .bad("a chunk without a size") }
        switch byte {
        case 0x0D: state = .sizeLineFeed(value)
        case UInt8(ascii: ";"): state = .extension(.beforeName, size: value)
        case 0x20, 0x09: state = .extension(.beforeSemicolon, size: value)
        default: throw .bad("a chunk size that is not a hexadecimal number")
        }
    }

    private mutating func stepExtension(
        _ byte: UInt8, _ place: ChunkExtension, _ size: Int
    ) throws(HTTPParseError) {
        try countLine()
        extensionLength += 1
        guard extensionLength <= limits.fieldBytes else {
            throw .bad("too many bytes of chunk extensions")
        }
        if byte == 0x0D, place.isWhole {
            state = .sizeLineFeed(size)
        } else if let place = place.next(byte) {
            state = .extension(place, size: size)
        } else {
            throw .bad("a malformed chunk extension")
        }
    }

    /// Trailer fields are validated and discarded (RFC 9110 §6.5.1).
    private mutating func stepTrailer(_ byte: UInt8) throws(HTTPParseError) {
        trailerLength += 1
        guard trailerLength <= limits.fieldBytes else {
            throw .bad("too many bytes of trailers")
        }
        switch state {
        case .trailerStart:
            guard byte == 0x0D || Token.contains(byte) else {
                throw .bad("a trailer without a name")
            }
            state = byte == 0x0D ? .lastLineFeed : .trailerName
        case .trailerName:
            guard byte == UInt8(ascii: ":") || Token.contains(byte) else {
                throw .bad("a trailer without a name and a colon")
            }
            if byte == UInt8(ascii: ":") { state = .trailerValue }
        case .trailerValue where byte == 0x0D: state = .trailerLineFeed
        case .trailerValue:
            guard Token.isFieldContent(byte) else { throw .bad("a control character in a trailer") }
        case .trailerLineFeed:
            try expectLineFeed(byte)
            state = .trailerStart
        default:
            try expectLineFeed(byte)
            state = .complete
        }
    }

    private mutating func countLine() throws(HTTPParseError) {
        lineLength += 1
        guard lineLength <= limits.chunkLineBytes else {
            throw .bad("a chunk size line longer than \(limits.chunkLineBytes) bytes")
        }
    }

    private func expectLineFeed(_ byte: UInt8) throws(HTTPParseError) {
        guard byte == 0x0A else { throw .bad("a bare carriage return in the chunked body") }
    }

    private static func tooLarge(_ limits: HTTPLimits) -> HTTPParseError {
        HTTPParseError(.contentTooLarge, "a body larger than \(limits.bodyBytes) bytes")
    }
}

/// The decoder's state in chunk extensions (RFC 9112 §7.1.1):
/// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`. They are validated and
/// discarded.
enum ChunkExtension: Sendable {
    case beforeSemicolon
    case beforeName, name, behindName
    case beforeValue, token
    case quoted, escaped, behindQuote

    /// True if the line may end in this state.
    var isWhole: Bool {
        switch self {
        case .name, .token, .behindQuote: true
        default: false
        }
    }

    /// The state after one more octet; `nil` if the octet is not allowed.
    func next(_ byte: UInt8) -> ChunkExtension? {
        switch self {
        case .beforeSemicolon: afterSpace(byte)
        case .beforeName:
            Token.isSpace(byte) ? self : Token.contains(byte) ? .name : nil
        case .name: Token.contains(byte) ? self : behindName(byte)
        case .behindName: behindName(byte)
        case .beforeValue:
            if Token.isSpace(byte) {
                self
            } else {
                byte == UInt8(ascii: "\"") ? .quoted : Token.contains(byte) ? .token : nil
            }
        case .token: Token.contains(byte) ? self : afterSpace(byte)
        case .quoted:
            switch byte {
            case UInt8(ascii: "\""): .behindQuote
            case UInt8(ascii: "\\"): .escaped
            default: Token.isFieldContent(byte) ? self : nil
            }
        case .escaped: Token.isFieldContent(byte) ? .quoted : nil
        case .behindQuote: afterSpace(byte)
        }
    }

    private func behindName(_ byte: UInt8) -> ChunkExtension? {
        if byte == UInt8(ascii: "=") { return .beforeValue }
        return Token.isSpace(byte) ? .behindName : afterSpace(byte)
    }

    private func afterSpace(_ byte: UInt8) -> ChunkExtension? {
        Token.isSpace(byte) ? .beforeSemicolon : byte == UInt8(ascii: ";") ? .beforeName : nil
    }
}
