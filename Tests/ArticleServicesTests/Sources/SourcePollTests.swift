import ArticleAPI
import ArticleAdminAPI
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
        _ body: (SourceFixture) async throws -> Void
    ) async throws {
        try await TestBackend.run(samples: false, sources: sources) { server in
            try await body(SourceFixture(server, random: random))
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
        try await run { fixture in
            fixture.serve(Self.atom(Self.entry("1", "Rye bread")))
            let source = try await fixture.poll(
                fixture.add(attributes: #","publish":true,"tags":["Food"]"#).id)
            #expect(source.kind == .feed && source.title == "A Feed" && source.failures == 0)
            #expect(source.articleCount == 1 && source.lastError == nil)
            let article = try #require(try fixture.articles().first)
            #expect(article.title == "Rye bread" && article.slug == "rye-bread")
            #expect(article.body?.contains("Text with *stress*.") == true)
            #expect(article.authors.map(\.name) == ["Ada"] && article.language == "en")
            #expect(article.tags.map(\.name) == ["Food", "Baking"])
            #expect(article.publishedAt == Timestamp("2026-01-02T03:04:05Z"))
            #expect(
                article.source
                    == Article.Source(name: "A Feed", url: "https://example.org/1"))
            #expect(fixture.entries == ["created": 1])
        }
    }

    @Test func `a response that a proxy has changed is as good`() async throws {
        try await run { fixture in
            let status = try #require(HTTPStatus(203))
            fixture.serve(Self.atom(Self.entry("1", "Rye bread")), status: status)
            let source = try await fixture.poll(fixture.add().id)
            #expect(source.failures == 0 && source.articleCount == 1)
        }
    }

    @Test(arguments: ["br", "zstd", "compress", "gzip, br", "aes128gcm"])
    func `a content coding that nobody asked for is named`(_ coding: String) async throws {
        try await run { fixture in
            fixture.serve("\u{1}\u{2}", [.contentEncoding: coding])
            let reason = try await fixture.poll(fixture.add().id).lastError
            let start = "the response has the content coding \(coding), which is not supported"
            #expect(reason?.hasPrefix(start) == true, "\(reason ?? "none")")
            // Some servers name what is none.
            let feed = Self.atom(Self.entry("1", "Rye bread"))
            for name in ["identity", "utf-8", "none"] {
                fixture.serve(feed, [.contentEncoding: name])
                #expect(
                    try await fixture.poll(fixture.add("https://\(name).example/").id).failures == 0
                )
            }
        }
    }

    @Test func `a second poll is conditional, and changes nothing`() async throws {
        try await run { fixture in
            let (etag, time) = ("\"v1\"", "Fri, 02 Jan 2026 03:04:05 GMT")
            fixture.serve(
                Self.atom(Self.entry("1", "Rye")), [.etag: etag, .lastModified: time])
            let id = try fixture.add().id
            try await fixture.poll(id)
            #expect(fixture.requests[0].fields[.ifNoneMatch] == nil)
            #expect(fixture.requests[0].fields[.userAgent] == "Broadsheet/test")
            fixture.serve("", status: .notModified)
            let sequence = try await fixture.server.changes()
            let source = try await fixture.poll(id)
            #expect(fixture.requests[1].fields[.ifNoneMatch] == etag)
            #expect(fixture.requests[1].fields[.ifModifiedSince] == time)
            #expect(source.failures == 0 && fixture.poller.statistics.unchanged == 1)
            // The same document again, without validators of use.
            fixture.serve(Self.atom(Self.entry("1", "Rye")))
            try await fixture.poll(id)
            #expect(try await fixture.server.changes() == sequence)
            #expect(fixture.entries == ["created": 1])
        }
    }

    @Test func `a changed entry is a revision, and an edited article is left alone`() async throws {
        try await run { fixture in
            fixture.serve(Self.atom(Self.entry("1", "Rye"), Self.entry("2", "Wheat")))
            let id = try fixture.add().id
            try await fixture.poll(id)
            let wheat = try #require(try fixture.articles().first { $0.title == "Wheat" })
            try fixture.server.send(
                "PATCH /v1/articles/\(wheat.id)", as: .editor, #"{"summary":"Mine."}"#)
            fixture.serve(Self.atom(Self.entry("1", "Rye!"), Self.entry("2", "Wheat!")))
            try await fixture.poll(id)
            let articles = try fixture.articles()
            #expect(Set(articles.map(\.title)) == ["Rye!", "Wheat"])
            let rye = try #require(articles.first { $0.title == "Rye!" })
            #expect(rye.slug == "rye" && rye.revision == 2)
            #expect(fixture.entries == ["created": 2, "updated": 1, "kept_edits": 1])
            let history = try fixture.server.send(
                "GET /v1/articles/\(rye.id)/revisions", as: .editor
            ).text
            #expect(history.contains(#""actor":{"kind":"source","id":"\#(id)","name":"A Feed"}"#))
            // Articles stay when their entries leave the feed.
            fixture.serve(Self.atom(Self.entry("3", "Oats")))
            try await fixture.poll(id)
            #expect(try fixture.articles().count == 3)
        }
    }

    @Test func `a source makes drafts unless it publishes, and a changed setting applies`()
        async throws
    {
        try await run { fixture in
            fixture.serve(
                Self.atom(
                    Self.entry("1", "Rye"), Self.entry("2", "Later", at: "2030-01-01T00:00:00Z")),
                [.etag: "\"a\""])
            let id = try fixture.add(attributes: "").id
            try await fixture.poll(id)
            #expect(try fixture.articles().isEmpty)
            #expect(try fixture.articles(as: .editor).map(\.status) == [.draft, .draft])
            try fixture.server.send(
                "PATCH /v1/sources/\(id)", as: .admin, #"{"publish":true,"name":"Other"}"#)
            try await fixture.poll(id)
            #expect(fixture.requests.last?.fields[.ifNoneMatch] == nil)
            #expect(try fixture.articles().map(\.title) == ["Rye"])
            let statuses = try fixture.articles(as: .editor).map(\.status)
            #expect(Set(statuses) == [.published, .scheduled])
            #expect(try fixture.articles().first?.source?.name == "Other")
        }
    }

    @Test func `an entry that does not fit is skipped, and the others are not`() async throws {
        try await run { fixture in
            let long = String(repeating: "word ", count: 450_000)
            fixture.serve(
                Self.atom(
                    Self.entry("1", "Long", "<p>\(long)</p>"), Self.entry("2", "Rye"),
                    "<entry><id>urn:3</id><title></title></entry>"))
            let source = try await fixture.poll(fixture.add().id)
            #expect(try fixture.articles().map(\.title) == ["Rye"])
            #expect(source.skippedCount == 2 && source.failures == 0)
            #expect(source.skippedReason?.hasPrefix("\"Long\": $.body") == true)
        }
    }

    // MARK: Failures

    @Test func `failures back off up to a day, and a success ends them`() async throws {
        try await run { fixture in
            fixture.serve("", status: .internalServerError)
            let id = try fixture.add(attributes: #","intervalSeconds":3600"#).id
            var delays: [Int64] = []
            for number in 1...8 {
                let source = try await fixture.poll(id)
                #expect(source.failures == number)
                let next = try #require(source.nextPollAt)
                delays.append((next.milliseconds - fixture.server.now.milliseconds) / 1_000)
            }
            #expect(delays == [3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 86_400, 86_400])
            #expect(
                try fixture.source(id).lastError
                    == "https://example.org responded with the status 500")
            #expect(fixture.notices.count == 8 && fixture.notices.last?.failures == 8)
            fixture.serve(Self.atom())
            let source = try await fixture.poll(id)
            #expect(source.failures == 0 && source.lastError == nil)
            #expect(
                source.nextPollAt == fixture.server.now.advanced(byMilliseconds: 3_600_000))
        }
    }

    @Test func `polls are spread`() async throws {
        for (random, afterSuccess, afterFailure) in [(0.0, 3_420, 2_700), (1.0, 3_780, 4_500)] {
            try await run(random: random) { fixture in
                fixture.serve(Self.atom())
                let id = try fixture.add().id
                let success = try await fixture.poll(id).nextPollAt
                #expect(
                    success
                        == TestBackend.opening.advanced(
                            byMilliseconds: Int64(afterSuccess) * 1_000))
                fixture.serve("", status: .notFound)
                let failure = try await fixture.poll(id).nextPollAt
                #expect(
                    failure
                        == TestBackend.opening.advanced(
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
            try await run { fixture in
                fixture.serve("", [.retryAfter: value], status: status)
                let source = try await fixture.poll(fixture.add().id)
                #expect(
                    source.nextPollAt
                        == TestBackend.opening.advanced(byMilliseconds: seconds * 1_000))
            }
        }
    }

    @Test func `errors contain no path and no query`() async throws {
        try await run { fixture in
            let url = "https://example.org/private/feed?key=hidden"
            let id = try fixture.add(url).id
            func check() async throws {
                let error = try #require(try await fixture.poll(id).lastError)
                #expect(!error.contains("private/") && !error.contains("hidden"), "\(error)")
                #expect(fixture.notices.last.map { !"\($0)".contains("hidden") } == true)
            }
            fixture.serve("", status: .forbidden)
            try await check()
            fixture.serve("", [.location: "http://b.example/hidden"], status: .found)
            try await check()
            fixture.serve("<html>")
            try await check()
            let origin = try #require(HTTPOrigin("https://example.org"))
            for error in [HTTPClientError.forbiddenAddress(origin), .timedOut, .disconnected] {
                fixture.fail(error)
                try await check()
            }
        }
    }

    // MARK: Redirects

    private static func redirect(_ status: HTTPStatus, _ location: String) -> HTTPResponse {
        HTTPResponse(status, fields: [.location: location], body: .bytes([]))
    }

    @Test func `permanent redirects are remembered, temporary ones are not`() async throws {
        try await run { fixture in
            fixture.respond { request, origin in
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                switch "\(origin)\(target)" {
                case "https://example.org/feed": return Self.redirect(.found, "/b?c=1")
                case "https://example.org/b?c=1":
                    return Self.redirect(.movedPermanently, "//other.example/d")
                default: return HTTPResponse(.ok, body: .bytes(Array(Self.atom().utf8)))
                }
            }
            let id = try fixture.add().id
            #expect(try await fixture.poll(id).movedTo == nil)
            #expect(
                fixture.takeURLs() == [
                    "https://example.org/feed", "https://example.org/b?c=1",
                    "https://other.example/d",
                ])
            fixture.respond { request, origin in
                origin.authority == "example.org"
                    ? Self.redirect(.permanentRedirect, "https://other.example:8443/f")
                    : HTTPResponse(.ok, body: .bytes(Array(Self.atom().utf8)))
            }
            #expect(try await fixture.poll(id).movedTo == "https://other.example:8443/f")
            _ = fixture.takeURLs()
            #expect(try await fixture.poll(id).movedTo == "https://other.example:8443/f")
            #expect(fixture.takeURLs() == ["https://other.example:8443/f"])
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
        try await run { fixture in
            fixture.respond { _, _ in Self.redirect(.movedPermanently, location) }
            let source = try await fixture.poll(fixture.add().id)
            #expect(source.lastError?.contains(reason) == true, "\(source.lastError ?? "none")")
            #expect(source.movedTo == nil && fixture.takeURLs().count <= 8)
        }
    }

    @Test func `https never becomes http, even where http is permitted`() async throws {
        try await run(sources: SourcePolicy(allowsPrivate: true)) { fixture in
            fixture.respond { _, _ in Self.redirect(.found, "http://example.org/feed") }
            let source = try await fixture.poll(fixture.add().id)
            #expect(source.lastError?.contains("downgrades from https to http") == true)
        }
    }

    // MARK: Several sources

    @Test func `one source of a host, and four in all are polled at a time`() async throws {
        try await run { fixture in
            var ids: [ContentSource.ID] = []
            for url in (1...3).map({ "https://same.example/\($0)" })
                + (1...6).map({ "https://h\($0).example/" })
            {
                ids.append(try fixture.add(url).id)
            }
            // Nobody responds: what is polled at the same time is what was requested.
            fixture.respond { _, _ in nil }
            await withDiscardingTaskGroup { group in
                group.addTask { await fixture.poller.pollDueSources() }
                #expect(await eventually { fixture.requests.count == 4 })
                let hosts = fixture.takeURLs().map { $0.split(separator: "/")[1] }
                #expect(Set(hosts).count == 4 && hosts.count == 4)
                group.cancelAll()
            }
            // Abandoned polls have not failed.
            for id in ids { #expect(try fixture.source(id).lastPolledAt == nil) }
            #expect(fixture.notices.isEmpty)
        }
    }
}
