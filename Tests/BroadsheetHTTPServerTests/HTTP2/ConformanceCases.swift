import BroadsheetTestSupport

/// A sequence of frames that a client may or must not send by RFC 9113 and RFC 7541, and the
/// required reaction of the server.
struct ConformanceCase: Sendable {
    /// The required reaction.
    enum Outcome: Sendable {
        /// `hello` is the response on this stream.
        case served(UInt32)
        /// The stream is reset with this code.
        case reset(UInt32, Code)
        /// The request is malformed: the stream is reset, or there is a 400 (§8.1.1).
        case malformed(UInt32)
        /// The connection ends with one of these codes.
        case ended([Code])
        /// A frame of this type arrives with these flags and octets.
        case frame(UInt8, flags: UInt8, [UInt8])
    }

    enum Code: UInt32, Sendable {
        case `protocol` = 1
        case flowControl = 3
        case streamClosed = 5
        case frameSize = 6
        case refused = 7
        case compression = 9
    }

    let section: String
    let name: String
    let octets: [UInt8]
    let outcome: Outcome

    init(_ section: String, _ name: String, _ octets: [UInt8], _ outcome: Outcome) {
        self.section = section
        self.name = name
        self.octets = octets
        self.outcome = outcome
    }

    static let all = frames + streams + controls + windows + messages + compression

    // MARK: Octets

    private static func frame(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = [],
        length: Int? = nil
    ) -> [UInt8] {
        TestFrame.bytes(type, flags: flags, stream: stream, payload, length: length)
    }

    private static func get(_ stream: UInt32, _ fields: [(String, String)] = []) -> [UInt8] {
        TestFrame.request(stream, "GET", "/hello", fields)
    }

    /// A request whose body follows.
    private static func post(_ stream: UInt32, _ fields: [(String, String)] = []) -> [UInt8] {
        TestFrame.request(stream, "POST", "/echo", isLast: false, fields)
    }

    private static func request(_ fields: [(String, String)]) -> [UInt8] {
        frame(1, flags: 5, stream: 1, fields.flatMap { TestFrame.field($0.0, $0.1) })
    }

    /// A request that ends with these octets of HPACK.
    private static func packed(_ octets: [UInt8], on stream: UInt32 = 1) -> [UInt8] {
        frame(1, flags: 5, stream: stream, TestFrame.block("GET", "/hello") + octets)
    }

