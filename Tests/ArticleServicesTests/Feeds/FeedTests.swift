import ArticleAPI
import BroadsheetFeeds
import BroadsheetHTTP
import BroadsheetHTTPServer
import Testing

@testable import ArticleServices

/// Feeds over a socket: what they contain, their pages, and how they are cached.
@Suite struct FeedTests {
    private static let paths = ["atom", "rss", "json"].map { "/feeds/articles.\($0)" }

    private func feed(_ response: BackendResponse) throws -> Feed {
        try FeedParser.parse(
            response.body, contentType: response.fields[.contentType],
            address: "http://localhost/feeds")
    }

    private func path(_ url: String?) -> String? {
        url.map { String($0.trimmingPrefix("http://localhost")) }
    }

    @Test(arguments: paths) func `a feed says all of an article`(path: String) async throws {
        try await TestBackend.run { server in
            let article = try server.article(Samples.bread)
            let feed = try feed(server.send("GET \(path)"))
            #expect(feed.title == "Articles" && feed.homePage == "http://localhost/")
            #expect(feed.address == "http://localhost\(path)" && feed.nextPage == nil)
            #expect(feed.id == feed.address && feed.firstPage == feed.address)
            #expect(feed.updatedAt == article.updatedAt)
            var entry = FeedEntry(
                id: "urn:uuid:\(Samples.bread)", url: "http://localhost/v1/articles/fresh-bread",
                title: "Fresh bread", summary: "How to bake.",
                contentHTML: "<p>Flour, water, salt.</p>\n", contentMarkdown: "Flour, water, salt.",
                slug: "fresh-bread", authors: ["Mina"], tags: ["Bread", "Home"], language: "en",
                publishedAt: article.publishedAt, updatedAt: article.updatedAt)
            entry.image = FeedEntry.Image(
                url: "https://example.org/b.png", alternativeText: "A loaf")
            #expect(feed.entries == [entry])
        }
    }

    @Test(arguments: paths)
    func `what is not public is in no feed, whoever asks`(path: String) async throws {
        try await TestBackend.run { server in
            let everybody: [Sender] = [.anonymous, .reader, .editor, .admin, .operator]
            let texts = try everybody.map { try server.send("GET \(path)", as: $0).text }
            #expect(Set(texts).count == 1)
            for slug in Samples.hiddenSlugs { #expect(!texts[0].contains(slug)) }
            for id in Samples.hidden { #expect(!texts[0].contains(id)) }
            let tag = try server.send("GET \(path)?tag=Hidden", as: .editor)
            #expect(try feed(tag).entries.isEmpty && tag.status == 200)
        }
    }

    @Test func `filters are those of lists, and others are rejected`() async throws {
        try await TestBackend.run { server in
            let found = [
                "tag=bread", "author=\(Samples.mina)", "language=en", "source=Wire",
                "publishedAfter=2027-01-14T07:00:00Z", "publishedBefore=2027-01-14T09:00:00Z",
                "tag=Bread&tag=Home&limit=1",
            ]
            let missed = ["tag=x", "author=\(Samples.ghost)", "language=ko", "source=Mole"]
            for query in found + missed {
                let entries = try feed(server.send("GET \(Self.paths[0])?\(query)")).entries
                #expect(entries.count == (found.contains(query) ? 1 : 0), "\(query)")
            }
            for query in [
                "limit=0", "limit=101", "limit=x", "tag=", "x=y", "sort=publishedAt",
                "status=draft",
                "fields=title", "count=exact", "cursor=forged", "cursor=", "author=me",
                "language=en&language=ko", "publishedAfter=now",
            ] {
                for path in Self.paths {
                    let response = try server.send("GET \(path)?\(query)")
                    #expect(response.status == 400, "\(path)?\(query)")
                    #expect(response.fields[.contentType] == "application/problem+json")
                }
            }
        }
    }

    @Test func `other methods are rejected, and HEAD has the fields of GET`() async throws {
        try await TestBackend.run { server in
            for path in Self.paths {
                for method in ["POST", "PUT", "PATCH", "DELETE"] {
                    let response = try server.send("\(method) \(path)", as: .editor, "{}")
                    #expect(response.status == 405)
                    #expect(response.fields[.allow]?.contains("GET") == true)
                }
                let get = try server.send("GET \(path)")
                let head = try server.send("HEAD \(path)")
                #expect(head.status == 200 && head.body.isEmpty)
                for name in [HTTPFieldName.etag, .contentType, .contentLength, .cacheControl] {
                    #expect(head.fields[name] == get.fields[name])
                }
            }
            let types = try Self.paths.map { try server.send("GET \($0)").fields[.contentType] }
            #expect(
                types == [
                    "application/atom+xml; charset=utf-8", "application/rss+xml; charset=utf-8",
                    "application/feed+json",
                ])
            let refused = try server.send("GET \(Self.paths[0])", with: [.accept: "text/plain"])
            #expect(refused.status == 406)
            for (accept, statuses) in [
                ("application/xml", [200, 200, 406]), ("text/xml", [200, 200, 406]),
                ("application/json", [406, 406, 200]), ("image/gif, *; q=.2", [200, 200, 200]),
            ] {
                let got = try Self.paths.map {
                    try server.send("GET \($0)", with: [.accept: accept]).status
                }
                #expect(got == statuses, "\(accept)")
            }
        }
    }

    // MARK: Pages

    private func publish(_ count: Int, in server: TestBackend) throws {
        for number in 0..<count {
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                """
                {"id":"\(Samples.id(100 + number))","title":"T \(number)","tags":["T"],"body":"B",\
                "status":"published","publishedAt":"2026-12-\(10 + number / 3)T00:00:00Z"}
                """)
            #expect(made.status == 201)
        }
    }

