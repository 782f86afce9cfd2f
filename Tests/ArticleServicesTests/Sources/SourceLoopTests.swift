import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetMarkup
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServiceCore
@testable import ArticleServices

/// Sources that lead back, that change for ever, or that are removed while they are polled: nothing
/// grows without end.
@Suite struct SourceLoopTests {
    private static let policy = SourcePolicy(allowsPrivate: true)

    private static func server(
        _ body: (SourceFixture) async throws -> Void
    ) async throws {
        try await TestBackend.run(samples: false, sources: policy) { server in
            let client = OutboundClient(policy.connections())
            try await body(SourceFixture(server, client: client))
        }
    }

    private static func write(_ titles: String..., in fixture: SourceFixture) throws {
        for title in titles {
            let made = try fixture.server.send(
                "POST /v1/articles", as: .editor,
                #"{"title":"\#(title)","body":"Text.","status":"published"}"#)
            try #require(made.status == 201)
        }
    }

    @Test(arguments: ["/", "/feeds/articles.atom", "/feeds/articles.rss", "/feeds/articles.json"])
    func `a source that is this server takes nothing over`(_ path: String) async throws {
        try await Self.server { fixture in
            try Self.write("Rye", "Wheat", in: fixture)
            let sequence = try await fixture.server.changes()
            let id = try fixture.add("http://\(fixture.server.address)\(path)").id
            for _ in 0..<2 {
                let source = try await fixture.poll(id)
                #expect(source.lastError == nil && source.articleCount == 0)
                #expect(source.skippedCount == 2)
                #expect(source.skippedReason?.contains("was here already") == true)
            }
            #expect(try await fixture.server.changes() == sequence)
        }
    }

    @Test(arguments: ["/", "/feeds/articles.json"])
    func `Broadsheets that follow each other have each article once`(
        _ path: String
    ) async throws {
        try await Self.server { here in
            try await Self.server { there in
                try Self.write("Rye", in: here)
                try Self.write("Wheat", in: there)
                let back = try there.add("http://\(here.server.address)\(path)").id
                let source = try here.add("http://\(there.server.address)\(path)").id
                for _ in 0..<3 {
                    try await here.poll(source)
                    try await there.poll(back)
                }
                let (ours, theirs) = (try here.articles(), try there.articles())
                #expect(Set(ours.map(\.title)) == ["Rye", "Wheat"] && ours.count == 2)
                #expect(Set(ours.map(\.id)) == Set(theirs.map(\.id)) && theirs.count == 2)
                let changes = try await (here.server.changes(), there.server.changes())
                try await here.poll(source)
                try await there.poll(back)
                #expect(try await (here.server.changes(), there.server.changes()) == changes)
            }
        }
    }

    private static func feed(_ number: Int) -> HTTPResponse {
        let body = SourcePollTests.atom(SourcePollTests.entry("1", "Rye, edition \(number)"))
        return HTTPResponse(
            .ok, fields: [.etag: "\"\(number)\""], body: .bytes(Array(body.utf8)))
    }

    @Test func `an entry that changes with each poll gets 24 revisions a day`() async throws {
        try await TestBackend.run(samples: false) { server in
            let (fixture, number) = (SourceFixture(server), Counter())
            fixture.respond { _, _ in Self.feed(number.next() + 1) }
            let id = try fixture.add().id
            for _ in 1...30 {
                try await fixture.poll(id)
                server.pass(milliseconds: 60_000)
            }
            #expect(try fixture.articles().map(\.revision) == [24])
            #expect(fixture.entries == ["created": 1, "updated": 23, "deferred": 6])
            // The last edition is not lost: it comes as soon as it may.
            fixture.respond { [last = number.value] _, _ in Self.feed(last) }
            server.pass(milliseconds: 86_400_000)
            try await fixture.poll(id)
            #expect(fixture.requests.last?.fields[.ifNoneMatch] == nil)
            #expect(try fixture.articles().map(\.title) == ["Rye, edition \(number.value)"])
        }
    }

    @Test func `changes of a Broadsheet that have to wait are read again`() async throws {
        try await TestBackend.run(samples: false) { server in
            let (fixture, number) = (SourceFixture(server), Counter())
            fixture.respond { request, _ in
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                guard target.contains("/v1/changes") else {
                    return HTTPResponse(.notFound, body: .bytes([]))
                }
                let revision = number.next() + 1
                let page = ChangePage<Article>(
                    changes: [
                        SourceFollowTests.put(
                            SourceFollowTests.article(
                                1, "Edition \(revision)", revision: revision))
                    ], next: "t\(revision)", more: false)
                return HTTPResponse(.ok, body: .bytes(page.json()))
            }
            let id = try fixture.add("https://other.example/").id
            for _ in 1...26 { try await fixture.poll(id) }
            #expect(try fixture.articles().map(\.title) == ["Edition 24"])
            // Both polls began where the change that has to wait is.
            #expect(fixture.takeURLs().suffix(2).allSatisfy { $0.contains("since=t24&") })
            server.pass(milliseconds: 86_400_001)
            try await fixture.poll(id)
            #expect(fixture.takeURLs().last?.contains("since=t24&") == true)
            #expect(try fixture.articles().map(\.title) == ["Edition 27"])
            try await fixture.poll(id)
            #expect(fixture.takeURLs().last?.contains("since=t27&") == true)
        }
    }

    @Test func `a source that is removed while it is polled leaves what it had`() async throws {
        try await TestBackend.run(samples: false) { server in
            let fixture = SourceFixture(server)
            fixture.respond { _, _ in Self.feed(1) }
            let id = try fixture.add().id
            try await fixture.poll(id)
            let sequence = try await server.changes()
            // The response arrives after the source is gone.
            fixture.respond { _, _ in
                let removed = try? server.send("DELETE /v1/sources/\(id)", as: .admin)
                #expect(removed?.status == 204)
                return Self.feed(2)
            }
            #expect(
                try server.send("POST /v1/sources/\(id)/poll", as: .admin).status == 202)
            await fixture.poller.pollDueSources()
            #expect(try server.send("GET /v1/sources/\(id)", as: .admin).status == 404)
            #expect(try fixture.articles().map(\.title) == ["Rye, edition 1"])
            #expect(try await server.changes() == sequence && fixture.notices.isEmpty)
            #expect(fixture.poller.statistics.failed == 0)
        }
    }

