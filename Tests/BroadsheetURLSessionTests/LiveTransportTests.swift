import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import BroadsheetURLSession
import Testing

/// Live changes over connections, by each transport.
@Suite struct LiveTransportTests {
    private static func events(_ count: Int) -> String {
        let change = SyncChange<Article>.deleteArticle(
            Article.ID(at: Timestamp(milliseconds: 1)), revision: 1)
        let data = String(decoding: change.json(), as: UTF8.self)
        let changes = (1...count).map { "event: change\nid: t\($0)\ndata: \(data)\n\n" }
        return ": hello\n\n" + changes.joined() + "event: ready\nid: t\(count)\ndata: {}\n\n"
    }

    @Test(arguments: [false, true])
    func `changes arrive, are resumed, and are suspended`(isURLSession: Bool) async throws {
        let closed = Signal()
        let begun = Locked([String?]())
        try await ScriptedServer.run { peer, number in
            let request = try await peer.request()
            begun.withLock { $0.append(request?.fields[.lastEventID]) }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            if number == 0 {
                let events = Self.events(200) + "retry: 0\n"
                let length = "Connection: close\r\nContent-Length: \(events.utf8.count)\r\n\r\n"
                return try await peer.send(head + length + events)
            }
            try await peer.send(head + "\r\n" + Self.events(number == 1 ? 3 : 4))
            await peer.waitForEnd()
            if number == 1 { closed.give() }
        } _: { server in
            let baseURL = try #require(BaseURL("http://\(server.address)"))
            var configuration = BackendConfiguration(baseURL: baseURL)
            configuration.timeout = .seconds(600)
            let transport: any Transport =
                isURLSession ? URLSessionTransport() : SocketTransport()
            let backend = BackendService(configuration: configuration, transport: transport)
            let options = RequestOptions(streamStallTimeout: .seconds(600))
            let live = backend.liveChanges(from: nil, options: options)
            let isCurrent = Signal()
            let follower = Task {
                var changes = 0
                for try await step in live {
                    guard case .page(let page) = step else { throw TestFailure("\(step)") }
                    changes += page.changes.count
                    if page.next == "t3", !page.more { isCurrent.give() }
                    if page.next == "t4", !page.more { return changes }
                }
                throw TestFailure("the end")
            }
            await isCurrent.wait()
            live.suspend()
            await closed.wait()
            #expect(begun.withLock { $0 } == [nil, "t200"])
            live.resume()
            #expect(try await follower.value == 207)
            #expect(begun.withLock { $0 } == [nil, "t200", "t3"])
        }
    }
}
