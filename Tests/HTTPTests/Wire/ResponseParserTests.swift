import HTTP
import TestSupport
import Testing

@Suite struct ResponseParserTests {
    private func parse(_ text: String, to method: HTTPMethod = .get) throws -> ResponseHead? {
        var parser = ResponseParser()
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
