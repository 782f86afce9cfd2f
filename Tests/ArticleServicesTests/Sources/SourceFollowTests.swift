import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleServices

/// The following of another Broadsheet, by pages of its changes.
@Suite struct SourceFollowTests {
    /// A Broadsheet that serves these pages by the tokens that lead to them.
    private final class Origin: Sendable {
        private let pages = Lock([String: ChangePage<Article>]())
        private let lost = Lock(Set<String>())

        func put(_ token: String, _ changes: [SyncChange<Article>], next: String, more: Bool) {
            pages.withLock {
                $0[token] = ChangePage(changes: changes, next: next, more: more)
            }
        }

        /// The token belongs to another history from now on.
        func lose(_ token: String) { lost.withLock { _ = $0.insert(token) } }

        func response(to request: HTTPRequest) -> HTTPResponse {
            guard let segments = try? request.target.segments(),
                segments.suffix(2) == ["v1", "changes"]
            else { return HTTPResponse(.notFound, body: .bytes(Array("{}".utf8))) }
            let query = String(decoding: request.target.query ?? [], as: UTF8.self)
            let since = query.split(separator: "&").first { $0.hasPrefix("since=") }
            let token = since.map { String($0.dropFirst(6)) } ?? ""
            if lost.withLock({ $0.contains(token) }) {
                return HTTPResponse(.gone, body: .bytes([]))
            }
            guard let page = pages.withLock({ $0[token] }) else {
                return HTTPResponse(.badRequest, body: .bytes([]))
            }
            return HTTPResponse(.ok, body: .bytes(page.json()))
        }
    }

    private static let time = Timestamp(milliseconds: 1_767_225_600_000)

    static func article(_ number: Int64, _ title: String, revision: Int = 1) -> Article {
        Article(
            id: Article.ID(
                "01890a5d-ac96-7000-8000-\(String(repeating: "0", count: 10))\(number + 10)")!,
            slug: "slug-\(number)",
            title: title, summary: "S", body: "Body of *\(title)*.", language: "ko",
            authors: [Author.Reference(named: "Ada")], tags: [ArticleTag(named: "Swift")],
            heroImage: Article.HeroImage(
                url: "https://a.example/\(number).jpg", alternativeText: "A wave"),
            status: .published, publishedAt: time, createdAt: time, updatedAt: time,
            revision: revision, wordCount: 3, readingMinutes: 1)
    }

    static func put(_ article: Article) -> SyncChange<Article> {
        .putArticle(article, revision: article.revision)
    }

    private func run(_ body: (SourceFixture, Origin) async throws -> Void) async throws {
        try await TestBackend.run(samples: false) { server in
            let (fixture, origin) = (SourceFixture(server), Origin())
            fixture.respond { request, _ in origin.response(to: request) }
            try await body(fixture, origin)
        }
    }

