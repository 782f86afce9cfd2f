import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Responses that RFC 9112 allows user agents to accept, although they are not valid.
@Suite struct LenientResponseTests {
    private static let hello = "Content-Length: 5\r\n\r\nhello"
    private static let chunks = "5\r\nhello\r\n0\r\n\r\n"
    private static let valid = "HTTP/1.1 200 OK\r\n\(hello)"

    /// The bodies of two responses to successive requests, of which the first one gets these bytes,
    /// and the number of connections that they took.
    private func bodies(_ first: String) async throws -> (texts: [String?], connections: Int) {
        let result = Lock<(texts: [String?], connections: Int)>(([], 0))
        try await ScriptedServer.run { peer, index in
            var response = index == 0 ? first : Self.valid
            while try await peer.request() != nil {
                try await peer.send(response)
                response = Self.valid
            }
        } _: { server in
            let client = try HTTPClient()
            for _ in 0..<2 {
                let answer = try await client.send(
                    plain, to: HTTPOrigin(server.address), options: patient)
                result.withLock { $0.texts.append(answer.text) }
            }
            result.withLock { $0.connections = server.acceptedCount }
        }
        return result.withLock { $0 }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\r\nP3P: a\r\n b\r\n\(hello)",
        "HTTP/1.1  200 OK\r\n\(hello)", "HTTP/1.1\t200\tOK\r\n\(hello)",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n\(chunks)",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)",
        "HTTP/1.1 103 Hints\nLink: </a>\n\nHTTP/1.1 200 OK\r\n\(hello)",
    ])
    func `an invalid response is read, and the next one is not on its connection`(
        first: String
    ) async throws {
        let (texts, connections) = try await bodies(first)
        #expect(texts == ["hello", "hello"] && connections == 2)
        let usual = try await bodies(Self.valid)
        #expect(usual.texts == texts && usual.connections == 1)
    }

    @Test func `a response that another reader would take for two does not answer two requests`()
        async throws
    {
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        for first in [
            // By Content-Length, the second response is within the body.
            "HTTP/1.1 200 OK\r\nContent-Length: \(Self.chunks.utf8.count + evil.utf8.count)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n\(Self.chunks)\(evil)",
            // To a strict reader, the head ends later.
            "HTTP/1.1 200 OK\r\n\(Self.hello.replacing("\r\n\r\n", with: "\n\n"))\(evil)",
            "HTTP/1.1 200 OK\r\nX: y\r\n \r\n\(Self.hello)\(evil)",
        ] {
            let (texts, connections) = try await bodies(first)
            #expect(texts == ["hello", "hello"] && connections == 2)
        }
    }

    @Test func `a folded line is one value, with a space`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/xml;\r\n\tcharset=utf-8\r\n\(Self.hello)")
        } _: { server in
            let answer = try await HTTPClient().send(
                plain, to: HTTPOrigin(server.address), options: patient)
            #expect(answer.fields[.contentType] == "text/xml; charset=utf-8")
        }
    }
}
