import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite("Rejected and accepted requests")
struct RequestParserTests {
    @Test(arguments: RejectedRequests.all)
    func `a malformed request is rejected with its status`(rejected: RejectedRequests.Case) {
        let reception = Receiver.receive(rejected.text)
        #expect(reception.statusCode == rejected.status)
        #expect(reception.requests.isEmpty)
        #expect(reception.error?.detail.isEmpty == false)
    }

    @Test(arguments: AcceptedRequests.all)
    func `a valid request is parsed completely`(accepted: AcceptedRequests.Case) throws {
        let reception = Receiver.receive(accepted.text)
        #expect(reception.error == nil)
        #expect(reception.restBytes == 0)
        #expect(
            reception.requests.map { String(decoding: $0.body, as: UTF8.self) } == accepted.bodies)
    }

    @Test(arguments: [
        ("GET /?q=\"first request\" HTTP/1.1", "a raw space in its target: encode it as %20"),
        ("GET /a b c HTTP/1.1", "a raw space in its target: encode it as %20"),
        ("GET /?a\tb HTTP/1.1", "a raw control character in its target: encode it as %09"),
        ("GET /?a\u{7}b HTTP/1.1", "a raw control character in its target: encode it as %07"),
        ("GET /a#b HTTP/1.1", "a raw # in its target: encode it as %23"),
        ("GET /?q=한 HTTP/1.1", "a raw byte outside of ASCII in its target: encode it as %ED"),
        ("GET /\"a\" HTTP/1.1", #"a raw " in its path: encode it as %22"#),
        ("GET / x HTCP/1.1", "a request line without an HTTP version"),
    ])
    func `a character that a target may not have is named with its code`(
        line: String, detail: String
    ) {
        let error = Receiver.receive(lines(line, "Host: a")).error
        #expect(error == HTTPParseError(.badRequest, detail))
    }

    @Test func `the parser is reset after an error`() throws {
        var parser = RequestParser()
        let bad = Array("GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n".utf8)
        let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(throws: HTTPParseError.self) { try parser.parse(bad.span) }
        #expect(throws: HTTPParseError.self) { try parser.parse(bad.span) }
        #expect(try parser.parse(good.span)?.method == .get)
        #expect(parser.consumed == good.count)
    }

    @Test func `a head is parsed into its parts`() throws {
        let text = lines(
            "PATCH /v1/articles/x?a=b HTTP/1.1", "Host: a:8080", "X-One:\t 1 \t", "x-one:2",
            "Empty:")
        let head = try #require(Receiver.receive(text).requests.first?.head)
        #expect(head.method == .patch)
        #expect(head.target.description == "/v1/articles/x?a=b")
        #expect(head.version == .http11)
        #expect(head.fields.count == 4)
        #expect(head.fields[.host] == "a:8080")
        #expect(HTTPFieldName("X-ONE").map { head.fields.values(of: $0) } == ["1", "2"])
        #expect(HTTPFieldName("empty").flatMap { head.fields[$0] } == "")
        #expect(head.framing == .none)
        #expect(!head.expectsContinue)
    }

    @Test(arguments: [
        ("HTTP/1.1", nil, true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "Close", false),
        ("HTTP/1.1", "keep-alive, close", false), ("HTTP/1.1", "x,\tCLOSE ,y", false),
        ("HTTP/1.1", "closed", true), ("HTTP/1.1", "keep-alive", true), ("HTTP/1.9", nil, true),
        ("HTTP/1.0", nil, false), ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "x", false),
        ("HTTP/1.0", "keep-alive, close", false), ("HTTP/1.0", "\u{212A}eep-alive", false),
    ])
    func `version and fields decide whether a connection persists`(
        version: String, connection: String?, goesOn: Bool
    ) throws {
        let field = connection.map { "\r\nConnection: \($0)" } ?? ""
        let text = lines("GET / \(version)", "Host: a\(field)")
        let head = try #require(Receiver.receive(text).requests.first?.head)
        #expect(head.keepsAlive == goesOn)
    }

    @Test(arguments: [
        ("HTTP/1.1", "100-continue", true), ("HTTP/1.1", "100-Continue", true),
        ("HTTP/1.1", "100-continue, 100-continue", true), ("HTTP/1.0", "100-continue", false),
        ("HTTP/1.0", "anything", false),
    ])
    func `only a 1_1 client with a body waits for 100`(
        version: String, expectation: String, waits: Bool
    ) throws {
        for (length, isAwaited) in [(2, waits), (0, false)] {
            let text = lines(
                "PUT / \(version)", "Host: a", "Content-Length: \(length)", "Expect: \(expectation)"
            )
            let reception = Receiver.receive(text + String(repeating: "x", count: length))
            #expect(reception.requests.first?.head.expectsContinue == isAwaited)
        }
    }

    @Test func `a later minor version counts as 1_1`() {
        let reception = Receiver.receive(lines("GET / HTTP/1.7", "Host: a"))
        #expect(reception.requests.first?.head.version == .http11)
    }
}
