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
    private static let tomorrow = "/v1/articles/\(Cast.tomorrow)"

    /// Repeats the request until it has this status.
    private static func wait(
        for status: Int, _ line: String, in newsroom: Newsroom
    ) async throws {
        while try newsroom.send(line).status != status { await Task.yield() }
    }

    @Test func `articles are published when the clock reaches their time, or is set`() async throws
    {
        try await Newsroom.run(cast: false) { newsroom in
            async let _: Void = newsroom.backend.publisher.run()
            func schedule(_ slug: String, _ time: String) throws {
                let made = try newsroom.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"\#(slug)","status":"scheduled","publishedAt":"\#(time)"}"#)
                #expect(made.summary == "201", "\(made.text)")
            }
            // Nothing was scheduled: the publisher is woken by this.
            try schedule("one", "2027-01-15T08:00:01Z")
            try schedule("two", "2027-01-15T10:00:00Z")
            newsroom.pass(milliseconds: 1_000)
            try await Self.wait(for: 200, "GET /v1/articles/one", in: newsroom)
            #expect(try newsroom.send("GET /v1/articles/two").status == 404)
            // What is public stays public.
            newsroom.pass(milliseconds: -900_000)
            #expect(try newsroom.send("GET /v1/articles/one").status == 200)
            try schedule("three", "2027-01-15T07:50:00Z")
            newsroom.pass(milliseconds: 7_200_000 + 900_000)
            for slug in ["two", "three"] {
                try await Self.wait(for: 200, "GET /v1/articles/\(slug)", in: newsroom)
            }
            // An article is public before it is counted.
            while newsroom.backend.publisher.publishedCount < 3 { await Task.yield() }
            #expect(newsroom.backend.publisher.publishedCount == 3)
        }
    }

    @Test func `what is overdue at the start is published before the server is ready`() async throws
    {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let content = ArticleContent(
            Article.Draft(
                title: "Bread", status: .scheduled, publishedAt: Newsroom.opening),
            slug: .exactly("bread"), measure: TextMeasure(words: 1, readingMinutes: 1))
        let edit = Edit(at: Newsroom.opening, by: .operator)
        _ = try await store.createArticle(Article.ID(at: Newsroom.opening), content, by: edit)
        let backend = try await Backend(
            store: store, file: store, now: { Newsroom.opening }, log: { _ in })
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
        try await Newsroom.run(cast: false) { newsroom in
            for number in 0..<250 {
                try newsroom.send(
                    "POST /v1/articles", as: .editor,
                    """
                    {"title":"n\(number)","status":"scheduled",\
                    "publishedAt":"2027-01-15T08:00:01Z"}
                    """)
            }
            newsroom.pass(milliseconds: 1_000)
            let time = Newsroom.opening.advanced(byMilliseconds: 1_000)
            let backend = newsroom.backend
            let store = try #require(backend.store as? SQLiteStore)
            let other = try await Backend(
                store: store, file: store, now: { time }, log: { _ in })
            async let first = backend.publisher.publishDueArticles()
            async let second = other.publisher.publishDueArticles()
            #expect(await (first, second) == (false, false))
            #expect(backend.publisher.publishedCount + other.publisher.publishedCount == 250)
            #expect(try await newsroom.changes() == 500)
        }
    }

    @Test func `a failure to publish is logged once, and attempts continue`() async throws {
        try await Newsroom.run(indexes: false) { newsroom in
            let publisher = newsroom.backend.publisher
            await newsroom.backend.store.close()
            #expect(await publisher.publishDueArticles())
            #expect(await publisher.publishDueArticles())
            let lines = newsroom.takeLog()
            #expect(lines.count == 1)
            #expect(lines[0].hasPrefix("cannot publish scheduled articles: "))
            #expect(publisher.publishedCount == 0)
        }
    }
}
