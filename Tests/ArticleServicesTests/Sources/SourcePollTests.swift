import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServices

/// The requests of polls, and their use of responses.
@Suite struct SourcePollTests {
    private func run(
        random: Double = 0.5, sources: SourcePolicy = SourcePolicy(),
        _ body: (SourceDesk) async throws -> Void
    ) async throws {
        try await Newsroom.run(cast: false, sources: sources) { newsroom in
            try await body(SourceDesk(newsroom, random: random))
        }
    }

    /// An Atom feed with these entries.
    static func atom(title: String = "A Feed", _ entries: String...) -> String {
        let head = #"<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><id>urn:f</id>"#
        return "\(head)<title>\(title)</title>\(entries.joined())</feed>"
    }

    static func entry(
        _ id: String, _ title: String, _ html: String = "<p>Text with <em>stress</em>.</p>",
        at time: String = "2026-01-02T03:04:05Z", _ more: String = ""
    ) -> String {
        let content = html.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return """
            <entry><id>urn:\(id)</id><title>\(title)</title><updated>\(time)</updated>\
            <published>\(time)</published><link href="https://example.org/\(id)"/>\
            <author><name>Ada</name></author><category term="Baking"/>\
            <content type="html">\(content)</content>\(more)</entry>
            """
    }

    @Test func `entries become articles with all that the feed says`() async throws {
        try await run { desk in
            desk.serve(Self.atom(Self.entry("1", "Rye bread")))
            let source = try await desk.poll(
                desk.add(attributes: #","publish":true,"tags":["Food"]"#).id)
            #expect(source.kind == .feed && source.title == "A Feed" && source.failures == 0)
            #expect(source.articleCount == 1 && source.lastError == nil)
            let article = try #require(try desk.articles().first)
            #expect(article.title == "Rye bread" && article.slug == "rye-bread")
            #expect(article.body?.contains("Text with *stress*.") == true)
            #expect(article.authors.map(\.name) == ["Ada"] && article.language == "en")
            #expect(article.tags.map(\.name) == ["Food", "Baking"])
            #expect(article.publishedAt == Timestamp("2026-01-02T03:04:05Z"))
            #expect(
                article.source
                    == Article.Source(name: "A Feed", url: "https://example.org/1"))
            #expect(desk.entries == ["created": 1])
        }
    }

    @Test func `a response that a proxy has changed is as good`() async throws {
        try await run { desk in
            let status = try #require(HTTPStatus(203))
            desk.serve(Self.atom(Self.entry("1", "Rye bread")), status: status)
            let source = try await desk.poll(desk.add().id)
            #expect(source.failures == 0 && source.articleCount == 1)
        }
    }

    @Test(arguments: ["br", "zstd", "compress", "gzip, br", "aes128gcm"])
    func `a content coding that nobody asked for is named`(_ coding: String) async throws {
        try await run { desk in
            desk.serve("\u{1}\u{2}", [.contentEncoding: coding])
            let reason = try await desk.poll(desk.add().id).lastError
            let start = "the response has the content coding \(coding), which is not supported"
            #expect(reason?.hasPrefix(start) == true, "\(reason ?? "none")")
            // Some servers name what is none.
            let feed = Self.atom(Self.entry("1", "Rye bread"))
            for name in ["identity", "utf-8", "none"] {
                desk.serve(feed, [.contentEncoding: name])
                #expect(try await desk.poll(desk.add("https://\(name).example/").id).failures == 0)
            }
        }
    }

    @Test func `a second poll is conditional, and changes nothing`() async throws {
        try await run { desk in
            let (etag, time) = ("\"v1\"", "Fri, 02 Jan 2026 03:04:05 GMT")
            desk.serve(
                Self.atom(Self.entry("1", "Rye")), [.etag: etag, .lastModified: time])
            let id = try desk.add().id
            try await desk.poll(id)
            #expect(desk.requests[0].fields[.ifNoneMatch] == nil)
            #expect(desk.requests[0].fields[.userAgent] == "Broadsheet/test")
            desk.serve("", status: .notModified)
            let sequence = try await desk.newsroom.changes()
            let source = try await desk.poll(id)
            #expect(desk.requests[1].fields[.ifNoneMatch] == etag)
            #expect(desk.requests[1].fields[.ifModifiedSince] == time)
            #expect(source.failures == 0 && desk.poller.statistics.unchanged == 1)
            // The same document again, without validators of use.
            desk.serve(Self.atom(Self.entry("1", "Rye")))
            try await desk.poll(id)
            #expect(try await desk.newsroom.changes() == sequence)
            #expect(desk.entries == ["created": 1])
        }
    }

    @Test func `a changed entry is a revision, and an edited article is left alone`() async throws {
        try await run { desk in
            desk.serve(Self.atom(Self.entry("1", "Rye"), Self.entry("2", "Wheat")))
            let id = try desk.add().id
            try await desk.poll(id)
            let wheat = try #require(try desk.articles().first { $0.title == "Wheat" })
            try desk.newsroom.send(
                "PATCH /v1/articles/\(wheat.id)", as: .editor, #"{"summary":"Mine."}"#)
            desk.serve(Self.atom(Self.entry("1", "Rye!"), Self.entry("2", "Wheat!")))
            try await desk.poll(id)
            let articles = try desk.articles()
            #expect(Set(articles.map(\.title)) == ["Rye!", "Wheat"])
            let rye = try #require(articles.first { $0.title == "Rye!" })
            #expect(rye.slug == "rye" && rye.revision == 2)
            #expect(desk.entries == ["created": 2, "updated": 1, "kept_edits": 1])
            let history = try desk.newsroom.send(
                "GET /v1/articles/\(rye.id)/revisions", as: .editor
            ).text
            #expect(history.contains(#""actor":{"kind":"source","id":"\#(id)","name":"A Feed"}"#))
            // Articles stay when their entries leave the feed.
            desk.serve(Self.atom(Self.entry("3", "Oats")))
            try await desk.poll(id)
            #expect(try desk.articles().count == 3)
        }
    }

    @Test func `a source makes drafts unless it publishes, and a changed setting applies`()
        async throws
    {
        try await run { desk in
            desk.serve(
                Self.atom(
                    Self.entry("1", "Rye"), Self.entry("2", "Later", at: "2030-01-01T00:00:00Z")),
                [.etag: "\"a\""])
            let id = try desk.add(attributes: "").id
            try await desk.poll(id)
            #expect(try desk.articles().isEmpty)
            #expect(try desk.articles(as: .editor).map(\.status) == [.draft, .draft])
            try desk.newsroom.send(
                "PATCH /v1/sources/\(id)", as: .admin, #"{"publish":true,"name":"Other"}"#)
            try await desk.poll(id)
            #expect(desk.requests.last?.fields[.ifNoneMatch] == nil)
            #expect(try desk.articles().map(\.title) == ["Rye"])
            let statuses = try desk.articles(as: .editor).map(\.status)
            #expect(Set(statuses) == [.published, .scheduled])
            #expect(try desk.articles().first?.source?.name == "Other")
        }
    }

    @Test func `an entry that does not fit is skipped, and the others are not`() async throws {
        try await run { desk in
            let long = String(repeating: "word ", count: 450_000)
            desk.serve(
                Self.atom(
                    Self.entry("1", "Long", "<p>\(long)</p>"), Self.entry("2", "Rye"),
                    "<entry><id>urn:3</id><title></title></entry>"))
            let source = try await desk.poll(desk.add().id)
            #expect(try desk.articles().map(\.title) == ["Rye"])
            #expect(source.skippedCount == 2 && source.failures == 0)
            #expect(source.skippedReason?.hasPrefix("\"Long\": $.body") == true)
        }
    }

    // MARK: Failures

    @Test func `failures back off up to a day, and a success ends them`() async throws {
        try await run { desk in
            desk.serve("", status: .internalServerError)
            let id = try desk.add(attributes: #","intervalSeconds":3600"#).id
            var delays: [Int64] = []
            for number in 1...8 {
                let source = try await desk.poll(id)
                #expect(source.failures == number)
                let next = try #require(source.nextPollAt)
                delays.append((next.milliseconds - desk.newsroom.now().milliseconds) / 1_000)
            }
            #expect(delays == [3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400, 86_400])
            #expect(
                try desk.source(id).lastError
                    == "https://example.org responded with the status 500")
            #expect(desk.notices.count == 8 && desk.notices.last?.failures == 8)
            desk.serve(Self.atom())
            let source = try await desk.poll(id)
            #expect(source.failures == 0 && source.lastError == nil)
            #expect(
                source.nextPollAt == desk.newsroom.now().advanced(byMilliseconds: 3_600_000))
        }
    }

    @Test func `polls are spread`() async throws {
        for (random, afterSuccess, afterFailure) in [(0.0, 3_420, 2_700), (1.0, 3_780, 4_500)] {
            try await run(random: random) { desk in
                desk.serve(Self.atom())
                let id = try desk.add().id
                let success = try await desk.poll(id).nextPollAt
                #expect(
                    success
                        == Newsroom.opening.advanced(
                            byMilliseconds: Int64(afterSuccess) * 1_000))
                desk.serve("", status: .notFound)
                let failure = try await desk.poll(id).nextPollAt
                #expect(
                    failure
                        == Newsroom.opening.advanced(
                            byMilliseconds: Int64(afterFailure) * 1_000))
            }
        }
    }

