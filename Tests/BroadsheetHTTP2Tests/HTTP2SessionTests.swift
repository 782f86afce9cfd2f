import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetTestSupport
import Testing

struct HTTP2SessionTests {
    private static func get(_ path: String) -> HTTP2Fields {
        var fields = HTTP2Fields()
        fields.append(":method", "GET")
        fields.append(":scheme", "https")
        fields.append(":authority", "example.org")
        fields.append(":path", path)
        return fields
    }

    private static func status(_ code: String) -> HTTP2Fields {
        var fields = HTTP2Fields()
        fields.append(":status", code)
        return fields
    }

    @Test func `a request and its response arrive as they were sent`() throws {
        let pair = SessionPair()
        var fields = Self.get("/v1/articles?limit=2")
        fields.append(contentsOf: [.accept: "application/json", .cookie: "a=b"])
        let stream = try #require(pair.client.request([fields]))
        let learned = try pair.exchange().server
        var heads: [RequestHead] = []
        for case .request(stream, let head, _, isLast: true) in learned { heads.append(head) }
        #expect(heads.count == 1)
        #expect(heads[0].method == .get)
        #expect(heads[0].target.description == "/v1/articles?limit=2")
        #expect(heads[0].version == .http2)
        #expect(heads[0].framing == .none)
        #expect(heads[0].fields[.host] == "example.org")
        #expect(heads[0].fields[.cookie] == "a=b")

        var reply = Self.status("200")
        reply.append(contentsOf: [.contentType: "text/plain", .connection: "close"])
        let body = HTTP2Body(Array("hello".utf8), isLast: true)
        #expect(pair.server.respond(on: stream, [reply], body))
        let (atServer, atClient) = try pair.exchange()
        var received: [UInt8] = []
        var isWhole = false
        var responses = 0
        for event in atClient {
            switch event {
            case .response(stream, let head, isLast: false):
                responses += 1
                #expect(head.status == .ok)
                #expect(head.fields.all.map { "\($0)=\($1)" } == ["content-type=text/plain"])
            case .data(stream, let bytes): received += bytes
            case .received(stream): isWhole = true
            default: break
            }
        }
        #expect(String(decoding: received, as: UTF8.self) == "hello")
        #expect(isWhole && responses == 1)
        let ends = atServer.contains { if case .closed(stream, .none) = $0 { true } else { false } }
        #expect(ends)
    }

    @Test func `a client learns where its requests begin in the output`() throws {
        let pair = SessionPair()
        var output = try SessionPair.output(of: pair.client)
        var offsets: [Int32: Int] = [:]
        for path in ["/a", "/b"] {
            for _ in 0..<2 { _ = try #require(pair.client.request([Self.get(path)])) }
            #expect(pair.client.takeEvents().isEmpty)
            output += try SessionPair.output(of: pair.client)
            for case .begun(let stream, let offset) in pair.client.takeEvents() {
                offsets[stream] = offset
            }
        }
        #expect(pair.client.writtenBytes == output.count)
        #expect(offsets.keys.sorted() == [1, 3, 5, 7])
        // The type of a frame and its stream (RFC 9113 §4.1).
        for (stream, offset) in offsets {
            #expect(output[offset + 3] == 1)
            #expect(output[offset + 8] == UInt8(stream))
        }
    }

    @Test func `a body larger than the window waits until it is consumed`() throws {
        var settings = HTTP2Settings()
        settings.streamWindowBytes = 1_000
        let pair = SessionPair(settings)
        let body = HTTP2Body([UInt8](repeating: 7, count: 2_500), isLast: true)
        _ = try pair.exchange()
        let stream = try #require(pair.client.request([Self.get("/")], body))
        var received = 0
        var isWhole = false
        for expected in [1_000, 2_000, 2_500] {
            var count = 0
            for event in try pair.exchange().server {
                if case .data(stream, let bytes) = event { count += bytes.count }
                if case .received(stream) = event { isWhole = true }
            }
            received += count
            #expect(received == expected)
            pair.server.consumed(count, on: stream)
        }
        #expect(isWhole)
    }

    @Test func `a stream whose body is not consumed does not block another one`() throws {
        var settings = HTTP2Settings()
        settings.connectionWindowBytes = 70_000
        let pair = SessionPair(settings)
        _ = try pair.exchange()
        let large = [UInt8](repeating: 1, count: 200_000)
        _ = pair.client.request([Self.get("/1")], HTTP2Body(large, isLast: true))
        _ = try pair.exchange()
        let second = try #require(
            pair.client.request([Self.get("/2")], HTTP2Body([1, 2, 3], isLast: true)))
        let isWhole = try pair.exchange().server.contains {
            if case .received(second) = $0 { true } else { false }
        }
        #expect(isWhole)
    }

