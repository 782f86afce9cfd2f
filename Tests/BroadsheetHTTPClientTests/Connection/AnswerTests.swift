import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetTestSupport
import Testing

@Suite struct AnswerTests {
    /// The client's outcome for a server that sends these bytes and closes the connection.
    private func outcome(
        of bytes: String, to request: HTTPRequest = plain, bodyBytes: Int = 1_000
    ) async throws -> Result<HTTPResponse, HTTPClientError> {
        let server = try ScriptedServer { peer, _ in
            _ = try await peer.request()
            // Sometimes byte by byte: no outcome depends on how bytes arrive.
            let octets = Array(bytes.utf8)
            try await peer.send(Array(octets.prefix(7)))
            try await peer.send(Array(octets.dropFirst(7)))
        }
        let client = try HTTPClient()
        var options = ExchangeOptions()
        options.bodyBytes = bodyBytes
        let result: Result<HTTPResponse, HTTPClientError>
        do throws(HTTPClientError) {
            result = .success(
                try await client.send(request, to: HTTPOrigin(server.address), options: options))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        return result
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            "hello"
        ),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", "until the end"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n", ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ""),
    ])
    func `every framing is decoded`(bytes: String, body: String) async throws {
        #expect(try await outcome(of: bytes).get().text == body)
    }

    @Test func `a response to HEAD has no body, whatever its fields`() async throws {
        let head = try request("/", .head)
        let answer = try await outcome(
            of: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: head
        ).get()
        #expect(answer.text == "")
        #expect(answer.fields[.contentLength] == "5")
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ])
    func `a truncated response is never complete`(bytes: String) async throws {
        let result = try await outcome(of: bytes)
        #expect(throws: HTTPClientError.disconnected) { try result.get() }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: a\r\n\r\n", "HTTP/1.1 200 OK\r\na: b\rc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\n",
    ])
    func `an invalid response is rejected`(bytes: String) async throws {
        let result = try await outcome(of: bytes)
        guard case .failure(.malformed) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello hello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello hello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello hello",
    ])
    func `a body above the limit is rejected`(bytes: String) async throws {
        let result = try await outcome(of: bytes, bodyBytes: 10)
        #expect(throws: HTTPClientError.tooLarge(limitBytes: 10)) { try result.get() }
        #expect(try await outcome(of: bytes, bodyBytes: 11).get().text == "hello hello")
    }

    @Test func `a head has at most 256 KiB, or what the configuration says`() async throws {
        let rest = "Content-Length: 5\r\n\r\nhello"
        func head(bytes: Int) -> String {
            let start = "HTTP/1.1 200 OK\r\nContent-Security-Policy: "
            let count = bytes - start.utf8.count - 2 - 21
            return start + String(repeating: "x", count: count) + "\r\n" + rest
        }
        #expect(try await outcome(of: head(bytes: 256 << 10)).get().text == "hello")
        let cookies = String(repeating: "Set-Cookie: a=b\r\n", count: 999)
        #expect(
            try await outcome(of: "HTTP/1.1 200 OK\r\n\(cookies)\(rest)").get().text == "hello")
        for text in [head(bytes: 257 << 10), "HTTP/1.1 200 OK\r\nA: b\r\n\(cookies)\(rest)"] {
            guard case .failure(.malformed(let detail)) = try await outcome(of: text) else {
                Issue.record("it was taken")
                continue
            }
            #expect(detail.hasPrefix("more than "))
        }
    }

    @Test func `endless interim responses are rejected`() async throws {
        let bytes = String(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 17)
        guard case .failure(.malformed) = try await outcome(of: bytes) else {
            Issue.record("seventeen were taken")
            return
        }
    }
}
