import BroadsheetHTTP
import Testing

/// Messages as `print`, `dump` and failed expectations show them.
@Suite struct DescriptionTests {
    private static func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// All forms in which a value is shown; a type may have several.
    private static func shown(_ value: some Any) -> [String] {
        var children: [String] = []
        var queue = Array(Mirror(reflecting: value).children)
        while let child = queue.popLast() {
            children.append(String(reflecting: child.value))
            queue += Mirror(reflecting: child.value).children
        }
        return [String(describing: value), String(reflecting: value), dumped(value)] + children
    }

    private static let secrets = ["hush", "bsk_0123", "eyJh", "sid", "104, 117, 115, 104"]

    private static func request() throws -> HTTPRequest {
        let target = try #require(
            RequestTarget(Array("/v1/articles?token=hush&q=bsk_0123_x&limit=2".utf8)))
        return HTTPRequest(
            .post, target,
            fields: [
                .host: "a.example", .authorization: "Bearer eyJh", .cookie: "sid=hush",
                .location: "/a?key=hush",
            ], body: Array(#"{"password":"hush"}"#.utf8))
    }

    @Test func `a request is one readable line without secrets`() throws {
        let request = try Self.request()
        let line =
            "POST /v1/articles?token=<redacted>&q=<redacted>&limit=2 "
            + "[Host: a.example, Authorization: Bearer <redacted>, Cookie: <redacted>, "
            + "Location: /a?key=<redacted>] 19 bytes"
        #expect("\(request)" == line)
        #expect(Self.dumped(request) == "- \(line)\n")
        for text in Self.shown(request) + Self.shown([request]) + Self.shown(request.fields) {
            for secret in Self.secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test func `a response is one readable line without secrets`() {
        var response = HTTPResponse(.ok, fields: [.setCookie: "sid=hush; Path=/"])
        #expect("\(response)" == "200 OK [Set-Cookie: <redacted>] no body")
        response.body = .bytes(Array("hush".utf8))
        for text in Self.shown(response) + Self.shown(Optional(response)) {
            #expect(text.contains("4 bytes"))
            for secret in Self.secrets { #expect(!text.contains(secret)) }
        }
        response.body = .stream(HTTPBodyStream(length: 3) { nil })
        #expect("\(response.body)" == "a stream of 3 bytes")
    }

    @Test func `a parsed head shows no secrets`() throws {
        let lines = "GET /?token=hush HTTP/1.1\r\nHost: a\r\nCookie: sid=hush\r\n\r\n"
        var parser = RequestParser()
        let head = try #require(try parser.parse(Array(lines.utf8).span))
        for text in Self.shown(head) {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func `an expectation that fails shows no secrets`() throws {
        let request = try Self.request()
        withKnownIssue {
            #expect(request == HTTPRequest(.get, request.target))
        } matching: { issue in
            let text = "\(issue)\(String(reflecting: issue))"
            return Self.secrets.allSatisfy { !text.contains($0) }
        }
    }
}
