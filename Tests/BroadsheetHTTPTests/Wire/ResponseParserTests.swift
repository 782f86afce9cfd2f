import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite struct ResponseParserTests {
    private func parse(
        _ text: String, to method: HTTPMethod = .get, isLenient: Bool = false,
        limits: HTTPLimits = HTTPLimits()
    ) throws -> ResponseHead? {
        var parser = ResponseParser(limits: limits, isLenient: isLenient)
        let bytes = Array(text.utf8)
        return try parser.parse(bytes.span, to: method)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK", .ok, .http11), ("HTTP/1.1 404 ", .notFound, .http11),
            ("HTTP/1.0 503", .serviceUnavailable, .http10), ("HTTP/1.2 200 x y", .ok, .http11),
            ("HTTP/1.1 418 한국", HTTPStatus(418), .http11),
        ] as [(String, HTTPStatus?, HTTPVersion)])
    func `a status line is parsed`(line: String, status: HTTPStatus?, version: HTTPVersion) throws {
        let head = try #require(try parse(lines(line)))
        #expect(head.status == status)
        #expect(head.version == version)
    }

    @Test(arguments: [
        "HTTP/2.0 200 OK", "HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1 099 x", "HTTP/1.1 600 x", "HTTP/1.1 +20 x", "http/1.1 200 OK", "HTTP/1.1\t200 OK",
        " HTTP/1.1 200 OK", "HTTP/1.10 200 OK", "HTTP/1.1 200 a\u{1}", "HTTP/1.1 ２00 OK",
        "ICY 200 OK",
    ])
    func `an invalid status line is rejected`(line: String) {
        #expect(throws: HTTPParseError.self) { try parse(lines(line)) }
    }

    @Test(
        arguments: [
            (.get, "200 OK", "Content-Length: 2", .length(2)),
            (.get, "200 OK", "Content-Length: 0", .none),
            (.get, "200 OK", "Transfer-Encoding: Chunked", .chunked),
            (.get, "200 OK", "X: y", .untilClose),
            (.head, "200 OK", "Content-Length: 2", .none),
            (.head, "200 OK", "Transfer-Encoding: chunked", .none),
            (.get, "204 No Content", "X: y", .none),
            (.get, "304 Not Modified", "Content-Length: 2", .none),
            (.get, "100 Continue", "X: y", .none),
            (.connect, "200 OK", "Content-Length: 2", .none),
            (.connect, "403 Forbidden", "Content-Length: 2", .length(2)),
        ] as [(HTTPMethod, String, String, BodyFraming)])
    func `a body is delimited according to RFC 9112`(
        method: HTTPMethod, status: String, field: String, framing: BodyFraming
    ) throws {
        let head = try #require(try parse(lines("HTTP/1.1 \(status)", field), to: method))
        #expect(head.framing == framing)
        #expect(head.keepsAlive == (framing != .untilClose))
    }

    @Test(arguments: [
        "Content-Length: 1, 2", "Content-Length: x", "Transfer-Encoding: gzip",
        "Transfer-Encoding: chunked\r\nContent-Length: 2", "X : y", "X: y\r\n z", "X: \u{0}",
    ])
    func `an ambiguously framed body is rejected`(field: String) {
        #expect(throws: HTTPParseError.self) { try parse(lines("HTTP/1.1 200 OK", field)) }
    }

    @Test func `version and fields decide whether a connection persists`() throws {
        let length = "Content-Length: 2"
        #expect(try parse(lines("HTTP/1.1 200 OK", length))?.keepsAlive == true)
        #expect(try parse(lines("HTTP/1.0 200 OK", length))?.keepsAlive == false)
        let kept = try parse(lines("HTTP/1.0 200 OK", length, "Connection: keep-alive"))
        #expect(kept?.keepsAlive == true)
        let closed = try parse(lines("HTTP/1.1 200 OK", length, "Connection: close"))
        #expect(closed?.keepsAlive == false)
    }

    /// Responses that only a lenient parser takes, with the framing and the value of `X`.
    static let lenient: [(text: String, framing: BodyFraming, value: String)] = [
        ("HTTP/1.1 200 OK\nX: y\nContent-Length: 2\n\n", .length(2), "y"),
        ("\n\r\nHTTP/1.1 200 OK\r\nX: y\n\r\n", .untilClose, "y"),
        ("HTTP/1.1 200 OK\nX: y\r\nContent-Length: 2\r\n\n", .length(2), "y"),
        ("HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\t\t u \r\n\r\n", .untilClose, "y z u"),
        ("HTTP/1.1 200 OK\nX:\n\ty;\n \n z\nContent-Length:\n 2\n\n", .length(2), "y;  z"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\nX: y\r\n\r\n", .chunked, "y"),
        (lines("HTTP/1.1  200 OK", "X: y", "Content-Length: 2"), .length(2), "y"),
        (lines(" HTTP/1.1\t200", "X: y", "Content-Length: 2"), .length(2), "y"),
        (lines("HTTP/1.1 200\tOK", "X: y", "Content-Length: 2"), .length(2), "y"),
        (lines("\tHTTP/1.1 200 OK", "X: y", "Content-Length: 2"), .length(2), "y"),
        (
            lines("HTTP/1.1 200 OK", "X: y", "Content-Length: 2", "Transfer-Encoding: chunked"),
            .chunked, "y"
        ),
        (
            lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "X: y", "Content-Length: 0"),
            .chunked, "y"
        ),
        (
            lines(
                "HTTP/1.0 200 OK", "X: y", "Connection: keep-alive", "Transfer-Encoding: chunked"),
            .chunked, "y"
        ),
    ]

    @Test(arguments: Self.lenient)
    func `what old servers send is read if asked for, and ends the connection`(
        text: String, framing: BodyFraming, value: String
    ) throws {
        #expect(throws: HTTPParseError.self) { try parse(text) }
        let head = try #require(try parse(text, isLenient: true))
        #expect(head.status == .ok && head.framing == framing && !head.keepsAlive)
        #expect(HTTPFieldName("X").flatMap { head.fields[$0] } == value)
        var parser = ResponseParser(isLenient: true)
        let bytes = Array("\(text)rest".utf8)
        for end in 1...bytes.count {
            let piece = bytes[..<end]
            guard let stepped = try parser.parse(piece.span, to: .get) else { continue }
            #expect(stepped == head && parser.consumed == text.utf8.count)
            break
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n X: y\r\n\r\n", "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", "HTTP/1.1 200 OK\nX\n\n",
        "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n", "HTTP/1.1 2 00 OK\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 1\n 2\n\n", "HTTP /1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n", "HTTP/2 200\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked, x\nContent-Length: 1\n\n", "ICY 200 OK\n\n",
    ])
    func `a lenient parser guesses nothing`(text: String) {
        #expect(throws: HTTPParseError.self) { try parse(text, isLenient: true) }
    }

    @Test func `a head without a body does not keep a connection whose framing is ambiguous`()
        throws
    {
        let fields = ["Content-Length: 2", "Transfer-Encoding: chunked"]
        for isLenient in [false, true] {
            let head = try parse(
                lines("HTTP/1.1 304 x", fields[0], fields[1]), isLenient: isLenient)
            #expect(head?.framing == BodyFraming.none && head?.keepsAlive == false)
        }
    }

    @Test func `a lenient head has the same limits`() throws {
        var limits = HTTPLimits()
        (limits.fieldBytes, limits.fields) = (30, 3)
        for (text, fits) in [
            ("a: b\nc: d\ne: f\n", true), ("a: b\nc: d\ne: f\ng: h\n", false),
            ("a: b\n" + String(repeating: " ", count: 24) + "\n", true),
            ("a: b\n" + String(repeating: " ", count: 25) + "\n", false),
        ] {
            let head = try? parse(
                "HTTP/1.1 200 OK\n\(text)\n", isLenient: true, limits: limits)
            #expect((head != nil) == fits, "\(text)")
        }
    }

    @Test func `successive heads are parsed`() throws {
        var parser = ResponseParser()
        let first = "HTTP/1.1 100 Continue\r\n\r\n"
        var bytes = Array((first + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").utf8)
        let interim = try parser.parse(bytes.span, to: .post)
        #expect(interim?.status == .continue)
        #expect(parser.consumed == first.utf8.count)
        bytes.removeFirst(parser.consumed)
        let final = try parser.parse(bytes.span, to: .post)
        #expect(final?.status == .ok)
        #expect(parser.consumed == bytes.count)
    }
}
