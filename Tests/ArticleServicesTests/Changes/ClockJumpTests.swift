import ArticleAPI
import ArticleAccounts
import ArticleServices
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServiceCore

/// Change streams while the wall clock jumps.
@Suite struct ClockJumpTests {
    private static let bread = "/v1/articles/\(Samples.bread)"
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let year = 365 * day

    @Test func `what becomes due by a jump is streamed once, and no jump repeats or loses changes`()
        async throws
    {
        try await TestBackend.run { server in
            let publisher = server.backend.publisher
            async let _: Void = publisher.run()
            var audience = try Audience(server)

            server.pass(milliseconds: Self.year)
            #expect(await eventually { publisher.publishedCount == 1 })
            let published = "put article \(Samples.tomorrow) 2"
            let first = try audience.expect(
                [published, "put author \(Samples.ghost) 1"], editor: [published])

            server.pass(milliseconds: -Self.day)
            let time = TestBackend.opening.advanced(
                byMilliseconds: Self.year - Self.day + Self.hour)
            let later = try audience.create(
                #"{"title":"Later","status":"scheduled","publishedAt":"\#(time)"}"#)
            try audience.expect([], editor: ["put article \(later) 1"])

            // Before anything was written, and then to an hour before the publication.
            server.pass(milliseconds: -Self.year)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            let early = try audience.create(#"{"title":"Early","status":"published"}"#)
            try server.send("DELETE /v1/articles/\(first)", as: .editor)
            let changes = [
                "put article \(Samples.bread) 2", "put article \(early) 1",
                "delete article \(first) 2",
            ]
            try audience.expect(changes, editor: changes)
            server.pass(milliseconds: Self.year)
            try audience.expect([], editor: [])

            server.pass(milliseconds: Self.day)
            #expect(await eventually { publisher.publishedCount == 2 })
            try audience.expect(["put article \(later) 2"], editor: ["put article \(later) 2"])
            server.pass(milliseconds: -Self.day)
            try audience.expect([], editor: [])
            #expect(publisher.publishedCount == 2)
            #expect(server.backend.streams.statistics.ended.values.allSatisfy { $0 == 0 })
            try audience.expectCurrent()
        }
    }

    @Test func `a stream ends when the clock jumps past the expiry of its key`() async throws {
        try await TestBackend.run { server in
            let key = APIKey(
                name: "short", role: .editor, at: TestBackend.opening,
                expiresAt: TestBackend.opening.advanced(byMilliseconds: 30 * Self.day),
                system: .real)
            let record = String(decoding: key.record.json(), as: UTF8.self)
            let made = try server.send("POST /v1/admin/keys", as: .admin, record)
            #expect(made.summary == "204")
            var fields: HTTPFields = [.authorization: "Bearer \(key.text)"]
            let stream = try server.stream(as: .anonymous, fields)
            let other = try server.stream(as: .editor)
            for open in [stream, other] { _ = try open.events(upTo: "ready") }
            func patch(_ title: String) throws {
                try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"\#(title)"}"#)
                #expect(try other.next()?.data.contains(#""\#(title)""#) == true)
            }

            server.pass(milliseconds: -Self.day)
            try patch("Before")
            let last = try #require(try stream.next())
            #expect(last.data.contains(#""Before""#))
            server.pass(milliseconds: Self.year)
            #expect(try stream.events() == [])
            #expect(stream.isComplete && (500...1_500).contains(stream.retry ?? 0))
            #expect(server.backend.streams.statistics.ended["access"] == 1)
            try patch("Meanwhile")
            fields[.lastEventID] = last.id
            let late = try server.send("GET /v1/changes/stream", with: fields)
            #expect(late.summary == "401 unauthenticated")

            // The clock is right again, and the key valid.
            server.pass(milliseconds: Self.day - Self.year)
            let again = try server.stream(as: .anonymous, fields).events(upTo: "ready")
            #expect(again.count == 2 && again[0].data.contains(#""Meanwhile""#))
        }
    }
}

/// Clients with open streams, of whom the last one is an editor.
private struct Audience {
    private let server: TestBackend
    private var followers: [Follower]
    private let streams: [EventStreamClient]
    /// The followers as they were at each step.
    private var earlier: [Follower] = []

    init(_ server: TestBackend) throws {
        self.server = server
        followers = [Sender.anonymous, .reader, .editor].map { Follower($0, "") }
        streams = try followers.map { try server.stream(as: $0.sender) }
        for index in followers.indices {
            for event in try streams[index].events(upTo: "ready") {
                try followers[index].receive(event)
            }
        }
        earlier = followers
    }

    func create(_ json: String) throws -> Article.ID {
        let made = try server.send("POST /v1/articles", as: .editor, json)
        #expect(made.summary == "201")
        return try Article(mapping: made.body).id
    }

    /// Publishes an article, and expects that the clients receive these changes before it.
    ///
    /// - Returns: The article.
    @discardableResult
    mutating func expect(_ changes: [String], editor: [String]) throws -> Article.ID {
        let end = try create(#"{"title":"End","status":"published"}"#)
        for index in followers.indices {
            var received: [String] = []
            while received.last != "put article \(end) 1" {
                let event = try #require(try streams[index].next())
                received.append(Self.name(event))
                try followers[index].receive(event)
            }
            let expected = followers[index].sender == .editor ? editor : changes
            #expect(received.dropLast() == expected[...], "\(followers[index].sender)")
        }
        earlier += followers
        return end
    }

    /// `"put article <id> <revision>"`
    private static func name(_ event: EventStreamClient.Event) -> String {
        let start = /{"type":"(\w+)","action":"(\w+)","id":"([^"]+)","revision":(\d+)/
        guard let parts = event.data.prefixMatch(of: start)?.output else { return event.data }
        return "\(parts.2) \(parts.1) \(parts.3) \(parts.4)"
    }

    /// Checks that the copies equal the lists, as do those of clients that return from any step.
    func expectCurrent() throws {
        for follower in followers { try follower.expectCurrent(in: server) }
        for var returning in earlier {
            let query = "?since=\(returning.token ?? "none")"
            let stream = try server.stream(query, as: returning.sender)
            for event in try stream.events(upTo: "ready") { try returning.receive(event) }
            try returning.expectCurrent(in: server)
            let follower = followers.first { $0.sender == returning.sender }
            #expect(returning.token == follower?.token)
        }
    }
}
