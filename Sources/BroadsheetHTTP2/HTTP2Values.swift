public import BroadsheetHTTP

/// The reason why a stream or connection ends (RFC 9113 §7). See ``HTTP2Session``.
public struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let none = HTTP2ErrorCode(rawValue: 0)
    public static let `protocol` = HTTP2ErrorCode(rawValue: 1)
    public static let `internal` = HTTP2ErrorCode(rawValue: 2)
    public static let flowControl = HTTP2ErrorCode(rawValue: 3)
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
    public static let streamClosed = HTTP2ErrorCode(rawValue: 5)
    public static let frameSize = HTTP2ErrorCode(rawValue: 6)
    /// The request was not processed and can be sent again.
    public static let unprocessed = HTTP2ErrorCode(rawValue: 7)
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    public static let compression = HTTP2ErrorCode(rawValue: 9)
    public static let connect = HTTP2ErrorCode(rawValue: 10)
    /// The peer causes too much work.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
    public static let http11Required = HTTP2ErrorCode(rawValue: 13)
}

/// The settings that a session announces to its peer, and the limits that it applies to it.
///
/// Changes have no effect on sessions that were created with it before.
public struct HTTP2Settings: Sendable, Hashable {
    /// Maximum streams of the peer at a time.
    public var streams = 100
    /// The number of bytes of a body that a peer may send before they are consumed.
    public var streamWindowBytes = 128 << 10
    /// The same for all streams together. These are consumed as they arrive, so that a stream that
    /// is not read never blocks others; the windows of the streams bound the memory of a
    /// connection.
    public var connectionWindowBytes = 1 << 20
    /// Maximum decoded fields of a message, by RFC 9113 §6.5.2; the stream is reset above it.
    public var fieldListBytes = 64 << 10
    /// The limits of a head, which are those of HTTP/1.1.
    public var message = HTTPLimits()

    public init() {}
}

/// A frame event from the peer, or the outcome of a send. See ``HTTP2Session``.
public enum HTTP2Event: Sendable {
    /// A request's head; `bytes` is its size after decoding.
    case request(stream: Int32, RequestHead, bytes: Int, isLast: Bool)
    /// A head that is not valid by the rules of HTTP/1.1; a response can be sent.
    case badRequest(stream: Int32, HTTPParseError, bytes: Int, isLast: Bool)
    /// A response's head, also an interim one.
    case response(stream: Int32, ResponseHead, isLast: Bool)
    /// Bytes of a body; `consumed(_:on:)` lets the peer send more.
    case data(stream: Int32, [UInt8])
    /// The peer's message is complete.
    case received(stream: Int32)
    /// The own request begins at this offset of the output (`writtenBytes`).
    case begun(stream: Int32, offset: Int)
    /// The last piece of a body was passed on to be sent, and the body goes on.
    case passedOn(stream: Int32)
    /// The own message is complete and was passed on to be sent.
    case sent(stream: Int32)
    /// The stream has ended, by an error unless the code is `none`; nothing more comes of it.
    case closed(stream: Int32, HTTP2ErrorCode)
    /// The peer will not process streams after this one, and wants no more.
    case goAway(last: Int32, HTTP2ErrorCode)
    /// The peer's settings have arrived.
    case settings
    /// The peer has received the announcement of the end (`announceEnd`).
    case pong
}

/// The reason why a connection cannot go on. See ``HTTP2Session``.
public enum HTTP2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// The peer does not speak HTTP/2.
    case badPreface
    /// The peer causes work without sending anything useful. It was told so (GOAWAY).
    case flooded
    /// libnghttp2's error code and description.
    case failed(code: Int32, reason: String)

    public var description: String {
        switch self {
        case .badPreface: "the peer does not speak HTTP/2"
        case .flooded: "the peer sends too many frames that transport nothing"
        case .failed(_, let reason): reason
        }
    }
}

/// A message's body while it is sent: one piece at a time, so that it takes no memory besides.
///
/// It belongs to the session's thread. See ``HTTP2Session``.
public final class HTTP2Body {
    private var piece: [UInt8]
    private var start = 0
    private(set) var isLast: Bool
    /// True if the session waits for the next piece.
    var isAwaited = false

    /// - Parameter isLast: True if nothing follows the piece.
    public init(_ piece: [UInt8] = [], isLast: Bool) {
        self.piece = piece
        self.isLast = isLast
    }

    /// The bytes that were not passed on yet.
    public var unsentCount: Int { piece.count - start }

    /// - Parameter next: Follows the piece before, which must be passed on.
    func put(_ next: [UInt8], isLast: Bool) {
        precondition(unsentCount == 0, "programmer error: the piece before is not sent yet")
        piece = next
        start = 0
        self.isLast = isLast
    }

    /// Moves bytes to the room; returns their number.
    func move(to room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, unsentCount)
        piece.withUnsafeBytes { bytes in
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)]))
        }
        start += count
        if unsentCount == 0 {
            piece = []
            start = 0
        }
        return count
    }
}