    private static func setting(_ number: UInt8, _ value: UInt32) -> [UInt8] {
        frame(4, [0, number] + TestFrame.number(value))
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    // MARK: Frames (RFC 9113 §4, §6.1 to §6.4, §6.6, §6.10)

    private static let frames: [ConformanceCase] = [
        ConformanceCase("4.1", "an unknown type is ignored", frame(99, [1]) + get(1), .served(1)),
        ConformanceCase(
            "4.1", "the reserved bit is ignored", frame(6, stream: 1 << 31, zeros(8)) + get(1),
            .served(1)),
        ConformanceCase(
            "4.1", "unknown flags are ignored", frame(6, flags: 0x16, zeros(8)) + get(1), .served(1)
        ),
        ConformanceCase(
            "4.2", "data that is too long", post(1) + frame(0, stream: 1, zeros(16_385)),
            .ended([.frameSize])),
        ConformanceCase(
            "4.2", "fields that are too long", frame(1, flags: 5, stream: 1, zeros(16_385)),
            .ended([.frameSize])),
        ConformanceCase(
            "4.3", "a field block in pieces",
            frame(1, flags: 1, stream: 1, Array(TestFrame.block("GET", "/hello").prefix(5)))
                + frame(9, stream: 1, Array(TestFrame.block("GET", "/hello").dropFirst(5)))
                + frame(9, flags: 4, stream: 1), .served(1)),
        ConformanceCase(
            "6.1", "data on stream 0", frame(0, [1]), .ended([.protocol])),
        ConformanceCase(
            "6.1", "padding is removed",
            get(1) + post(3) + frame(0, flags: 9, stream: 3, [2, 0x61, 0, 0]),
            .frame(0, flags: 0, [0x61])),
        ConformanceCase(
            "6.1", "padding that is too long", post(1) + frame(0, flags: 8, stream: 1, [5, 0]),
            .ended([.protocol])),
        ConformanceCase(
            "6.2", "fields on stream 0", frame(1, flags: 5, TestFrame.block()),
            .ended([.protocol])),
        ConformanceCase(
            "6.2", "padding of fields that is too long",
            frame(1, flags: 13, stream: 1, [200] + TestFrame.block()),
            .ended([.protocol, .frameSize])),
        ConformanceCase(
            "6.2", "padding and priority are ignored",
            frame(
                1, flags: 0x2D, stream: 1,
                [1, 0, 0, 0, 0, 9] + TestFrame.block("GET", "/hello") + [0]), .served(1)),
        ConformanceCase("6.3", "a priority on stream 0", frame(2, zeros(5)), .ended([.protocol])),
        ConformanceCase(
            "6.3", "a priority is ignored", frame(2, stream: 1, zeros(5)) + get(1), .served(1)),
        ConformanceCase(
            "6.3", "a priority of the wrong length", get(1) + frame(2, stream: 3, zeros(4)),
            .ended([.frameSize])),
        ConformanceCase("6.4", "a reset of stream 0", frame(3, zeros(4)), .ended([.protocol])),
        ConformanceCase(
            "6.4", "a reset of the wrong length", post(1) + frame(3, stream: 1, zeros(3)),
            .ended([.frameSize])),
        ConformanceCase(
            "6.4", "a reset of an idle stream", frame(3, stream: 1, zeros(4)),
            .ended([.protocol])),
        ConformanceCase(
            "6.6", "a promise of a client",
            frame(5, flags: 4, stream: 1, TestFrame.number(2) + TestFrame.block()),
            .ended([.protocol])),
        ConformanceCase(
            "6.10", "a continuation of nothing", frame(9, flags: 4, stream: 1),
            .ended([.protocol])),
        ConformanceCase(
            "6.10", "a continuation on stream 0", frame(1, stream: 1) + frame(9, flags: 4),
            .ended([.protocol])),
        ConformanceCase(
            "6.10", "a continuation of another stream",
            frame(1, stream: 1) + frame(9, flags: 4, stream: 3), .ended([.protocol])),
        ConformanceCase(
            "6.10", "another frame within a field block", frame(1, stream: 1) + frame(6, zeros(8)),
            .ended([.protocol])),
        ConformanceCase(
            "6.10", "a continuation after the end", post(1) + frame(9, flags: 4, stream: 1),
            .ended([.protocol])),
    ]

    // MARK: Streams (RFC 9113 §5.1)

    private static let streams: [ConformanceCase] = [
        ConformanceCase(
            "5.1", "data on an idle stream", frame(0, stream: 1, [1]), .ended([.protocol])),
        ConformanceCase(
            "5.1", "a window update of an idle stream", frame(8, stream: 1, TestFrame.number(1)),
            .ended([.protocol])),
        ConformanceCase(
            "5.1", "data after the end", get(1) + frame(0, stream: 1, [1]),
            .ended([.streamClosed])),
        ConformanceCase(
            "5.1", "fields after the end", get(1) + get(1), .ended([.streamClosed, .protocol])),
        ConformanceCase(
            "5.1", "window updates and resets may follow the end",
            get(1) + frame(8, stream: 1, TestFrame.number(1)) + frame(3, stream: 1, zeros(4))
                + get(3), .served(3)),
        ConformanceCase(
            "5.1.1", "a stream with an even number", get(2), .ended([.protocol])),
        ConformanceCase(
            "5.1.1", "a stream with a smaller number", get(5) + get(3),
            .ended([.protocol, .streamClosed])),
        ConformanceCase("5.1.1", "numbers may be skipped", get(7), .served(7)),
    ]

    // MARK: Settings, pings, ends (RFC 9113 §6.5, §6.7, §6.8)

    private static let controls: [ConformanceCase] = [
        ConformanceCase("3.4", "the preface is acknowledged", [], .frame(4, flags: 1, [])),
        ConformanceCase("6.5", "settings are acknowledged", setting(3, 5), .frame(4, flags: 1, [])),
        ConformanceCase(
            "6.5", "an acknowledgement with octets", frame(4, flags: 1, zeros(6)),
            .ended([.frameSize])),
        ConformanceCase(
            "6.5", "settings of a stream", frame(4, stream: 1), .ended([.protocol])),
        ConformanceCase("6.5", "half a setting", frame(4, zeros(3)), .ended([.frameSize])),
        ConformanceCase(
            "6.5.2", "an unknown setting is ignored", setting(99, 1) + get(1), .served(1)),
        ConformanceCase(
            "6.5.2", "a push that is neither on nor off", setting(2, 2), .ended([.protocol])),
        ConformanceCase(
            "6.5.2", "a window that is too large", setting(4, 1 << 31), .ended([.flowControl])),
        ConformanceCase(
            "6.5.2", "frames that are too small", setting(5, 16_383), .ended([.protocol])),
        ConformanceCase(
            "6.5.2", "frames that are too large", setting(5, 1 << 24), .ended([.protocol])),
        ConformanceCase(
            "6.5.2", "a table of the size 0 is used", setting(1, 0) + get(1), .served(1)),
        ConformanceCase(
            "6.7", "a ping is answered", frame(6, [1, 2, 3, 4, 5, 6, 7, 8]),
            .frame(6, flags: 1, [1, 2, 3, 4, 5, 6, 7, 8])),
        ConformanceCase(
            "6.7", "an answer to no ping is ignored", frame(6, flags: 1, zeros(8)) + get(1),
            .served(1)),
        ConformanceCase(
            "6.7", "a ping of a stream", frame(6, stream: 1, zeros(8)), .ended([.protocol])),
        ConformanceCase("6.7", "a short ping", frame(6, zeros(7)), .ended([.frameSize])),
        ConformanceCase(
            "6.8", "a GOAWAY of a stream", frame(7, stream: 1, zeros(8)), .ended([.protocol])),
        ConformanceCase("6.8", "a short GOAWAY", frame(7, zeros(7)), .ended([.frameSize])),
    ]

    // MARK: Windows (RFC 9113 §6.9)

    private static let windows: [ConformanceCase] = [
        ConformanceCase(
            "6.9", "an update by nothing", frame(8, zeros(4)), .ended([.protocol])),
        ConformanceCase(
            "6.9", "an update of a stream by nothing", post(1) + frame(8, stream: 1, zeros(4)),
            .reset(1, .protocol)),
        ConformanceCase("6.9", "a short update", frame(8, zeros(3)), .ended([.frameSize])),
        ConformanceCase(
            "6.9.1", "a window that becomes too large", frame(8, TestFrame.number(0x7FFF_FFFF)),
            .ended([.flowControl])),
        ConformanceCase(
            "6.9.1", "a stream's window that becomes too large",
            post(1) + frame(8, stream: 1, TestFrame.number(0x7FFF_FFFF)),
            .reset(1, .flowControl)),
        ConformanceCase(
            "6.9.2", "a response waits for its window",
            setting(4, 0) + get(1) + frame(8, stream: 1, TestFrame.number(5)), .served(1)),
        ConformanceCase(
            "6.9.2", "a window changes for open streams", setting(4, 0) + get(1) + setting(4, 5),
            .served(1)),
        ConformanceCase(
            "6.9.3", "an update while the window is negative",
            setting(4, 0) + get(1) + setting(4, 1) + setting(4, 0)
                + frame(8, stream: 1, TestFrame.number(5)), .served(1)),
    ]
}

extension ConformanceCase {
    // MARK: Messages (RFC 9113 §8)