    @Test func `a source that is removed is not waited for`() async throws {
        try await TestBackend.run(samples: false) { server in
            // Requests get no response until they are cancelled.
            let fixture = SourceFixture(server)
            let running = Task { await fixture.poller.run() }
            let id = try fixture.add().id
            #expect(await eventually { !fixture.requests.isEmpty })
            #expect(!fixture.poller.isIdle)
            #expect(try server.send("DELETE /v1/sources/\(id)", as: .admin).status == 204)
            #expect(await eventually { fixture.poller.isIdle })
            #expect(fixture.notices.isEmpty && fixture.poller.statistics.failed == 0)
            running.cancel()
            await running.value
        }
    }

    @Test func `reading ends with its task, or at its deadline`() async throws {
        let pool = BlockingPool(label: "reading", width: 1, depth: 1)
        let system = SystemEnvironment.real
        let hasBegun = Lock(false)
        let task = Task {
            let end = system.uptime + .seconds(Patience.seconds)
            return try await pool.read(until: end, in: system) {
                hasBegun.withLock { $0 = true }
                while !ReadingTime.isOver() {}
                return system.uptime
            }
        }
        #expect(await eventually { hasBegun.withLock { $0 } })
        let time = system.uptime
        task.cancel()
        #expect(try await task.value >= time)
        let deadline = system.uptime
        let end = try await pool.read(until: deadline, in: system) {
            while !ReadingTime.isOver() {}
            return system.uptime
        }
        #expect(end > deadline)
    }

    @Test func `the time for a poll is over within an entry, too`() async throws {
        let text = String(repeating: "<b>x</b> ", count: 500_000)
        let feed = SourcePollTests.atom(SourcePollTests.entry("1", "Rye", text))
        try await TestBackend.run(samples: false) { server in
            // A busy machine may exceed the first one before the response is there.
            for milliseconds in [50, 400] {
                let fixture = SourceFixture(server, timeout: .milliseconds(milliseconds))
                fixture.serve(feed)
                let id = try fixture.add("https://example.org/\(milliseconds)").id
                let source = try await fixture.poll(id)
                #expect(try fixture.articles().isEmpty)
                if source.lastError?.contains("did not arrive in time") == true { continue }
                #expect(source.lastError == "reading the feed took too long")
                return
            }
            Issue.record("the response was never there in time")
        }
    }

    @Test func `another URL deletes nothing that the former one had`() async throws {
        try await Self.server { origin in
            try Self.write("Rye", "Wheat", in: origin)
            try await Self.server { other in
                try Self.write("Oats", in: other)
                try await Self.server { fixture in
                    let id = try fixture.add("http://\(origin.server.address)/").id
                    try await fixture.poll(id)
                    let url = "http://\(other.server.address)/"
                    try fixture.server.send(
                        "PATCH /v1/sources/\(id)", as: .admin, #"{"url":"\#(url)"}"#)
                    #expect(try await fixture.poll(id).kind == .broadsheet)
                    #expect(Set(try fixture.articles().map(\.title)) == ["Oats", "Rye", "Wheat"])
                    // The same articles at another place are followed there.
                    try fixture.server.send(
                        "PATCH /v1/sources/\(id)", as: .admin,
                        #"{"url":"http://\#(origin.server.address)/feeds/articles.atom"}"#)
                    let rye = try #require(try origin.articles().first { $0.title == "Rye" })
                    try origin.server.send(
                        "PATCH /v1/articles/\(rye.id)", as: .editor, #"{"title":"Rye!"}"#)
                    let source = try await fixture.poll(id)
                    #expect(source.kind == .feed && source.skippedCount == 0)
                    let articles = try fixture.articles()
                    #expect(Set(articles.map(\.title)) == ["Oats", "Rye!", "Wheat"])
                    #expect(articles.first { $0.id == rye.id }?.revision == 2)
                }
            }
        }
    }
}
