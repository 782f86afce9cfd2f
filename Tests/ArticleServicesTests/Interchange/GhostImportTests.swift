import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Exports of Ghost, invented.
@Suite struct GhostImportTests {
    private static func export(_ posts: String, more: String = "") -> String {
        """
        {"db": [{"meta": {"exported_on": 1, "version": "5.80.0"}, "data": {
        "posts": [\(posts)],
        "posts_meta": [{"post_id": "p1", "feature_image_alt": "A picture"}],
        "tags": [{"id": "t1", "name": "News"}, {"id": "t2", "name": "#hidden"},
            {"id": "t3", "name": "Swift"}],
        "posts_tags": [{"post_id": "p1", "tag_id": "t3", "sort_order": 1},
            {"post_id": "p1", "tag_id": "t1", "sort_order": 0},
            {"post_id": "p1", "tag_id": "t2", "sort_order": 2}],
        "users": [{"id": "u1", "name": "Mina Park"}, {"id": "u2", "name": "Jun"}],
        "posts_authors": [{"post_id": "p1", "author_id": "u2", "sort_order": 1},
            {"post_id": "p1", "author_id": "u1", "sort_order": 0}]\(more)}}]}
        """
    }

    private static func post(_ id: String, _ more: String) -> String {
        """
        {"id": "\(id)", "title": "Post \(id)", "slug": "\(id)", "status": "published",
        "visibility": "public", "published_at": "2021-02-03T04:05:06.000Z",
        "html": "<p>Text</p>"\(more)}
        """
    }