    private static let messages: [ConformanceCase] = [
        ConformanceCase(
            "8.1", "trailers",
            post(1) + frame(0, stream: 1, [0x61])
                + frame(1, flags: 5, stream: 1, TestFrame.field("x", "y")),
            .frame(0, flags: 0, [0x61])),
        ConformanceCase(
            "8.1", "trailers without an end",
            post(1) + frame(1, flags: 4, stream: 1, TestFrame.field("x", "y")),
            .malformed(1)),
        ConformanceCase(
            "8.1", "pseudo-header fields in trailers",
            post(1) + frame(1, flags: 5, stream: 1, TestFrame.field(":path", "/")), .malformed(1)),
        ConformanceCase(
            "8.1.1", "a body shorter than declared",
            post(1, [("content-length", "2")]) + frame(0, flags: 1, stream: 1, [1]),
            .malformed(1)),
        ConformanceCase(
            "8.1.1", "a body longer than declared",
            post(1, [("content-length", "1")]) + frame(0, flags: 1, stream: 1, [1, 2]),
            .malformed(1)),
        ConformanceCase(
            "8.1.1", "two lengths",
            post(1, [("content-length", "1"), ("content-length", "2")])
                + frame(0, flags: 1, stream: 1, [1]), .malformed(1)),
        ConformanceCase("8.2", "an upper-case name", get(1, [("X", "y")]), .malformed(1)),
        ConformanceCase("8.2.1", "a space in a name", get(1, [("x y", "z")]), .malformed(1)),
        ConformanceCase("8.2.1", "a colon in a name", get(1, [("x:y", "z")]), .malformed(1)),
        ConformanceCase("8.2.1", "a line feed in a value", get(1, [("x", "a\nb")]), .malformed(1)),
        ConformanceCase("8.2.1", "a NUL in a value", get(1, [("x", "a\0b")]), .malformed(1)),
        ConformanceCase("8.2.1", "space before a value", get(1, [("x", " a")]), .malformed(1)),
        ConformanceCase("8.2.1", "space after a value", get(1, [("x", "a\t")]), .malformed(1)),
        ConformanceCase("8.2.2", "connection", get(1, [("connection", "x")]), .malformed(1)),
        ConformanceCase("8.2.2", "keep-alive", get(1, [("keep-alive", "x")]), .malformed(1)),
        ConformanceCase(
            "8.2.2", "proxy-connection", get(1, [("proxy-connection", "x")]), .malformed(1)),
        ConformanceCase(
            "8.2.2", "transfer-encoding", get(1, [("transfer-encoding", "chunked")]),
            .malformed(1)),
        ConformanceCase("8.2.2", "upgrade", get(1, [("upgrade", "x")]), .malformed(1)),
        ConformanceCase("8.2.2", "te with other codings", get(1, [("te", "gzip")]), .malformed(1)),
        ConformanceCase("8.2.2", "te with trailers", get(1, [("te", "trailers")]), .served(1)),
        ConformanceCase(
            "8.2.3", "a cookie in pieces", get(1, [("cookie", "a=b"), ("cookie", "c=d")]),
            .served(1)),
        ConformanceCase(
            "8.3", "an unknown pseudo-header field", get(1, [(":x", "y")]), .malformed(1)),
        ConformanceCase("8.3", "that of a response", get(1, [(":status", "200")]), .malformed(1)),
        ConformanceCase(
            "8.3", "one after other fields",
            request([(":method", "GET"), (":scheme", "http"), ("x", "y"), (":path", "/hello")]),
            .malformed(1)),
        ConformanceCase(
            "8.3.1", "no method",
            request([(":scheme", "http"), (":path", "/hello"), (":authority", "a")]),
            .malformed(1)),
        ConformanceCase(
            "8.3.1", "no scheme",
            request([(":method", "GET"), (":path", "/hello"), (":authority", "a")]),
            .malformed(1)),
        ConformanceCase(
            "8.3.1", "no path",
            request([(":method", "GET"), (":scheme", "http"), (":authority", "a")]),
            .malformed(1)),
        ConformanceCase(
            "8.3.1", "an empty path",
            request([
                (":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a"),
            ]), .malformed(1)),
        ConformanceCase(
            "8.3.1", "two paths",
            request([
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":path", "/"),
                (":authority", "a"),
            ]), .malformed(1)),
        ConformanceCase(
            "8.3.1", "a Host in place of the authority",
            request([
                (":method", "GET"), (":scheme", "http"), (":path", "/hello"), ("host", "a"),
            ]), .served(1)),
        ConformanceCase(
            "8.3.1", "a Host other than the authority", get(1, [("host", "other")]),
            .malformed(1)),
        ConformanceCase(
            "8.3.1", "user information in the authority",
            request([
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a@b"),
            ]), .malformed(1)),
        ConformanceCase(
            "8.5", "CONNECT with a path",
            request([(":method", "CONNECT"), (":path", "/"), (":authority", "a:1")]),
            .malformed(1)),
    ]

