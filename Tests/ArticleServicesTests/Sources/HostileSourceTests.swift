import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServiceCore
@testable import ArticleServices

/// Servers that do what no feed should. Each costs bounded time and memory, leaves a clear error,
/// and keeps no other source from being polled.
@Suite struct HostileSourceTests {
    /// The behaviour of a server on a connection once it has got a request.
    struct Hostility: Sendable, CustomTestStringConvertible {
        let name: String
        /// A part of the error.
        let error: String
        /// The timeouts to try until the other source keeps them, too.
        let timeouts: [Duration]
        let script: @Sendable (ScriptedPeer, Counter) async throws -> Void

        var testDescription: String { name }

        init(
            _ name: String, _ error: String, timeouts: [Duration] = [.seconds(Patience.seconds)],
            _ script: @escaping @Sendable (ScriptedPeer, Counter) async throws -> Void
        ) {
            self.name = name
            self.error = error
            self.timeouts = timeouts
            self.script = script
        }
    }

    private static let tooLarge = "larger than 10485760 bytes"
    private static let late = "did not arrive in time"
    /// A busy machine may exceed the first ones.
    private static let brief: [Duration] = [.milliseconds(500), .seconds(5), .seconds(50)]

    /// The client does not keep a connection on which the response is complete.
    private static func head(_ fields: String = "", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Type: application/xml\r\n\(fields)"
    }

    /// Sends the same piece until the client has enough, and counts the bytes.
    private static func flood(
        _ peer: ScriptedPeer, _ piece: [UInt8], _ sent: Counter
    ) async throws {
        while true {
            try await peer.send(piece)
            for _ in 0..<(piece.count >> 10) { sent.next() }
        }
    }

    private static func document(
        _ text: String, _ fields: String = ""
    ) -> @Sendable (ScriptedPeer, Counter) async throws -> Void {
        { peer, _ in
            try await peer.send(
                head("\(fields)Content-Length: \(text.utf8.count)\r\n\r\n") + text)
        }
    }