    @Test func `a body continues piece by piece`() throws {
        let pair = SessionPair()
        let stream = try #require(pair.client.request([Self.get("/")]))
        _ = try pair.exchange()
        let body = HTTP2Body(isLast: false)
        pair.server.respond(on: stream, [Self.status("200")], body)
        var received: [UInt8] = []
        for (piece, isLast) in [([1, 2] as [UInt8], false), ([3], false), ([], true)] {
            _ = try pair.exchange()
            pair.server.put(piece, isLast: isLast, in: body, on: stream)
            for case .data(stream, let bytes) in try pair.exchange().client { received += bytes }
        }
        #expect(received == [1, 2, 3])
    }

    @Test func `pieces of a cookie become one field`() throws {
        let server = HTTP2Session(.server)
        let fields = TestFrame.block(
            "GET", "/", [("cookie", "a=b"), ("accept", "*/*"), ("cookie", "c=d")])
        try SessionPair.pass(
            TestFrame.preface + TestFrame.bytes(1, flags: 5, stream: 1, fields), to: server)
        var cookies: [String] = []
        for case .request(1, let head, _, _) in server.takeEvents() {
            cookies += head.fields.values(of: .cookie)
        }
        #expect(cookies == ["a=b; c=d"])
    }

    /// RFC 9113 §8.1.1: the stream is reset, or the head is reported as invalid.
    @Test(arguments: [
        TestFrame.block("GET", "/", [("Accept", "*/*")]),
        TestFrame.block("GET", "/", [("a b", "c")]),
        TestFrame.block("GET", "/", [("x", "a\r\nhost: other")]),
        TestFrame.block("GET", "/", [("x", " a")]),
        TestFrame.block("GET", "/", [("x", "a\u{0}")]),
        TestFrame.block("GET", "/", [("connection", "close")]),
        TestFrame.block("GET", "/", [("transfer-encoding", "chunked")]),
        TestFrame.block("GET", "/", [("upgrade", "h2c")]),
        TestFrame.block("GET", "/", [("te", "gzip")]),
        TestFrame.block("GET", "/", [(":path", "/2")]),
        TestFrame.block("GET", "/", [(":late", "x")]),
        TestFrame.block("GET", "/", [("host", "other")]),
        TestFrame.block("GET", "/", authority: nil),
        TestFrame.block("GET", "/", authority: "a b"), TestFrame.block("GET", "no-slash"),
        TestFrame.block("GET", "/a b"),
        TestFrame.block("G T", "/"), TestFrame.block("GET", ""),
        TestFrame.block("GET", "/", [("content-length", "x")]),
        TestFrame.block("GET", "/", [("content-length", "5")]),
        TestFrame.block("GET", "/", [("a:b", "c")]),
        TestFrame.block("GET", "/", [("expect", "more")]), TestFrame.field(":method", "GET"),
        TestFrame.block("GET", "/", [("", "empty")]),
    ])
    func `a malformed request is none`(fields: [UInt8]) throws {
        let server = HTTP2Session(.server)
        try SessionPair.pass(
            TestFrame.preface + TestFrame.bytes(1, flags: 5, stream: 1, fields), to: server)
        var output: [UInt8] = []
        try server.write(to: &output, upTo: 1 << 20)
        let events = server.takeEvents()
        let isRequest = events.contains { if case .request = $0 { true } else { false } }
        let isKnown = events.contains {
            switch $0 {
            case .badRequest(1, _, _, _): true
            case .closed(1, let code): code == .protocol
            default: false
            }
        }
        #expect(!isRequest)
        #expect(isKnown)
        // The connection goes on.
        try SessionPair.pass(TestFrame.bytes(1, flags: 5, stream: 3, TestFrame.block()), to: server)
        let goesOn = server.takeEvents().contains {
            if case .request(3, _, _, _) = $0 { true } else { false }
        }
        #expect(goesOn)
    }

    @Test func `something else than HTTP 2 is no preface`() {
        let server = HTTP2Session(.server)
        #expect(throws: HTTP2Error.badPreface) {
            try SessionPair.pass(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), to: server)
        }
    }

    @Test func `the end is announced before streams are rejected`() throws {
        let pair = SessionPair()
        _ = try pair.exchange()
        pair.server.announceEnd()
        // Sent before the announcement arrives.
        let stream = try #require(pair.client.request([Self.get("/")]))
        let (atServer, atClient) = try pair.exchange()
        let isServed = atServer.contains {
            if case .request(stream, _, _, _) = $0 { true } else { false }
        }
        #expect(isServed)
        let isAnnounced = atClient.contains {
            if case .goAway(last: .max, .none) = $0 { true } else { false }
        }
        #expect(isAnnounced)
        #expect(pair.client.request([Self.get("/")]) == nil)
        pair.server.end()
        pair.server.respond(on: stream, [Self.status("204")])
        _ = try pair.exchange()
        #expect(!pair.server.wantsToReceive)
        #expect(!pair.server.wantsToSend)
    }
}
