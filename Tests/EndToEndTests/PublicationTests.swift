import ArticleAPI
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Testing

/// Scheduled articles of a server that runs, is restarted, killed or taken over.
@Suite(.mayBlock) struct PublicationTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    private static func waitUntilReady(_ client: TestClient) throws {
        while try client.get("/readyz").status != 200 {}
    }

    private func exported() throws -> String {
        let file = folder.file("exported.ndjson")
        let ended = try Program.run("export", file, "--database", database)
        guard ended.status == 0 else { throw TestFailure("export: \(ended.errors)") }
        return try read(file)
    }

    /// Fills the database with scheduled articles whose time has passed.
    private func fillWithOverdue(_ count: Int) throws {
        let template = folder.file("template.db")
        let served = try RunningServer(template)
        let id = "0198c0de-0000-7000-8000-000000000000"
        let made = try served.send(
            .post, "/v1/articles",
            """
            {"id":"\(id)","slug":"late","title":"Late","status":"scheduled",\
            "publishedAt":"2100-01-01T00:00:00Z"}
            """)
        #expect(made.status == 201, "\(made.text)")
        #expect(served.stop() == 0)
        let file = folder.file("export.ndjson")
        #expect(try Program.run("export", file, "--database", template).status == 0)
        var lines = try read(file).split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        let article = lines[1...2].map { $0.replacing("2100-01-01", with: "2026-01-01") }
        lines = [lines[0]]
        for number in 0..<count {
            let digits = "\(1_000 + number)"
            lines += article.map { line in
                line.replacing(id, with: id.dropLast(4) + digits)
                    .replacing(#""slug":"late""#, with: #""slug":"late-\#(digits)""#)
            }
        }
        lines.append(#"{"kind":"end","authors":0,"articles":\#(count),"revisions":\#(count)}"#)
        try write(lines.joined(separator: "\n") + "\n", to: file)
        let ended = try Program.run("import", file, "--database", database)
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// Expects that each article has been published, and once; others have two revisions, too.
    private func expectPublished(_ count: Int, others: Int = 0) throws {
        let lines = try exported().split(separator: "\n")
        let (articles, revisions) = (count + others, 2 * (count + others))
        let end =
            #"{"kind":"end","users":0,"authors":0,"articles":\#(articles),"#
            + #""revisions":\#(revisions),"comments":0,"bookmarks":0}"#
        #expect(lines.last.map(String.init) == end)
        let bySystem = #""action":"updated","actor":{"kind":"system","name":"system"}"#
        let published = lines.filter { $0.contains(bySystem) }
        #expect(published.count == count)
        #expect(published.allSatisfy { $0.contains(#""status":"published""#) })
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `a scheduled article is published at its time, without a request for it`() throws {
        let served = try RunningServer(database)
        let time = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000) + 1_000)
        let made = try served.send(
            .post, "/v1/articles",
            #"{"title":"Soon","status":"scheduled","publishedAt":"\#(time)"}"#)
        #expect(made.status == 201, "\(made.text)")
        let location = try #require(made.fields[.location])
        #expect(try served.client.get("/v1/articles").text == #"{"items":[]}"#)
        while try served.client.get("/v1/articles").text == #"{"items":[]}"# {}
        let article = try Article(mapping: served.client.get(location).body)
        #expect(article.status == .published && article.publishedAt == time)
        #expect(article.revision == 2 && article.updatedAt >= time)
        let history = try served.send(.get, "\(location)/revisions").text
        #expect(history.contains(#""actor":{"kind":"system","name":"system"}"#))
        #expect(served.stop() == 0)
    }

    @Test func `overdue articles are published before a server is ready`() throws {
        try fillWithOverdue(250)
        let served = try RunningServer(database, ["--admin-listen", "127.0.0.1:0"])
        let line = try #require(served.program.output.next())
        let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        let admin = TestClient(try #require(try SocketAddress.resolve(String(address)).first))
        try Self.waitUntilReady(served.client)
        let made = try served.send(
            .post, "/v1/articles",
            #"{"title":"Later","status":"scheduled","publishedAt":"2100-01-01T00:00:00Z"}"#)
        #expect(made.status == 201)
        let metrics = try admin.get("/metrics").text
        for (name, value) in [
            ("scheduled_articles", 1), ("overdue_articles", 0), ("published_articles_total", 250),
        ] { #expect(metrics.contains("\nbroadsheet_\(name) \(value)\n")) }
        let id = try Article(mapping: made.body).id
        #expect(try served.send(.delete, "/v1/articles/\(id)").status == 204)
        let list = try served.client.get("/v1/articles?count=exact&limit=1").text
        #expect(list.contains(#""count":{"value":250,"isExact":true}"#))
        #expect(served.stop() == 0)
        try expectPublished(250, others: 1)
    }

    @Test func `a server that is killed while it publishes repeats nothing`() throws {
        try fillWithOverdue(500)
        for _ in 0..<2 {
            let served = try RunningServer(database)
            served.program.signal(SIGKILL)
            #expect(served.program.wait() == 128 + SIGKILL)
        }
        let served = try RunningServer(database)
        try Self.waitUntilReady(served.client)
        #expect(served.stop() == 0)
        try expectPublished(500)
    }

    @Test func `a server that takes over publishes the rest`() throws {
        try fillWithOverdue(500)
        let old = try RunningServer(database)
        let new = try RunningServer(database, ["--take-over"])
        #expect(old.program.wait() == 0)
        try Self.waitUntilReady(new.client)
        #expect(new.stop() == 0)
        try expectPublished(500)
    }
}