    @Test(arguments: paths)
    func `the pages of a feed contain each article once`(path: String) async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(45, in: server)
            for (limit, pages) in [(nil, 3), (7, 7), (45, 1), (100, 1)] as [(Int?, Int)] {
                let first = "\(path)?\(limit.map { "limit=\($0)&" } ?? "")tag=T"
                var target: String? = first
                var ids: [String] = []
                var count = 0
                var feedIDs: Set<String> = []
                while let next = target {
                    let feed = try feed(server.send("GET \(next)"))
                    ids += feed.entries.map(\.id)
                    #expect(self.path(feed.address) == next && self.path(feed.firstPage) == first)
                    if path.hasSuffix("atom") { feedIDs.insert(feed.id) }
                    target = self.path(feed.nextPage)
                    count += 1
                    try #require(count < 50)
                }
                #expect(ids.count == 45 && Set(ids).count == 45 && count == pages)
                #expect(feedIDs.count < 2)
                let list = try server.send("GET /v1/articles?limit=100&fields=id")
                let listed = try Page<PartialArticle>(mapping: list.body).items.map {
                    "urn:uuid:\($0.id)"
                }
                #expect(ids == listed)
            }
        }
    }

    @Test func `a cursor is only valid for the filter of its feed`() async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(3, in: server)
            let first = try feed(server.send("GET \(Self.paths[0])?limit=1&tag=T"))
            let next = try #require(path(first.nextPage))
            #expect(try server.send("GET \(next)").status == 200)
            let other = next.replacing("tag=T", with: "language=en")
            #expect(try server.send("GET \(other)").status == 400)
        }
    }

    // MARK: Caching

    @Test(arguments: paths)
    func `a copy is current until an article changes`(path: String) async throws {
        try await TestBackend.run { server in
            let first = try server.send("GET \(path)")
            let tag = try #require(first.fields[.etag])
            #expect(!tag.hasPrefix("W/") && first.fields[.cacheControl] == "public, no-cache")
            #expect(first.fields[.vary] == "Accept-Encoding, Authorization")
            let hits = server.backend.cacheStatistics.hits
            let second = try server.send("GET \(path)")
            #expect(second.body == first.body && second.fields[.etag] == tag)
            #expect(server.backend.cacheStatistics.hits == hits + 1)
            let check: HTTPFields = [.ifNoneMatch: tag]
            server.pass(milliseconds: 60_000)
            let same = try server.send("GET \(path)", with: check)
            #expect(same.status == 304 && same.body.isEmpty && same.fields[.etag] == tag)
            // What is hidden changes nothing.
            _ = try server.send(
                "PATCH /v1/articles/\(Samples.secret)", as: .editor, #"{"title":"S"}"#)
            #expect(try server.send("GET \(path)", with: check).status == 304)
            _ = try server.send(
                "PATCH /v1/articles/\(Samples.bread)", as: .editor, #"{"title":"R"}"#)
            let changed = try server.send("GET \(path)", with: check)
            #expect(changed.status == 200 && changed.fields[.etag] != tag)
            let feed = try feed(changed)
            #expect(feed.entries[0].title == "R")
            #expect(feed.updatedAt == feed.entries[0].updatedAt)
            #expect(feed.updatedAt.map { $0 > TestBackend.opening } == true)
            _ = try server.send("DELETE /v1/articles/\(Samples.bread)", as: .editor)
            #expect(try self.feed(server.send("GET \(path)")).entries.isEmpty)
            let reader = try server.send("GET \(path)", as: .reader)
            #expect(reader.fields[.cacheControl] == "private, no-cache")
        }
    }

    @Test func `large feeds are compressed`() async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(20, in: server)
            for path in Self.paths {
                let gzip = try server.send("GET \(path)", with: [.acceptEncoding: "gzip"])
                let plain = try server.send("GET \(path)")
                #expect(gzip.fields[.contentEncoding] == "gzip", "\(path)")
                #expect(gzip.body.count * 2 < plain.body.count, "\(path)")
                #expect(gzip.fields[.etag] != plain.fields[.etag])
            }
        }
    }

    // MARK: Addresses

    /// The feed that the response's `Link` names.
    private func alternate(_ response: BackendResponse) -> String? {
        let links = WebLink.links(in: response.fields[.link] ?? "")
        let link = links.first { $0.has(relation: "alternate") }
        #expect(link == nil || link?.mediaType == "application/atom+xml")
        return link?.target
    }

    @Test func `lists name their feed, with their filters`() async throws {
        try await TestBackend.run { server in
            let table = [
                "/v1/articles": "/feeds/articles.atom",
                "/v1/articles?tag=Bread&limit=5&sort=updatedAt&fields=id&status=published":
                    "/feeds/articles.atom?tag=Bread",
                "/v1/articles?status=draft": nil, "/v1/tags": nil,
            ]
            for (target, feed) in table {
                let response = try server.send("GET \(target)")
                #expect(alternate(response) == feed, "\(target)")
            }
        }
    }

    @Test func `a host that a client makes up is not in what others receive`() async throws {
        try await TestBackend.run { server in
            let forged = try server.send(
                "GET \(Self.paths[0])",
                with: [.forwarded: "host=evil.example;proto=https"])
            #expect(forged.status == 200 && !forged.text.contains("evil"))
        }
    }

    @Test func `a strange title survives, and HTML has absolute URLs`() async throws {
        let title = #"]]> <&>"' 👩‍👩‍👧 שלום &amp; <b>x</b> \u{FFFD}"#
        try await TestBackend.run(samples: false) { server in
            var writer = JSONWriter()
            writer.object {
                $0.name("title")
                $0.string(title)
                $0.name("body")
                $0.string("[a](/b) ![c](d.png) <script>x</script>")
                $0.name("status")
                $0.string("published")
                $0.name("slug")
                $0.string("strange")
            }
            let text = String(decoding: writer.bytes, as: UTF8.self)
            #expect(try server.send("POST /v1/articles", as: .editor, text).status == 201)
            for path in Self.paths {
                let entry = try #require(try feed(server.send("GET \(path)")).entries.first)
                #expect(entry.title == title)
                let html = try #require(entry.contentHTML)
                #expect(html.contains(#"href="http://localhost/b""#), "\(html)")
                #expect(html.contains(#"src="http://localhost/v1/articles/d.png""#), "\(html)")
                #expect(!html.contains("<script"), "\(html)")
            }
        }
    }
}
