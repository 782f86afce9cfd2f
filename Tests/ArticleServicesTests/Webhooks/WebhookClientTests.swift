import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServiceCore
@testable import ArticleServices

/// The sending of a batch over HTTP.
@Suite struct WebhookClientTests {
    /// Delivers to a scripted server.
    private static func deliver(
        _ client: OutboundClient = client(), timeout: Duration = .seconds(Patience.seconds),
        to server: ScriptedServer
    ) async throws -> HTTPStatus {
        try await deliver(client, timeout, to: "http://\(server.address)/hook?key=hidden")
    }

    private static func client(
        _ connections: HTTPClientConfiguration = .init()
    ) -> OutboundClient { OutboundClient(Webhooks.connections(connections)) }

    private static func deliver(
        _ client: OutboundClient, _ timeout: Duration, to url: String
    ) async throws -> HTTPStatus {
        let environment = OutboundEnvironment(
            agent: "a", exchange: client.exchange, timeout: timeout,
            system: .clock { TestBackend.opening })
        return try await environment.deliver(
            Array("{}".utf8), [.contentType: "application/json"], to: HTTPURL(url))
    }

    @Test func `a batch is a POST, and the connection is kept`() async throws {
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                #expect(request.method == .post && request.body == Array("{}".utf8))
                #expect(String(decoding: request.target.bytes, as: UTF8.self) == "/hook?key=hidden")
                #expect(request.fields[.contentType] == "application/json")
                try await peer.respond("thanks")
            }
        } _: { server in
            let client = Self.client()
            for _ in 1...3 {
                let status = try await Self.deliver(client, to: server)
                #expect(status == .ok)
            }
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a receiver is trusted by the configured authorities alone`() async throws {
        let certificates = try TestCertificates()
        let other = try TestCertificates()
        for (trusted, isTrusted) in [(certificates, true), (other, false)] {
            let peer = try TestTLSPeer(
                certificates.pair(["127.0.0.1"]),
                response: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            var connections = HTTPClientConfiguration()
            connections.tls = try TLSClient(
                authorities: Array(trusted.authority.certificatePEM.utf8),
                protocols: ["http/1.1"])
            let status = try? await Self.deliver(
                Self.client(connections), .seconds(Patience.seconds),
                to: "https://127.0.0.1:\(peer.address.port)/hook")
            #expect((status == .ok) == isTrusted)
        }
    }

    @Test func `redirects are not followed`() async throws {
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil {
                try await peer.send(
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\n"
                        + "Content-Length: 0\r\n\r\n")
            }
        } _: { server in
            let status = try await Self.deliver(to: server)
            #expect(status == .temporaryRedirect)
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a response without end is cut, and its status counts`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 202 Accepted\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 16 << 10)
            // Ends when the client closes the connection.
            while true { try await peer.send(piece) }
        } _: { server in
            let status = try await Self.deliver(to: server)
            #expect(status == .accepted)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"])
    func `a receiver that does not respond in time is given up`(beginning: String) async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send(beginning)
            await peer.waitForEnd()
        } _: { server in
            let failure = try await #require(throws: HTTPClientError.self) {
                _ = try await Self.deliver(timeout: .milliseconds(50), to: server)
            }
            #expect(failure == .timedOut)
        }
    }

    @Test func `a cancelled delivery ends without a response`() async throws {
        let isAsked = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            isAsked.give()
            await peer.waitForEnd()
        } _: { server in
            let isOver = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    (try? await Self.deliver(to: server)) == nil
                }
                await isAsked.wait()
                group.cancelAll()
                return await group.next()
            }
            #expect(isOver == true)
        }
    }

    @Test func `a failure names neither path nor query`() async throws {
        let server = try ScriptedServer { _, _ in }
        await server.stop()
        let failure = try await #require(throws: HTTPClientError.self) {
            _ = try await Self.deliver(to: server)
        }
        let reason = failure.description
        #expect(reason.contains("cannot connect to http://\(server.address)"))
        #expect(!reason.contains("hidden") && !reason.contains("hook"))
    }
}
