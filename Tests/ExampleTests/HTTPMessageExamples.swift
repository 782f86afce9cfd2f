import BroadsheetHTTP
import BroadsheetPlatform
import Testing

/// The examples of messages, their parts and their wire format.
@Suite struct HTTPMessageExamples {
    private func target() throws -> RequestTarget {
        try #require(RequestTarget(path: "/v1/articles"))
    }

    private func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    @Test func `a request`() throws {
        let target = try target()
        var request = HTTPRequest(.post, target, fields: [.contentType: "application/json"])
        request.body = Array(#"{"title":"News"}"#.utf8)
        #expect(text(request.body) == #"{"title":"News"}"#)
        #expect(request.version == .http11 && request.target == target)
    }

    @Test func `a response`() {
        var response = HTTPResponse(.ok, body: .bytes(Array("hello".utf8)))
        response.fields[.contentType] = "text/plain"
        #expect(text(response.fields.wireBytes) == "Content-Type: text/plain\r\n")
    }

    @Test func `a body that is produced piece by piece`() async throws {
        let lines = Lock(["one", "two"][...])
        let stream = HTTPBodyStream {
            guard let line = lines.withLock({ $0.popFirst() }) else { return nil }
            return Array("\(line)\n".utf8)
        }
        let response = HTTPResponse(.ok, body: .stream(stream))
        var received: [UInt8] = []
        switch response.body {
        case .none: break
        case .bytes(let bytes): received += bytes
        case .stream(let stream): while let piece = try await stream.next() { received += piece }
        }
        #expect(text(received) == "one\ntwo\n")
    }

    @Test func `methods and statuses`() throws {
        let request = HTTPRequest(.put, try target())
        let canRepeat = request.method.isIdempotent
        let custom = HTTPMethod("REPORT")
        #expect(canRepeat && custom?.isIdempotent == false)
        let response = HTTPResponse(.created)
        let isSuccess = (200..<300).contains(response.status.code)
        let line = "\(HTTPStatus.notFound)"
        #expect(isSuccess && line == "404 Not Found")
    }

    @Test func `hosts and origins`() {
        let authority = Authority(Array("[2001:db8::1]:8080".utf8))
        let port = authority?.port ?? 80
        #expect(authority?.host == "[2001:db8::1]" && port == 8_080)
        let origin = HTTPOrigin("https://Example.org:443")
        let host = origin?.authority
        #expect(host == "example.org" && origin == HTTPOrigin("https://example.org"))
    }

    @Test func urls() throws {
        let url = try HTTPURL("HTTPS://Example.org:443/feed?page=2")
        let request = HTTPRequest(.get, url.target)
        let host = url.origin.authority
        #expect(host == "example.org" && "\(request.target)" == "/feed?page=2")
    }

    @Test func `templates of paths`() {
        let template: PathTemplate = "/v1/articles/{id}/revisions/{number}"
        let names = template.parameters
        #expect(names == ["id", "number"])
    }

    @Test func `targets and queries`() throws {
        let target = RequestTarget(path: "/v1/articles/a%2Fb", query: "fields=title")
        let segments = try target?.segments()
        #expect(segments == ["v1", "articles", "a/b"])
        let query = try QueryItems(parsing: "tag=swift&tag=linux&q=a+b".utf8)
        let tags = query.values(of: "tag")
        #expect(tags == ["swift", "linux"] && query.values(of: "q") == ["a b"])
        let encoded = PercentEncoding.encodeQuery("café & bar")
        let decoded = try PercentEncoding.decode(encoded.utf8)
        #expect(encoded == "caf%C3%A9%20%26%20bar" && decoded == "café & bar")
    }

    @Test func `a request as octets`() throws {
        let target = try target()
        let request = HTTPRequest(.get, target, fields: [.host: "example.org"])
        let bytes = RequestSerializer.bytes(of: request)
        #expect(text(bytes) == "GET /v1/articles HTTP/1.1\r\nHost: example.org\r\n\r\n")
    }

    @Test func `a response as octets`() {
        var bytes: [UInt8] = []
        ResponseSerializer.appendHead(
            status: .ok, fields: [.contentType: "text/plain"], framing: .chunked,
            date: Array(HTTPDate.text(784_111_777).utf8), keepsAlive: true, version: .http11,
            to: &bytes)
        ResponseSerializer.appendChunk(Array("hello".utf8), to: &bytes)
        bytes += ResponseSerializer.lastChunk
        let lines = [
            "HTTP/1.1 200 OK", "Content-Type: text/plain", "Transfer-Encoding: chunked",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT", "", "5", "hello", "0", "", "",
        ]
        #expect(text(bytes) == lines.joined(separator: "\r\n"))
    }

    @Test func `a body that is decoded`() throws {
        var decoder = try BodyDecoder(.chunked)
        var body: [UInt8] = []
        let received = Array("5\r\nhello\r\n0\r\n\r\nGET".utf8)[...]
        let consumed = try decoder.decode(received.span, into: &body)
        #expect(text(body) == "hello" && decoder.isComplete)
        #expect(text(received.dropFirst(consumed)) == "GET")
    }

    @Test func `a request that is parsed`() throws {
        var targets: [String] = []
        var buffer = Array("GET /v1/tags HTTP/1.1\r\nHost: example.org\r\n\r\nGET".utf8)[...]
        var parser = RequestParser()
        if let head = try parser.parse(buffer.span) {
            buffer = buffer.dropFirst(parser.consumed)
            targets.append("\(head.method) \(head.target)")
        }
        #expect(targets == ["GET /v1/tags"] && text(buffer) == "GET")
        #expect(try parser.parse(buffer.span) == nil)
    }

    @Test func `limits of a parser`() {
        var limits = HTTPLimits()
        limits.requestLineBytes = 2_048
        var parser = RequestParser(limits: limits)
        let long = Array("GET /\(String(repeating: "a", count: 2_048))".utf8)[...]
        var status: HTTPStatus?
        do throws(HTTPParseError) { _ = try parser.parse(long.span) } catch {
            status = error.status
        }
        #expect(status == .uriTooLong)
    }

    @Test func `a response that is parsed`() throws {
        var parser = ResponseParser()
        let received = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)[...]
        let head = try parser.parse(received.span, to: .get)
        #expect(head?.status == .ok && head?.framing == .length(5))
        #expect(text(received.dropFirst(parser.consumed)) == "hello")
    }
}