    private static let whole = #"""
        {"id": "p1", "title": "Hello", "slug": "hello", "status": "published",
        "html": "<p>One <a href=\"__GHOST_URL__/x/\">x</a></p>", "custom_excerpt": "Short",
        "feature_image": "__GHOST_URL__/content/i.png", "visibility": "public", "type": "post",
        "published_at": "2021-02-03T04:05:06.000Z", "canonical_url": "https://www.example.com/o"}
        """#

    @Test func `a post arrives with all that an article can have`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("ghost/blog.json", Self.export(Self.whole))
            try fixture.write(
                "ghost/redirects.json",
                #"""
                [{"from": "^/2019/old-name/?$", "to": "/hello/", "permanent": true},
                {"from": "/a.*", "to": "/hello"}]
                """#
            )
            let importer = Importer(
                store: fixture.store, language: try #require(LanguageTag("en")),
                siteURL: "https://blog.example.org/", system: .clock { ImportFixture.time(0) })
            let report = try await importer.run([fixture.path("ghost")])
            #expect(report.counts == ["created": 1] && report.omissions.isEmpty)
            let article = try await fixture.article("hello")
            #expect(article.title == "Hello" && article.summary == "Short")
            #expect(article.body == "One [x](https://blog.example.org/x/)")
            #expect(article.authors.map(\.name) == ["Mina Park", "Jun"])
            #expect(article.tags.map(\.name) == ["News", "Swift"])
            #expect(article.heroImage?.url == "https://blog.example.org/content/i.png")
            #expect(article.heroImage?.alternativeText == "A picture")
            #expect(article.source == .init(name: "example.com", url: "https://www.example.com/o"))
            #expect(article.publishedAt == Timestamp("2021-02-03T04:05:06Z"))
            let former = try await fixture.store.article(.slug("old-name"), visibleTo: .everyone)
            #expect(former.id == article.id)
            #expect(try await importer.run([fixture.path("ghost")]).counts == ["unchanged": 1])
        }
    }

    @Test func `what was not public there is not public here`() async throws {
        try await ImportFixture.with { fixture in
            let posts = [
                Self.post("a", #", "visibility": "members""#)
                    .replacing("\"visibility\": \"public\",", with: ""),
                Self.post("b", "").replacing("published\"", with: "draft\""),
                Self.post("c", "").replacing("\"published\"", with: "\"sent\""),
                Self.post("d", "").replacing("\"published\"", with: "\"scheduled\"")
                    .replacing("2021-", with: "2030-"),
                Self.post("e", #", "type": "page""#),
            ]
            try fixture.write("blog.json", Self.export(posts.joined(separator: ",")))
            let report = try await fixture.run("blog.json")
            #expect(report.counts == ["created": 5])
            for slug in ["a", "b", "c"] {
                #expect(try await fixture.article(slug).status == .draft, "\(slug)")
            }
            #expect(try await fixture.article("d").status == .scheduled)
            #expect(try await fixture.article("e").status == .published)
            #expect(
                report.omissions.map(\.reason).contains(
                    "post:e: it is a page, and became an article"))
        }
    }

    @Test func `older exports, and posts without HTML, are read as far as possible`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write(
                "old.json",
                #"""
                {"meta": {"version": "003"}, "data": {"posts": [
                {"id": 1, "title": "Old", "slug": "old", "status": "published",
                "html": "<h2>H</h2>",
                "published_at": 1388318311015, "author_id": 1, "page": 1, "image": "/i.png"},
                {"id": 2, "title": "Plain", "slug": "plain", "status": "draft", "html": null,
                "lexical": "{}", "plaintext": "One < two\n\nThree"}],
                "users": [{"id": 1, "name": "Ann"}]}}
                """#)
            let report = try await fixture.run("old.json")
            #expect(report.counts == ["created": 2])
            let old = try await fixture.article("old")
            #expect(old.body == "## H" && old.authors.map(\.name) == ["Ann"])
            #expect(old.publishedAt == Timestamp(milliseconds: 1_388_318_311_015))
            #expect(try await fixture.article("plain").body == "One < two\n\nThree")
            #expect(report.omissions.count == 3)
        }
    }

    @Test func `faulty posts and files are reported`() async throws {
        try await ImportFixture.with { fixture in
            let posts = [
                Self.post("a", ""), Self.post("a", ""), "{}", "7",
                Self.post("b", "").replacing("Post b", with: String(repeating: "t", count: 400)),
            ]
            try fixture.write("blog.json", Self.export(posts.joined(separator: ",")))
            let report = try await fixture.run("blog.json")
            #expect(report.counts == ["created": 2, "failed": 3])
            try fixture.write("cut.json", String(Self.export(Self.whole).dropLast(40)))
            #expect(try await fixture.run("cut.json").counts == ["failed": 1])
            try fixture.write("none.json", #"{"db": [{"meta": {}, "data": {}}]}"#)
            let none = try await fixture.run("none.json").failures.first?.reason
            #expect(none == "it is not an export of Ghost: there is no $.db[0].data.posts")
        }
    }

    @Test func `a post without HTML is a draft, unless its text is Markdown`() async throws {
        try await ImportFixture.with { fixture in
            let none = { (id: String, more: String) in
                Self.post(id, more).replacing("\"html\": \"<p>Text</p>\"", with: "\"html\": null")
            }
            let posts = [
                none("a", #", "lexical": "{\"root\":{}}""#), none("b", #", "mobiledoc": "{}""#),
                none("c", #", "plaintext": "Plain""#), none("d", ""),
                none("e", ##", "markdown": "# One\n\n[x](__GHOST_URL__/x)""##),
                none("f", #", "markdown": "Open<!--members-only-->Secret""#),
                Self.post("g", #", "lexical": "{}""#),
            ]
            try fixture.write("blog.json", Self.export(posts.joined(separator: ",")))
            let importer = try fixture.importer(siteURL: "https://blog.example.org")
            let report = try await importer.run([fixture.path("blog.json")])
            #expect(report.counts == ["created": 7])
            for slug in ["a", "b", "c", "d"] {
                #expect(try await fixture.article(slug).status == .draft, "\(slug)")
                #expect(report.omissions.contains { $0.reason.hasPrefix("post:\(slug): ") })
            }
            #expect(try await fixture.article("c").body == "Plain")
            for (slug, body) in [
                ("e", "# One\n\n[x](https://blog.example.org/x)"), ("f", "Open"), ("g", "Text"),
            ] {
                let article = try await fixture.article(slug)
                #expect(article.status == .published && article.body == body, "\(slug)")
            }
        }
    }

    @Test(arguments: [
        #"{"data": {"posts": [POST]}, "meta": {}}"#, #"{"meta": {}, "data": {"posts": [POST]}}"#,
        #"{"db": [{"data": {"posts": [POST]}}]}"#,
        #"{"version": "5", "db": [{"meta": {}, "data": {"users": [], "posts": [POST]}}]}"#,
        "{\n  \"data\":\n  {\n    \"tags\": [],\n    \"posts\": [\nPOST\n]\n  }\n}\n",
        #"{"posts": [POST], "meta": {"pagination": {}}}"#,
    ])
    func `an export is recognized by its posts, in any order and form`(
        shape: String
    ) async throws {
        try await ImportFixture.with { fixture in
            for isOneLine in [false, true] {
                var post = Self.post("a", "")
                if isOneLine { post.replace("\n", with: " ") }
                try fixture.write("blog/export.json", shape.replacing("POST", with: post))
                for name in ["blog", "blog/export.json"] {
                    let report = try await fixture.run(name)
                    #expect(report.failures.isEmpty && report.articles == 1, "\(shape)")
                }
            }
            #expect(try await fixture.article("a").body == "Text")
        }
    }

    @Test func `a file of JSON that is nothing known yields one error`() async throws {
        try await ImportFixture.with { fixture in
            let pretty = "{\n  \"posts\": [\n    {\n      \"name\": 1\n    }\n  ]\n}\n"
            let files = [
                "a.json": pretty, "b.ndjson": pretty, "c.json": String(pretty.dropLast(3)),
                "d.jsonl": "[\n{\"title\": \"A\"}\n]\n", "e.json": "[\n\n]", "f": pretty,
            ]
            for (name, text) in files.sorted(by: { $0.key < $1.key }) {
                try fixture.write(name, text)
                let report = try await fixture.run(name)
                #expect(report.counts == ["failed": 1], "\(name): \(report.failures)")
            }
            // In a folder, what is no export is no matter.
            try fixture.write("folder/a.json", pretty)
            #expect(try await fixture.run("folder").counts == [:])
        }
    }

    @Test func `what exceeds a limit is cut, and the post is kept`() async throws {
        try await ImportFixture.with { fixture in
            let long = String(repeating: "ü", count: 70)
            let tags = (0..<60).map { #"{"id": "x\#($0)", "name": "Tag \#($0)"}"# }
            let links = (0..<60).map { #"{"post_id": "p2", "tag_id": "x\#($0)"}"# }
            let posts = [
                Self.post("p1", #", "custom_excerpt": "\#(String(repeating: "s", count: 2_100))""#),
                Self.post("p2", "").replacing("Post p2", with: String(repeating: "t", count: 350)),
                Self.post("p3", "").replacing("Post p3", with: #"Two\nlines"#),
            ]
            let export = Self.export(posts.joined(separator: ","))
                .replacing("\"tags\": [", with: "\"tags\": [\(tags.joined(separator: ",")),")
                .replacing(
                    "\"posts_tags\": [", with: "\"posts_tags\": [\(links.joined(separator: ",")),"
                )
                .replacing("\"name\": \"News\"", with: "\"name\": \"\(long)\"")
                .replacing("\"Jun\"", with: "\"\(String(repeating: "j", count: 250))\"")
            try fixture.write("blog.json", export)
            let report = try await fixture.run("blog.json")
            #expect(report.counts == ["created": 3])
            let first = try await fixture.article("p1")
            #expect(first.tags.map(\.name) == [String(long.prefix(63)) + "…", "Swift"])
            #expect(first.authors.last?.name == String(repeating: "j", count: 199) + "…")
            #expect(first.summary.count == 2_000)
            let second = try await fixture.article("p2")
            #expect(second.title.count == 300 && second.tags.count == 50)
            #expect(try await fixture.article("p3").title == "Two lines")
            #expect(
                report.omissions.map(\.reason) == [
                    "post:p1: summary was cut to 2000 characters",
                    "post:p1: authors were cut to 200 characters (1)",
                    "post:p1: tags were cut to 64 characters (1)",
                    "post:p2: title was cut to 300 characters",
                    "post:p2: tags were cut to the first 50 of 60",
                    "post:p3: title became one line",
                ])
        }
    }
}