    /// One mebibyte of zeros (`gzip -9`).
    private static let gzipped: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 8]
        + [95, 160] + [UInt8](repeating: 0, count: 1_016) + [62, 3, 28, 234, 56, 167]
        + [0, 0, 16, 0]

    static let time: [Hostility] = [
        Hostility("never responds", late, timeouts: brief) { peer, _ in await peer.waitForEnd() },
        Hostility("stops in the head", late, timeouts: brief) { peer, _ in
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Type: te")
            await peer.waitForEnd()
        },
        Hostility("sends a byte at a time", late, timeouts: brief) { peer, _ in
            try await peer.send(head("Content-Length: 1000000\r\n\r\n"))
            while true {
                try await peer.send("<")
                // The server's pace, on which nothing depends.
                try await Task.sleep(for: .milliseconds(5))
            }
        },
        Hostility("stops in the body", late, timeouts: brief) { peer, _ in
            try await peer.send(head("Content-Length: 1000\r\n\r\n<feed"))
            await peer.waitForEnd()
        },
        Hostility("sends interim responses for ever", "too many interim responses") { peer, _ in
            while true { try await peer.send("HTTP/1.1 103 Early Hints\r\n\r\n") }
        },
    ]

    static let size: [Hostility] = [
        Hostility("announces 100 MB", tooLarge) { peer, sent in
            try await peer.send(head("Content-Length: 104857600\r\n\r\n"))
            try await flood(peer, [UInt8](repeating: 0x20, count: 64 << 10), sent)
        },
        Hostility("sends a body without end", tooLarge) { peer, sent in
            try await peer.send(head("\r\n"))
            try await flood(peer, [UInt8](repeating: 0x20, count: 64 << 10), sent)
        },
        Hostility("sends chunks without end", tooLarge) { peer, sent in
            try await peer.send(head("Transfer-Encoding: chunked\r\n\r\n"))
            let piece = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"
            try await flood(peer, Array(piece.utf8), sent)
        },
        Hostility("sends a gzip bomb", tooLarge) { peer, sent in
            try await peer.send(head("Content-Encoding: gzip\r\n\r\n"))
            // A member after the other, each of a mebibyte.
            try await flood(peer, gzipped, sent)
        },
        Hostility("sends fields without end", "the response has") { peer, sent in
            try await peer.send("HTTP/1.1 200 OK\r\n")
            try await flood(peer, Array(String(repeating: "A: b\r\n", count: 1_000).utf8), sent)
        },
        Hostility("sends a field without end", "the response has") { peer, sent in
            try await peer.send("HTTP/1.1 200 OK\r\nX: ")
            try await flood(peer, [UInt8](repeating: 0x61, count: 8_192), sent)
        },
    ]

    private static let laughs: String = {
        var text = "<!DOCTYPE feed [<!ENTITY a0 \"ha\">"
        for number in 1...20 {
            let before = String(repeating: "&a\(number - 1);", count: 10)
            text += "<!ENTITY a\(number) \"\(before)\">"
        }
        return text + "]><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>&a20;</title></feed>"
    }()

    static let content: [Hostility] = [
        // They are read without their entities.
        Hostility("declares a billion entities", "none", document(laughs)),
        Hostility(
            "refers to a file", "none",
            document(
                "<!DOCTYPE f [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
                    + "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>&x;</title></feed>")),
        Hostility(
            "nests a million elements", "is not a feed",
            document(String(repeating: "<a>", count: 1_000_000))),
        Hostility(
            "nests a million arrays", "is not a feed",
            document(String(repeating: "[", count: 1_000_000))),
        Hostility(
            "names an unknown charset", "is not a feed",
            document("<?xml version=\"1.0\" encoding=\"x-none\"?><feed/>")),
        Hostility(
            "is not in the charset that it names", "is not a feed",
            { peer, _ in
                let body: [UInt8] = Array("<feed><title>".utf8) + [0xFF, 0xFE, 0xC0, 0x80]
                try await peer.send(head("Content-Length: \(body.count)\r\n\r\n"))
                try await peer.send(body)
            }),
        Hostility("is a web page", "is not a feed", document("<html><p>Hello</p></html>")),
        Hostility("is empty", "is not a feed", document("")),
    ]

    static let framing: [Hostility] = [
        Hostility("resets in the body", "closed before the response was complete") { peer, _ in
            try await peer.send(head("Content-Length: 1000\r\n\r\n<feed"))
            peer.reset()
        },
        Hostility("ends in the body", "closed before the response was complete") { peer, _ in
            try await peer.send(head("Content-Length: 1000\r\n\r\n<feed"))
            throw TestFailure("the connection ends")
        },
        Hostility("speaks another protocol", "the response has") { peer, _ in
            try await peer.send("220 mail.example.org ESMTP\r\n\r\n")
        },
        Hostility("truncates gzip", "a truncated gzip body") { peer, _ in
            let part = gzipped.prefix(600)
            try await peer.send(
                head("Content-Encoding: gzip\r\nContent-Length: \(part.count)\r\n\r\n"))
            try await peer.send(Array(part))
        },
        Hostility("redirects for ever", "more than 5 redirects") { peer, _ in
            try await peer.send(
                head("Location: /loop\r\nContent-Length: 0\r\n\r\n", status: "301 Moved"))
        },
        Hostility("redirects nowhere", "no Location") { peer, _ in
            try await peer.send(head("Content-Length: 0\r\n\r\n", status: "302 Found"))
        },
    ]

    // One at a time: each runs three servers.
    @Test(.serialized, arguments: time + size + content + framing)
    func `a hostile server costs little, and no other source`(
        _ hostility: Hostility
    ) async throws {
        for timeout in hostility.timeouts {
            if try await isOtherPolled(beside: hostility, timeout) { return }
        }
        Issue.record("the other source was never polled in time")
    }

    /// Polls a hostile source and another one; false if that was not done in time either.
    private func isOtherPolled(
        beside hostility: Hostility, _ timeout: Duration
    ) async throws -> Bool {
        let isPolled = Lock(false)
        let policy = SourcePolicy(allowsPrivate: true)
        let feed = SourcePollTests.atom(SourcePollTests.entry("1", "Rye"))
        try await TestBackend.run(samples: false, sources: policy) { backend in
            let sent = Counter()
            try await ScriptedServer.run { peer, _ in
                while try await peer.request() != nil { try await hostility.script(peer, sent) }
            } _: { hostile in
                try await ScriptedServer.run { peer, _ in
                    while try await peer.request() != nil { try await peer.respond(feed) }
                } _: { friendly in
                    let fixture = SourceFixture(
                        backend, client: OutboundClient(policy.connections()), timeout: timeout)
                    let bad = try fixture.add("http://\(hostile.address)/feed")
                    let good = try fixture.add("http://localhost:\(friendly.address.port)/feed")
                    await fixture.poller.pollDueSources()
                    let error = try fixture.source(bad.id).lastError ?? "none"
                    #expect(error.contains(hostility.error), "\(error)")
                    let otherError = try fixture.source(good.id).lastError
                    if otherError?.contains(Self.late) != true {
                        #expect(otherError == nil)
                        // Entries that the time did not suffice for are left to the next poll.
                        let titles = try fixture.articles().map(\.title)
                        isPolled.withLock { $0 = titles == ["Rye"] }
                    }
                    // In KiB: the limit, and what was in buffers on the way.
                    #expect(sent.value < 32 << 10)
                    #expect(await eventually { hostile.connectionCount == 0 })
                }
            }
        }
        return isPolled.withLock { $0 }
    }

    @Test(arguments: ["localhost", "127.1", "2130706433", "0x7f000001", "0"])
    func `by default, nothing on this machine is connected to`(_ host: String) async throws {
        try await TestBackend.run(samples: false) { backend in
            try await ScriptedServer.run { peer, _ in
                while try await peer.request() != nil { try await peer.respond("<feed/>") }
            } _: { server in
                let client = OutboundClient(SourcePolicy().connections())
                let fixture = SourceFixture(backend, client: client)
                // The name is only resolved when it is connected to.
                let id = try fixture.add("https://\(host):\(server.address.port)/feed").id
                let error = try await fixture.poll(id).lastError ?? "none"
                #expect(error.contains("does not have a public Internet address"), "\(error)")
                #expect(server.acceptedCount == 0)
            }
        }
    }

    @Test func `a redirect leads to no address that is not permitted`() async throws {
        let policy = SourcePolicy(allowsPrivate: true)
        try await TestBackend.run(samples: false, sources: policy) { backend in
            try await ScriptedServer.run { _, _ in
            } _: { secret in
                let location = "http://localhost:\(secret.address.port)/"
                try await ScriptedServer.run { peer, _ in
                    while try await peer.request() != nil {
                        try await peer.send(
                            "HTTP/1.1 302 Found\r\nLocation: \(location)\r\n"
                                + "Content-Length: 0\r\n\r\n")
                    }
                } _: { server in
                    var connections = HTTPClientConfiguration()
                    connections.permits = { [address = server.address] in $0 == address }
                    let environment = OutboundEnvironment(
                        agent: "a", exchange: OutboundClient(connections).exchange,
                        system: .clock { backend.now })
                    let fetcher = SourceFetcher(policy: policy, environment: environment)
                    let url = try policy.url("http://\(server.address)/")
                    let failure = await #expect(throws: SourceFailure.self) {
                        _ = try await fetcher.fetch(
                            url, [:], by: environment.system.uptime + .seconds(Patience.seconds))
                    }
                    #expect(failure?.reason.contains("does not have a public") == true)
                    #expect(server.acceptedCount == 1 && secret.acceptedCount == 0)
                }
            }
        }
    }
}
