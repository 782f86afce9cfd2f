import ArticleAPI
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleResources

/// The publication of scheduled articles while a server runs.
@Suite struct PublisherTests {
    private static let tomorrow = "/v1/articles/\(Samples.tomorrow)"

    /// Repeats the request until it has this status.
    private static func wait(
        for status: Int, _ line: String, in server: TestBackend
    ) async throws {
        while try server.send(line).status != status { await Task.yield() }
    }

    @Test func `articles are published when the clock reaches their time, or is set`() async throws
    {
        try await TestBackend.run(samples: false, indexes: false, sleepsByClock: true) { server in
            async let _: Void = server.backend.publisher.run()
            /// Advances the clock once the publisher sleeps.
            func pass(milliseconds: Int64) async {
                await server.clock.waitUntilAsleep()
                server.pass(milliseconds: milliseconds)
            }
            func schedule(_ slug: String, _ time: String) throws {
                let made = try server.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"\#(slug)","status":"scheduled","publishedAt":"\#(time)"}"#)
                #expect(made.summary == "201", "\(made.text)")
            }
            // Nothing was scheduled: the publisher is woken by this.
            try schedule("one", "2027-01-15T08:00:01Z")
            try schedule("two", "2027-01-15T10:00:00Z")
            await pass(milliseconds: 1_000)
            try await Self.wait(for: 200, "GET /v1/articles/one", in: server)
            #expect(try server.send("GET /v1/articles/two").status == 404)
            // What is public stays public.
            server.pass(milliseconds: -900_000)
            #expect(try server.send("GET /v1/articles/one").status == 200)
            try schedule("three", "2027-01-15T07:50:00Z")
            await pass(milliseconds: 7_200_000 + 900_000)
            for slug in ["two", "three"] {
                try await Self.wait(for: 200, "GET /v1/articles/\(slug)", in: server)
            }
            // An article is public before it is counted.
            while server.backend.publisher.publishedCount < 3 { await Task.yield() }
            #expect(server.backend.publisher.publishedCount == 3)
        }
    }

    @Test func `what is overdue at the start is published before the server is ready`() async throws
    {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let content = ArticleContent(
            Article.Draft(
                title: "Bread", status: .scheduled, publishedAt: TestBackend.opening),
            slug: .exactly("bread"), measure: TextMeasure(words: 1, readingMinutes: 1))
        let edit = Edit(at: TestBackend.opening, by: .operator)
        _ = try await store.createArticle(Article.ID(at: TestBackend.opening), content, by: edit)
        let backend = try await Backend(
            store: store, file: store, system: .clock { TestBackend.opening }, log: { _ in })
        try await backend.run { test in
            let response = try test.client.get("/readyz")
            #expect(response.status == 503 && response.fields[.retryAfter] == "1")
            #expect(response.text.contains("The server is starting up"))
            #expect(try test.client.get("/livez").status == 200)
            async let _: Void = backend.publisher.run()
            while try test.client.get("/readyz").status != 200 { await Task.yield() }
            #expect(try test.client.get("/v1/articles/bread").status == 200)
        }
        await store.close()
    }

    @Test func `two servers over one store publish everything once`() async throws {
        try await TestBackend.run(samples: false) { server in
            for number in 0..<250 {
                try server.send(
                    "POST /v1/articles", as: .editor,
                    """
                    {"title":"n\(number)","status":"scheduled",\
                    "publishedAt":"2027-01-15T08:00:01Z"}
                    """)
            }
            server.pass(milliseconds: 1_000)
            let time = TestBackend.opening.advanced(byMilliseconds: 1_000)
            let backend = server.backend
            let store = try #require(backend.store as? SQLiteStore)
            let other = try await Backend(
                store: store, file: store, system: .clock { time }, log: { _ in })
            async let first = backend.publisher.publishDueArticles()
            async let second = other.publisher.publishDueArticles()
            #expect(await (first, second) == (false, false))
            #expect(backend.publisher.publishedCount + other.publisher.publishedCount == 250)
            #expect(try await server.changes() == 500)
        }
    }

    @Test func `a failure to publish is logged once, and attempts continue`() async throws {
        try await TestBackend.run(indexes: false) { server in
            let publisher = server.backend.publisher
            await server.backend.store.close()
            #expect(await publisher.publishDueArticles())
            #expect(await publisher.publishDueArticles())
            let lines = server.takeLog()
            #expect(lines.count == 1)
            #expect(lines[0].hasPrefix("cannot publish scheduled articles: "))
            #expect(publisher.publishedCount == 0)
        }
    }
}