    // MARK: Compression (RFC 7541)

    private static let compression: [ConformanceCase] = [
        ConformanceCase(
            "HPACK 2.3.3", "an index beyond the tables", packed([0xFF, 0]), .ended([.compression])),
        ConformanceCase(
            "HPACK 4.2", "a table larger than allowed",
            frame(1, flags: 5, stream: 1, [0x3F, 0xE2, 0x1F] + TestFrame.block("GET", "/hello")),
            .ended([.compression])),
        ConformanceCase(
            "HPACK 4.2", "a smaller table",
            frame(1, flags: 5, stream: 1, [0x20] + TestFrame.block("GET", "/hello")), .served(1)),
        ConformanceCase(
            "HPACK 4.2", "a table that changes its size after a field", packed([0x20]),
            .ended([.compression])),
        ConformanceCase(
            "HPACK 5.1", "an integer that overflows",
            packed([0xFF] + [UInt8](repeating: 0xFF, count: 12)),
            .ended([.compression])),
        ConformanceCase(
            "HPACK 5.2", "a string without its end", packed([0, 1, 0x78, 9, 0x61]),
            .ended([.compression])),
        ConformanceCase(
            "HPACK 5.2", "Huffman padding of zeros", packed([0, 1, 0x78, 0x81, 0x18]),
            .ended([.compression])),
        ConformanceCase(
            "HPACK 5.2", "Huffman padding of more than seven bits",
            packed([0, 1, 0x78, 0x82, 0x1F, 0xFF]), .ended([.compression])),
        ConformanceCase(
            "HPACK 5.2", "the end of a string in Huffman code",
            packed([0, 1, 0x78, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]), .ended([.compression])),
        ConformanceCase("HPACK 6.1", "the index 0", packed([0x80]), .ended([.compression])),
        ConformanceCase(
            "HPACK 6.1", "fields of the static table",
            frame(
                1, flags: 5, stream: 1,
                [0x82, 0x86, 0x04, 6] + Array("/hello".utf8) + [0x01, 1, 0x61]),
            .served(1)),
        ConformanceCase(
            "HPACK 6.2.1", "a field of the dynamic table",
            packed([0x40, 1, 0x78, 1, 0x79]) + packed([0xBE], on: 3), .served(3)),
        ConformanceCase(
            "HPACK 6.2.2", "a literal whose name is indexed", packed([0x0F, 0x04, 1, 0x61]),
            .served(1)),
        ConformanceCase(
            "HPACK 6.2.3", "a literal that is never indexed", packed([0x10, 1, 0x78, 1, 0x79]),
            .served(1)),
    ]
}
