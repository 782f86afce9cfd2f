import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite("Serialized messages round-trip")
struct RoundTripTests {
    @Test func `requests round-trip`() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<1_000 {
            let request = Self.request(&random)
            let bytes = RequestSerializer.bytes(of: request)
            let reception = Receiver.receive([bytes[...]])
            #expect(reception.error == nil)
            #expect(reception.restBytes == 0)
            let received = try #require(reception.requests.first)
            var fields = received.head.fields
            fields.remove(.contentLength)
            let again = HTTPRequest(
                received.head.method, received.head.target, version: received.head.version,
                fields: fields, body: received.body)
            #expect(again == request)
        }
    }

    @Test func `a request has one Content-Length, whatever its fields contain`() throws {
        let target = try #require(RequestTarget("/".utf8))
        var request = HTTPRequest(.post, target, fields: [.host: "a"], body: Array("abc".utf8))
        request.fields.append(.contentLength, "99")
        request.fields.append(.transferEncoding, "chunked")
        let text = String(decoding: RequestSerializer.bytes(of: request), as: UTF8.self)
        #expect(text == "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        #expect(Receiver.receive(text).requests.first?.body == request.body)
    }

    @Test func `a request without a body has a length only if one is expected`() throws {
        let target = try #require(RequestTarget("/".utf8))
        func text(_ method: HTTPMethod) -> String {
            let request = HTTPRequest(method, target, fields: [.host: "a"])
            return String(decoding: RequestSerializer.bytes(of: request), as: UTF8.self)
        }
        #expect(text(.get) == "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(text(.put) == "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
    }

    @Test(arguments: [HTTPVersion.http11, .http10], [true, false])
    func `responses round-trip`(version: HTTPVersion, keepsAlive: Bool) throws {
        var random = SplitMix64(seed: 6)
        for status in [HTTPStatus.ok, .created, .notFound, .insufficientStorage] {
            for pieces in [[], ["a"], ["abc", "", String(repeating: "x", count: 300)]] {
                let body = pieces.joined()
                for framing in Self.framings(version, body.utf8.count) {
                    let fields = Self.fields(&random)
                    // A body delimited by the end of the connection closes it.
                    let keepsAlive = keepsAlive && framing != .untilClose
                    var bytes: [UInt8] = []
                    ResponseSerializer.appendHead(
                        status: status, fields: fields, framing: framing,
                        date: Array(HTTPDate.text(0).utf8), keepsAlive: keepsAlive,
                        version: version, to: &bytes)
                    let read = try Self.read(bytes, pieces, framing)
                    #expect(read.head.status == status)
                    #expect(read.head.keepsAlive == keepsAlive)
                    #expect(read.head.fields[.date] == "Thu, 01 Jan 1970 00:00:00 GMT")
                    #expect(read.body == body)
                    #expect(Self.own(read.head.fields) == fields)
                }
            }
        }
    }

    @Test func `an empty chunk is not written, as it would end the body`() {
        var bytes: [UInt8] = []
        ResponseSerializer.appendChunk([], to: &bytes)
        #expect(bytes.isEmpty)
        ResponseSerializer.appendChunk([UInt8](repeating: 0x61, count: 26), to: &bytes)
        #expect(bytes.starts(with: "1a\r\naaaa".utf8))
    }

    // MARK: Generating and parsing messages

    private static func framings(
        _ version: HTTPVersion, _ length: Int
    ) -> [ResponseSerializer.Framing] {
        [.length(length), version == .http11 ? .chunked : .untilClose]
    }

    private static func read(
        _ head: [UInt8], _ pieces: [String], _ framing: ResponseSerializer.Framing
    ) throws -> (head: ResponseHead, body: String) {
        var bytes = head
        for piece in pieces {
            if framing == .chunked {
                ResponseSerializer.appendChunk(Array(piece.utf8), to: &bytes)
            } else {
                bytes += Array(piece.utf8)
            }
        }
        if framing == .chunked { bytes += ResponseSerializer.lastChunk }
        var parser = ResponseParser()
        let head = try #require(try parser.parse(bytes.span, to: .get))
        bytes.removeFirst(parser.consumed)
        var decoder = try BodyDecoder(head.framing)
        var body: [UInt8] = []
        let used = try decoder.decode(bytes.span, into: &body)
        #expect(used == bytes.count)
        #expect(decoder.isComplete == (framing != .untilClose))
        return (head, String(decoding: body, as: UTF8.self))
    }

    /// Without the fields that the serializer writes itself.
    private static func own(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        for name in [HTTPFieldName.date, .contentLength, .transferEncoding, .connection] {
            fields.remove(name)
        }
        return fields
    }

    private static func fields(_ random: inout SplitMix64) -> HTTPFields {
        let names = ["X-One", "x-one", "ETag", "Vary", "a!#$%&'*+-.^_`|~"]
        let values = ["", "a", "a  b", "\"q\"", "한국", "a:b, c", String(repeating: "v", count: 99)]
        var fields = HTTPFields()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            if let name = names.randomElement(using: &random).flatMap({ HTTPFieldName($0) }) {
                fields.append(name, values.randomElement(using: &random) ?? "")
            }
        }
        return fields
    }

    private static func request(_ random: inout SplitMix64) -> HTTPRequest {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        let targets = ["/", "/a/b?c=d", "/%EA%B8%80?", "http://h.example:1/x", "//a"]
            .compactMap { RequestTarget($0.utf8) }
        var fields = fields(&random)
        fields.append(.host, "h.example:8080")
        let length = Int.random(in: 0...2, using: &random) * Int.random(in: 0...99, using: &random)
        return HTTPRequest(
            methods.randomElement(using: &random) ?? .get,
            targets[Int.random(in: 0..<targets.count, using: &random)],
            version: Bool.random(using: &random) ? .http11 : .http10, fields: fields,
            body: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
}