    @Test(arguments: [
        ("7200", 7_200), ("10", 3_600), ("99999999", 86_400), ("-5", 3_600), ("soon", 3_600),
        ("Fri, 15 Jan 2027 10:00:00 GMT", 7_200), ("Fri, 15 Jan 1999 10:00:00 GMT", 3_600),
    ])
    func `Retry-After is respected up to a day`(_ value: String, _ seconds: Int64) async throws {
        for status in [HTTPStatus.tooManyRequests, .serviceUnavailable] {
            try await run { desk in
                desk.serve("", [.retryAfter: value], status: status)
                let source = try await desk.poll(desk.add().id)
                #expect(
                    source.nextPollAt
                        == Newsroom.opening.advanced(byMilliseconds: seconds * 1_000))
            }
        }
    }

    @Test func `errors contain no path and no query`() async throws {
        try await run { desk in
            let url = "https://example.org/private/feed?key=hidden"
            let id = try desk.add(url).id
            func check() async throws {
                let error = try #require(try await desk.poll(id).lastError)
                #expect(!error.contains("private/") && !error.contains("hidden"), "\(error)")
                #expect(desk.notices.last.map { !"\($0)".contains("hidden") } == true)
            }
            desk.serve("", status: .forbidden)
            try await check()
            desk.serve("", [.location: "http://b.example/hidden"], status: .found)
            try await check()
            desk.serve("<html>")
            try await check()
            let origin = try #require(HTTPOrigin("https://example.org"))
            for error in [HTTPClientError.forbiddenAddress(origin), .timedOut, .disconnected] {
                desk.fail(error)
                try await check()
            }
        }
    }

    // MARK: Redirects

    private static func redirect(_ status: HTTPStatus, _ location: String) -> HTTPResponse {
        HTTPResponse(status, fields: [.location: location], body: .bytes([]))
    }

    @Test func `permanent redirects are remembered, temporary ones are not`() async throws {
        try await run { desk in
            desk.respond { request, origin in
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                switch "\(origin)\(target)" {
                case "https://example.org/feed": return Self.redirect(.found, "/b?c=1")
                case "https://example.org/b?c=1":
                    return Self.redirect(.movedPermanently, "//other.example/d")
                default: return HTTPResponse(.ok, body: .bytes(Array(Self.atom().utf8)))
                }
            }
            let id = try desk.add().id
            #expect(try await desk.poll(id).movedTo == nil)
            #expect(
                desk.takeURLs() == [
                    "https://example.org/feed", "https://example.org/b?c=1",
                    "https://other.example/d",
                ])
            desk.respond { request, origin in
                origin.authority == "example.org"
                    ? Self.redirect(.permanentRedirect, "https://other.example:8443/f")
                    : HTTPResponse(.ok, body: .bytes(Array(Self.atom().utf8)))
            }
            #expect(try await desk.poll(id).movedTo == "https://other.example:8443/f")
            _ = desk.takeURLs()
            #expect(try await desk.poll(id).movedTo == "https://other.example:8443/f")
            #expect(desk.takeURLs() == ["https://other.example:8443/f"])
        }
    }

    @Test(arguments: [
        ("https://example.org/feed", "there are more than 5 redirects"),
        ("http://example.org/", "--allow-private-sources"),
        ("https://169.254.169.254/latest/meta-data/", "is not a public Internet address"),
        ("https://[::ffff:10.0.0.1]/", "is not a public Internet address"),
        ("https://example.org:25/", "must use port 443"),
        ("ftp://example.org/", "must be an absolute http or https URL"),
        ("https://user:secret@example.org/", "has no valid host"),
        ("https:///", "has no valid host"), ("https://exa mple.org/", "has no valid host"),
    ])
    func `a redirect is judged like a source`(_ location: String, _ reason: String) async throws {
        try await run { desk in
            desk.respond { _, _ in Self.redirect(.movedPermanently, location) }
            let source = try await desk.poll(desk.add().id)
            #expect(source.lastError?.contains(reason) == true, "\(source.lastError ?? "none")")
            #expect(source.movedTo == nil && desk.takeURLs().count <= 8)
        }
    }

    @Test func `https never becomes http, even where http is permitted`() async throws {
        try await run(sources: SourcePolicy(allowsPrivate: true)) { desk in
            desk.respond { _, _ in Self.redirect(.found, "http://example.org/feed") }
            let source = try await desk.poll(desk.add().id)
            #expect(source.lastError?.contains("downgrades from https to http") == true)
        }
    }

    // MARK: Several sources

    @Test func `one source of a host, and four in all are polled at a time`() async throws {
        try await run { desk in
            var ids: [ContentSource.ID] = []
            for url in (1...3).map({ "https://same.example/\($0)" })
                + (1...6).map({ "https://h\($0).example/" })
            {
                ids.append(try desk.add(url).id)
            }
            // Nobody responds: what is polled at the same time is what was requested.
            desk.respond { _, _ in nil }
            await withDiscardingTaskGroup { group in
                group.addTask { await desk.poller.pollDueSources() }
                #expect(await eventually { desk.requests.count == 4 })
                let hosts = desk.takeURLs().map { $0.split(separator: "/")[1] }
                #expect(Set(hosts).count == 4 && hosts.count == 4)
                group.cancelAll()
            }
            // Abandoned polls have not failed.
            for id in ids { #expect(try desk.source(id).lastPolledAt == nil) }
            #expect(desk.notices.isEmpty)
        }
    }
}