    @Test func `a Broadsheet is recognized, and its articles are the same here`() async throws {
        try await run { fixture, origin in
            let articles = (1...3).map { Self.article($0, "Title \($0)") }
            origin.put("", [Self.put(articles[0])], next: "t1", more: true)
            origin.put("t1", articles[1...].map(Self.put), next: "t2", more: false)
            origin.put("t2", [], next: "t2", more: false)
            let id = try fixture.add("https://other.example/sub/").id
            let source = try await fixture.poll(id)
            #expect(source.kind == .broadsheet && source.articleCount == 3)
            #expect(source.lastError == nil)
            let urls = fixture.takeURLs()
            #expect(urls[0] == "https://other.example/sub/" && urls.count == 3)
            #expect(urls[1].hasPrefix("https://other.example/sub/v1/changes?"))
            for (here, there) in zip(
                try fixture.articles().sorted { $0.title < $1.title }, articles)
            {
                #expect(here.title == there.title && here.slug == there.slug)
                #expect(here.summary == there.summary && here.body == there.body)
                #expect(here.language == there.language && here.tags == there.tags)
                #expect(here.authors.map(\.name) == there.authors.map(\.name))
                #expect(here.heroImage == there.heroImage)
                #expect(here.publishedAt == there.publishedAt)
                #expect(
                    here.source
                        == Article.Source(
                            name: "other.example",
                            url: "https://other.example/sub/v1/articles/\(there.id)"))
            }
            let sequence = try await fixture.server.changes()
            try await fixture.poll(id)
            #expect(fixture.takeURLs().count == 1)
            #expect(try await fixture.server.changes() == sequence)
        }
    }

    @Test func `edits and deletions are followed, except for what was edited here`() async throws {
        try await run { fixture, origin in
            let articles = (1...4).map { Self.article($0, "Title \($0)") }
            origin.put("", articles.map(Self.put), next: "t1", more: false)
            let id = try fixture.add("https://other.example/").id
            try await fixture.poll(id)
            for here in try fixture.articles() where ["Title 3", "Title 4"].contains(here.title) {
                try fixture.server.send(
                    "PATCH /v1/articles/\(here.id)", as: .editor, #"{"summary":"Mine."}"#)
            }
            let changed = [
                Self.put(Self.article(1, "Title 1, edited", revision: 2)),
                Self.put(Self.article(3, "Title 3, edited", revision: 2)),
                .deleteArticle(articles[1].id, revision: 2),
                .deleteArticle(articles[3].id, revision: 2),
                .deleteArticle(Self.article(9, "Unknown").id, revision: 2),
            ]
            origin.put("t1", changed, next: "t2", more: false)
            try await fixture.poll(id)
            #expect(
                Set(try fixture.articles().map(\.title)) == [
                    "Title 1, edited", "Title 3", "Title 4",
                ])
            #expect(
                fixture.entries == [
                    "created": 4, "updated": 1, "deleted": 1, "kept_edits": 2,
                ])
            origin.put("t2", [Self.put(articles[1])], next: "t3", more: false)
            try await fixture.poll(id)
            #expect(try fixture.articles().contains { $0.title == "Title 2" && $0.revision == 3 })
        }
    }

    @Test func `another history is compared anew, and what it lacks is deleted`() async throws {
        try await run { fixture, origin in
            let articles = (1...30).map { Self.article($0, "Title \($0)") }
            origin.put("", articles.map(Self.put), next: "t1", more: false)
            let id = try fixture.add("https://other.example/").id
            try await fixture.poll(id)
            let sequence = try await fixture.server.changes()
            origin.lose("t1")
            origin.put("", [Self.put(articles[0])], next: "u1", more: true)
            origin.put("u1", [Self.put(articles[1])], next: "u2", more: false)
            let source = try await fixture.poll(id)
            #expect(source.failures == 0)
            #expect(Set(try fixture.articles().map(\.title)) == ["Title 1", "Title 2"])
            // Equal articles got no revisions.
            #expect(try await fixture.server.changes() == sequence + 28)
        }
    }

    @Test func `an interrupted snapshot deletes nothing, and continues`() async throws {
        try await run { fixture, origin in
            let articles = (1...3).map { Self.article($0, "Title \($0)") }
            origin.put("", articles.map(Self.put), next: "t1", more: false)
            let id = try fixture.add("https://other.example/").id
            try await fixture.poll(id)
            origin.lose("t1")
            origin.put("", [Self.put(articles[0])], next: "u1", more: true)
            fixture.respond { request, _ in
                let response = origin.response(to: request)
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                return target.contains("since=u1")
                    ? HTTPResponse(.badGateway, body: .bytes([])) : response
            }
            let failed = try await fixture.poll(id)
            #expect(failed.lastError?.contains("502") == true)
            #expect(try fixture.articles().count == 3)
            origin.put("u1", [Self.put(articles[2])], next: "u2", more: false)
            fixture.respond { request, _ in origin.response(to: request) }
            _ = fixture.takeURLs()
            try await fixture.poll(id)
            #expect(fixture.takeURLs().count == 1)
            #expect(Set(try fixture.articles().map(\.title)) == ["Title 1", "Title 3"])
        }
    }

    @Test func `pages without end are fetched some at a time`() async throws {
        try await run { fixture, _ in
            let count = Counter()
            fixture.respond { request, _ in
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                guard target.contains("/v1/changes") else {
                    return HTTPResponse(.notFound, body: .bytes([]))
                }
                let page = ChangePage<Article>(
                    changes: [], next: "t\(count.next())", more: true)
                return HTTPResponse(.ok, body: .bytes(page.json()))
            }
            let source = try await fixture.poll(fixture.add("https://other.example/").id)
            #expect(count.value == 50)
            #expect(source.lastError == nil)
            #expect(source.nextPollAt == TestBackend.opening.advanced(byMilliseconds: 5_000))
        }
    }

    @Test(arguments: [
        #"{"changes":[],"next":"t0","more":true}"#, #"{"changes":[],"more":false}"#, "[]", "",
        #"{"changes":[{"type":"article"}],"next":"t","more":false}"#,
    ])
    func `an invalid page is a failure`(_ page: String) async throws {
        try await run { fixture, origin in
            origin.put("", [], next: "t0", more: false)
            let id = try fixture.add("https://other.example/").id
            try await fixture.poll(id)
            fixture.serve(page)
            #expect(try await fixture.poll(id).failures == 1)
        }
    }

    @Test func `an article that does not fit is skipped, and not missed`() async throws {
        try await run { fixture, origin in
            origin.put("", [Self.put(Self.article(1, "Title"))], next: "t1", more: false)
            let id = try fixture.add("https://other.example/").id
            try await fixture.poll(id)
            origin.lose("t1")
            let long = Self.article(1, String(repeating: "x", count: 301), revision: 2)
            origin.put("", [Self.put(long)], next: "u1", more: false)
            let source = try await fixture.poll(id)
            #expect(source.skippedCount == 1)
            #expect(try fixture.articles().map(\.title) == ["Title"])
        }
    }
}
