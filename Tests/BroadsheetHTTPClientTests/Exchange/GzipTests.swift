import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import CBroadsheetZlib
import Testing

/// Response bodies with gzip (RFC 1952), and with deflate (RFC 1950, RFC 1951).
@Suite struct GzipTests {
    private static let streamed = {
        var options = patient
        options.isStreamed = true
        return options
    }()
    private static let text = (0..<20_000).map { "line \($0)\n" }.joined()

    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 128) { room, count in
            count = bytes.withUnsafeBufferPointer {
                czlib_gzip(room.baseAddress, room.count, $0.baseAddress, $0.count, 9)
            }
        }
    }

    /// Body and bare block, as servers send either as `deflate`.
    private func deflate(_ text: String) -> (zlib: [UInt8], raw: [UInt8]) {
        let input = Array(text.utf8)
        let zlib = [UInt8](unsafeUninitializedCapacity: input.count + 128) { room, count in
            var length = UInt(room.count)
            compress2(room.baseAddress, &length, input, UInt(input.count), 9)
            count = Int(length)
        }
        return (zlib, Array(zlib[2..<(zlib.count - 4)]))
    }

    /// The body that the client decodes when these bytes are sent with these fields.
    private func answer(
        _ body: [UInt8], _ fields: String = "Content-Encoding: gzip\r\n",
        to request: HTTPRequest = plain, options: ExchangeOptions = patient,
        _ check: (HTTPResponse) async throws -> Void
    ) async throws {
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil {
                try await peer.send(
                    "HTTP/1.1 200 OK\r\nETag: \"1-gzip\"\r\n\(fields)"
                        + "Content-Length: \(body.count)\r\n\r\n")
                try await peer.send(body)
            }
        } _: { server in
            let client = try HTTPClient()
            for _ in 0..<2 {
                try await check(
                    try await client.send(
                        request, to: HTTPOrigin(server.address), options: options))
            }
            #expect(server.acceptedCount == 1)
        }
    }

    private func error(
        _ body: [UInt8], _ options: ExchangeOptions = patient, framing: String? = nil
    ) async throws -> HTTPClientError? {
        let error = Lock<HTTPClientError?>(nil)
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            let framing = framing ?? "Content-Length: \(body.count)\r\n"
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(framing)\r\n")
            try await peer.send(body)
        } _: { server in
            let client = try HTTPClient()
            let found = await failure { () throws(HTTPClientError) in
                try await client.send(plain, to: HTTPOrigin(server.address), options: options)
            }
            error.withLock { $0 = found }
        }
        return error.withLock { $0 }
    }

    @Test func `gzip is requested and decoded`() async throws {
        let asked = Lock<[String?]>([])
        let body = gzip(Array(Self.text.utf8))
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                asked.withLock { $0.append(request.fields[.acceptEncoding]) }
                try await peer.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                        + "Content-Length: \(body.count)\r\n\r\n")
                try await peer.send(body)
            }
        } _: { server in
            let client = try HTTPClient()
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: patient)
            #expect(answer.text == Self.text)
            #expect(asked.withLock { $0 } == ["gzip"])
        }
    }

    @Test func `fields describe the decoded body, and the validator stays`() async throws {
        try await answer(gzip(Array("hello".utf8))) { answer in
            #expect(answer.text == "hello")
            #expect(!answer.fields.contains(.contentEncoding))
            #expect(!answer.fields.contains(.contentLength))
            #expect(answer.fields[.etag] == "\"1-gzip\"")
        }
    }

    @Test func `a body without gzip is returned unchanged`() async throws {
        let body = gzip(Array("hello".utf8))
        try await answer(Array("hello".utf8), "") { #expect($0.text == "hello") }
        try await answer(body, "Content-Encoding: br\r\n") { answer in
            guard case .bytes(body) = answer.body else { throw TestFailure("another body") }
            #expect(answer.fields[.contentEncoding] == "br")
        }
        var picky = plain
        picky.fields.append(.acceptEncoding, "gzip")
        try await answer(body, to: picky) { answer in
            guard case .bytes(body) = answer.body else { throw TestFailure("another body") }
            #expect(answer.fields[.contentEncoding] == "gzip")
        }
    }

    @Test func `several members form one body, and none an empty one`() async throws {
        let members = gzip(Array("one, ".utf8)) + gzip([]) + gzip(Array("two".utf8))
        try await answer(members) { #expect($0.text == "one, two") }
        try await answer([]) { #expect($0.text == "") }
        try await answer(gzip([])) { #expect($0.text == "") }
    }

    @Test func `a stream is decoded as it arrives`() async throws {
        let body = gzip(Array(Self.text.utf8))
        let goOn = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
            for (index, piece) in [body.prefix(9_000), body.dropFirst(9_000)].enumerated() {
                if index == 1 { await goOn.wait() }
                try await peer.send("\(String(piece.count, radix: 16))\r\n")
                try await peer.send(Array(piece) + Array("\r\n".utf8))
            }
            try await peer.send("0\r\n\r\n")
        } _: { server in
            let client = try HTTPClient()
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: Self.streamed)
            guard case .stream(let stream) = answer.body else { throw TestFailure("no stream") }
            #expect(stream.length == nil)
            var bytes = try await stream.next() ?? []
            #expect(!bytes.isEmpty)
            goOn.give()
            while let piece = try await stream.next() { bytes += piece }
            #expect(String(decoding: bytes, as: UTF8.self) == Self.text)
        }
    }

    @Test func `invalid gzip is malformed, wherever the error is`() async throws {
        let body = gzip(Array(Self.text.utf8))
        #expect(try await error(Array("hello".utf8)) == .malformed("a body that is not valid gzip"))
        var corrupt = body
        corrupt[body.count / 2] ^= 0xFF
        #expect(try await error(corrupt) == .malformed("a body that is not valid gzip"))
        var wrongSum = body
        wrongSum[body.count - 6] ^= 1
        #expect(try await error(wrongSum) == .malformed("a body that is not valid gzip"))
        let second = gzip(Array("more".utf8))
        var corruptSecond = body + second
        corruptSecond[corruptSecond.count - 6] ^= 1
        #expect(try await error(corruptSecond) == .malformed("a body that is not valid gzip"))
    }

    @Test func `what follows the last member is ignored, however it arrives`() async throws {
        let body = gzip(Array("hello".utf8))
        for rest in [
            [0], [UInt8](repeating: 0, count: 600), [1, 2, 3], [0x1F], [0x1F, 0x1F, 0x8B],
            [0, 0x1F],
            Array("</rss>".utf8), [0] + body,
        ] {
            try await answer(body + rest) { #expect($0.text == "hello") }
            var chunks: [UInt8] = []
            for byte in body + rest { chunks += Array("1\r\n".utf8) + [byte, 0x0D, 0x0A] }
            let framing = "Transfer-Encoding: chunked\r\n"
            #expect(try await error(chunks + Array("0\r\n\r\n".utf8), framing: framing) == nil)
        }
        let early = HTTPClientError.malformed("a truncated gzip body")
        for count in [2, 9, 15] {
            #expect(try await error(body + body.prefix(count)) == early)
        }
    }

    @Test func `deflate that nobody asked for is decoded, in both forms`() async throws {
        for text in ["", "hello", Self.text] {
            let (zlib, raw) = deflate(text)
            for body in [zlib, raw, zlib + [0, 0]] {
                try await answer(body, "Content-Encoding: Deflate\r\n") { answer in
                    #expect(answer.text == text)
                    #expect(!answer.fields.contains(.contentEncoding))
                }
            }
        }
        let fields = "Content-Encoding: deflate\r\n"
        await #expect(throws: HTTPClientError.malformed("a body that is not valid deflate")) {
            try await answer(Array("hello".utf8), fields) { _ in }
        }
        await #expect(throws: HTTPClientError.malformed("a truncated deflate body")) {
            try await answer(deflate(Self.text).zlib.dropLast(), fields) { _ in }
        }
    }

    @Test func `truncated gzip is malformed, even at the end of the connection`() async throws {
        let body = gzip(Array(Self.text.utf8))
        let early = HTTPClientError.malformed("a truncated gzip body")
        for count in [1, 9, 10, 100, body.count - 8, body.count - 1] {
            #expect(try await error(Array(body.prefix(count))) == early)
        }
        #expect(try await error(body.dropLast(), framing: "Connection: close\r\n") == early)
        let length = "Content-Length: \(body.count)\r\n"
        #expect(try await error(body.dropLast(), framing: length) == .disconnected)
    }

    @Test func `a small body that expands above the limit is rejected`() async throws {
        let bomb = gzip([UInt8](repeating: 0, count: 8 << 20))
        #expect(bomb.count < 1 << 14)
        var options = patient
        options.bodyBytes = 1 << 20
        #expect(try await error(bomb, options) == .tooLarge(limitBytes: 1 << 20))
        options.bodyBytes = 8 << 20
        #expect(try await error(bomb, options) == nil)
    }

    @Test func `a stream returns a large body in small pieces`() async throws {
        try await answer(gzip([UInt8](repeating: 7, count: 4 << 20)), options: Self.streamed) {
            answer in
            guard case .stream(let stream) = answer.body else { throw TestFailure("no stream") }
            var count = 0
            while let piece = try await stream.next() {
                #expect(piece.count <= 64 << 10)
                count += piece.count
            }
            #expect(count == 4 << 20)
        }
    }
}

extension [UInt8] {
    fileprivate func dropLast() -> [UInt8] { Array(prefix(count - 1)) }
}
