import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleServiceCore
@testable import ArticleServices

/// The reading of the pages of a feed (RFC 5005).
@Suite struct SourcePagingTests {
    /// A feed of one entry a page, whose newest entry can be added to.
    private final class PagedFeed: Sendable {
        private let state = Lock((titles: [String](), broken: Set<Int>(), tail: ""))

        init(_ count: Int) {
            state.withLock { $0.titles = (1...count).map { "Title \($0)" }.reversed() }
        }

        func add(_ titles: String...) {
            state.withLock { $0.titles = titles.reversed() + $0.titles }
        }
        func set(broken numbers: Set<Int>) { state.withLock { $0.broken = numbers } }
        /// The link of the last page.
        func end(with link: String) { state.withLock { $0.tail = link } }

        func response(to request: HTTPRequest) -> HTTPResponse {
            let target = String(decoding: request.target.bytes, as: UTF8.self)
            let number = target.split(separator: "=").last.flatMap { Int($0) } ?? 1
            let (titles, broken, tail) = state.withLock { $0 }
            guard number <= titles.count, !broken.contains(number) else {
                return HTTPResponse(.notFound, body: .bytes([]))
            }
            let title = titles[number - 1]
            let link = number < titles.count ? "?page=\(number + 1)" : tail
            let feed = SourcePollTests.atom(
                link.isEmpty ? "" : #"<link rel="next" href="\#(link)"/>"#,
                SourcePollTests.entry(title.filter { $0 != " " }, title))
            return HTTPResponse(
                .ok, fields: [.etag: "\"\(title)\""], body: .bytes(Array(feed.utf8)))
        }
    }

    private func run(
        _ count: Int, _ body: (SourceFixture, PagedFeed, ContentSource.ID) async throws -> Void
    ) async throws {
        try await TestBackend.run(samples: false) { server in
            let (fixture, archive) = (SourceFixture(server), PagedFeed(count))
            fixture.respond { request, _ in archive.response(to: request) }
            try await body(fixture, archive, try fixture.add().id)
        }
    }

    @Test func `at first all pages are read, later those with new entries`() async throws {
        try await run(4) { fixture, archive, id in
            #expect(try await fixture.poll(id).articleCount == 4)
            #expect(fixture.takeURLs().count == 4)
            try await fixture.poll(id)
            #expect(fixture.takeURLs().count == 1)
            #expect(fixture.requests.last?.fields[.ifNoneMatch] == "\"Title 4\"")
            archive.add("Title 5", "Title 6")
            #expect(try await fixture.poll(id).articleCount == 6)
            // Both new pages, and the first one that is known.
            #expect(fixture.takeURLs().count == 3)
            // Only the newest page has validators.
            #expect(fixture.requests.last?.fields[.ifNoneMatch] == nil)
        }
    }

    @Test func `a page that cannot be read loses nothing`() async throws {
        try await run(4) { fixture, archive, id in
            archive.set(broken: [3])
            let source = try await fixture.poll(id)
            #expect(source.lastError == nil && source.articleCount == 2)
            #expect(
                source.skippedReason
                    == "page 3 of the feed: https://example.org responded with the status 404")
            archive.set(broken: [])
            let again = try await fixture.poll(id)
            #expect(again.articleCount == 4 && again.skippedReason == nil)
            _ = fixture.takeURLs()
            try await fixture.poll(id)
            #expect(fixture.takeURLs().count == 1)
        }
    }

    @Test(arguments: ["https://example.org/feed", "https://other.example/"])
    func `what a busy server cannot render is taken over later`(_ url: String) async throws {
        try await TestBackend.run(samples: false) { server in
            var limits = MarkdownLimits()
            (limits.workers, limits.queueDepth) = (0, 0)
            let busy = SourceFixture(
                server, markdown: MarkdownRenderer(limits: limits, system: .real))
            let (fixture, archive) = (SourceFixture(server), PagedFeed(2))
            let changes = ChangePage(
                changes: [SourceFollowTests.put(SourceFollowTests.article(1, "Title"))],
                next: "t", more: false)
            let respond: SourceFixture.Script = { request, _ in
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                return target.hasPrefix("/v1/changes")
                    ? HTTPResponse(.ok, body: .bytes(changes.json()))
                    : target.hasPrefix("/feed")
                        ? archive.response(to: request) : HTTPResponse(.notFound, body: .bytes([]))
            }
            busy.respond(respond)
            fixture.respond(respond)
            let id = try busy.add(url).id
            let source = try await busy.poll(id)
            #expect(source.articleCount == 0 && source.skippedCount == 0)
            let reason = source.lastError ?? source.skippedReason ?? "none"
            #expect(reason.contains(url.contains("feed") ? "busy" : "404"), "\(reason)")
            let again = try await fixture.poll(id)
            #expect(again.articleCount == (url.contains("feed") ? 2 : 1) && again.lastError == nil)
            #expect(again.skippedReason == nil && fixture.requests[0].fields[.ifNoneMatch] == nil)
        }
    }

    @Test func `a changed setting applies to all pages`() async throws {
        try await run(3) { fixture, _, id in
            try await fixture.poll(id)
            try fixture.server.send(
                "PATCH /v1/sources/\(id)", as: .admin, #"{"tags":["Rye"]}"#)
            try await fixture.poll(id)
            let tags = try fixture.articles().map { $0.tags.map(\.name) }
            #expect(tags == Array(repeating: ["Rye", "Baking"], count: 3))
        }
    }

    @Test func `pages without end are read up to the limit`() async throws {
        try await run(60) { fixture, _, id in
            let source = try await fixture.poll(id)
            #expect(source.articleCount == 50 && source.lastError == nil)
            #expect(fixture.takeURLs().count == 50)
            try await fixture.poll(id)
            #expect(fixture.takeURLs().count == 1)
        }
    }

    @Test(arguments: [
        "https://example.org/feed", "?page=2", "http://example.org/feed?page=9",
        "https://10.0.0.1/feed", "https://[::ffff:127.0.0.1]/", "https://example.org:25/",
    ])
    func `a link that leads back or to where none may is not followed`(
        _ link: String
    ) async throws {
        try await run(2) { fixture, archive, id in
            archive.end(with: link)
            let source = try await fixture.poll(id)
            #expect(source.articleCount == 2 && source.lastError == nil)
            #expect(source.skippedReason == nil && fixture.takeURLs().count == 2)
        }
    }
}
