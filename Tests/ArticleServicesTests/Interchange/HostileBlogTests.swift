import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Exports that somebody made to harm who imports them.
@Suite(.timeLimit(.minutes(Patience.minutes))) struct HostileBlogTests {
    /// The divisor of the sizes. What is not linear takes minutes even with a fifth of them.
    private static let scale = Thoroughness.isFull ? 1 : 5

    private static func item(_ id: Int, _ content: String = "Text", more: String = "") -> String {
        WordPressImportTests.item(id, "n\(id)", content: content, more: more)
    }

    /// The body of the only article, and the notes about it.
    private func imported(_ content: String) async throws -> (body: String?, notes: [String]) {
        var result: (body: String?, notes: [String]) = (nil, [])
        try await ImportFixture.with { fixture in
            try fixture.write("blog.xml", WordPressImportTests.export(Self.item(1, content)))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 1], "\(report.failures)")
            result = (try await fixture.article("n1").body, report.omissions.map(\.reason))
        }
        return result
    }

    @Test(arguments: [
        #"<a href="javascript:alert(1)">x</a>"#, #"<a href=" JaVa&#9;script:alert(1)">x</a>"#,
        "<!-- wp:html --><a href='java\nscript:alert(1)'>x</a>", #"<a href="vbscript:x">x</a>"#,
        #"<a href="data:text/html,x">x</a>"#, #"<img src="data:image/png;base64,AAAA" alt="x">"#,
        #"<iframe src="javascript:alert(1)">x</iframe>"#, #"<embed src="data:text/html,x">x"#,
    ])
    func `addresses that run scripts or carry data are left out`(content: String) async throws {
        let (body, notes) = try await imported(content)
        #expect(body == "x")
        #expect(
            notes.allSatisfy { $0.hasPrefix("post:1: left out: ") } && !content.contains("href")
                || notes == ["post:1: left out: unsafe addresses (1)"], "\(notes)")
    }

    @Test(arguments: ["javascript:alert(1)", "data:text/html,x", "//", "\u{0}", "x:"])
    func `an address that makes links unsafe is not used as the base`(link: String) async throws {
        try await ImportFixture.with { fixture in
            let content = "<a href=\"#\">x</a> <a href=\"?\">x</a> <a href=\"/a\">x</a>"
            let item = Self.item(1, content)
                .replacing("https://blog.example.org/2020/n1/", with: link)
            try fixture.write("blog.xml", WordPressImportTests.export(item))
            let report = try await fixture.run("blog.xml")
            if report.failed == 0 {
                let body = try await fixture.article("n1").body ?? ""
                #expect(!body.contains("javascript") && !body.contains("data:"), "\(body)")
                #expect(!body.contains("x:"), "\(body)")
            }
        }
    }

    @Test func `elements nested a hundred thousand deep are read as far as libxml2 goes`()
        async throws
    {
        for tag in ["div", "b", "ul><li", "blockquote", "table><tr><td"] {
            let (body, notes) = try await imported(
                "first " + String(repeating: "<\(tag)>", count: 100_000 / Self.scale) + "last")
            #expect(body?.contains("first") == true)
            #expect(notes.contains { $0.contains("elements that nest too deeply") }, "\(tag)")
        }
    }

    @Test(arguments: [
        "[caption]", "[code", "[audio src=\"", "[a", "[", "[code lang='x']", "[/embed]",
    ])
    func `brackets that never close are read in linear time`(bracket: String) {
        let text = String(repeating: bracket, count: 2_000_000 / Self.scale / bracket.utf8.count)
        #expect(WordPressText.html(of: text).html == "<p>\(text)</p>\n")
    }

    @Test func `a million tags are read in linear time, and cut to the first 50`() async throws {
        try await ImportFixture.with { fixture in
            func tag(_ name: String) -> String {
                "<category domain=\"post_tag\" nicename=\"t\">\(name)</category>"
            }
            let count = 200_000 / Self.scale
            let same = String(repeating: tag("Tag"), count: count)
            let other = (0..<count).map { tag("t\($0)") }.joined()
            try fixture.write(
                "blog.xml",
                WordPressImportTests.export(Self.item(1, more: same) + Self.item(2, more: other)))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 2])
            #expect(
                report.omissions.map(\.reason) == [
                    "post:2: tags were cut to the first 50 of 500"
                ])
            #expect(try await fixture.article("n2").tags.count == 50)
            let tags = try await fixture.article("n1").tags
            #expect(tags.map(\.name) == ["Tag"])

            let links = (0..<count).map { #"{"post_id": "p", "tag_id": "t\#($0 % 1_000)"}"# }
            let names = (0..<1_000).map { #"{"id": "t\#($0)", "name": "Tag \#($0)"}"# }
            let posts = String(repeating: #"{"id": "p", "title": "T"},"#, count: count / 10)
            try fixture.write(
                "ghost.json",
                """
                {"db": [{"meta": {}, "data": {"posts": [\(posts) {"id": "q", "title": "Q"}],
                "tags": [\(names.joined(separator: ","))],
                "posts_tags": [\(links.joined(separator: ","))]}}]}
                """)
            let ghost = try await fixture.run("ghost.json")
            #expect(ghost.counts == ["created": 2, "failed": count / 10 - 1])
            #expect(ghost.failures[0].reason == "post:p occurs twice")
        }
    }

    @Test(arguments: [
        "0000-00-00 00:00:00", "2020-13-45 99:99:99", "99999-01-01 00:00:00", "soon", "",
        "-1-01-01 00:00:00", "2020-02-30 00:00:00",
    ])
    func `a post with a wrong date is a draft without one`(date: String) async throws {
        try await ImportFixture.with { fixture in
            let item = Self.item(1).replacing("2020-05-06 07:08:09", with: date)
            try fixture.write("blog.xml", WordPressImportTests.export(item))
            #expect(try await fixture.run("blog.xml", at: 3).counts == ["created": 1])
            let article = try await fixture.article("n1")
            #expect(article.status == .draft && article.publishedAt == nil)
        }
    }

    @Test func `a post without a number is identified by a name, if that is a slug`()
        async throws
    {
        try await ImportFixture.with { fixture in
            func named(_ name: String) -> String {
                Self.item(1).replacing("<wp:post_id>1</wp:post_id>", with: "")
                    .replacing("<wp:post_name>n1", with: "<wp:post_name>\(name)")
            }
            let names = ["good", "a%0Ab", "a%00b", "../../etc/passwd", "", "a b"]
            try fixture.write(
                "blog.xml", WordPressImportTests.export(names.map(named).joined()))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 1, "failed": 5])
            #expect(
                Set(report.failures.map(\.reason))
                    == ["a post: it has no number, usable name or guid"])
            #expect(try await fixture.run("blog.xml").counts == ["unchanged": 1, "failed": 5])
        }
    }

    @Test func `texts are on one line where articles have one`() async throws {
        try await ImportFixture.with { fixture in
            let item = Self.item(1).replacing(
                "Title of n1 &amp; more", with: "Two\nlines\tand\u{85}more\u{A0}")
            try fixture.write("blog.xml", WordPressImportTests.export(item))
            #expect(try await fixture.run("blog.xml").counts == ["created": 1])
            #expect(try await fixture.article("n1").title == "Two lines and more")
        }
    }

    @Test func `a library of images is remembered up to a size`() async throws {
        try await ImportFixture.with { fixture in
            let long = String(repeating: "x", count: 60 << 10)
            let images = (1...1_100).map { id in
                """
                <item><wp:post_id>\(id)</wp:post_id><wp:post_type>attachment</wp:post_type>
                <wp:attachment_url>https://blog.example.org/\(long)</wp:attachment_url></item>
                """
            }
            let last = """
                <wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key>
                <wp:meta_value>1100</wp:meta_value></wp:postmeta>
                """
            try fixture.write(
                "blog.xml",
                WordPressImportTests.export(images.joined() + Self.item(2_000, more: last)))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 1])
            #expect(
                report.omissions.map(\.reason).contains(
                    "post:2000: its image is not in the export"))
        }
    }

    @Test func `an import that is cancelled ends within a post, and says so`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog.xml", WordPressImportTests.export(Self.item(1)))
            try fixture.write(
                "ghost.json",
                #"{"db": [{"data": {"posts": [{"id": "p", "title": "T", "html": "<p>x</p>"}]}}]}"#)
            try fixture.write("post.md", "# Title\n\nText")
            for name in ["blog.xml", "ghost.json", "post.md"] {
                let importer = try fixture.importer()
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await importer.run([fixture.path(name)])
                }
                let error = await #expect(throws: InterchangeError.self) { try await task.value }
                #expect(error?.description == "there was not enough time for all of it", "\(name)")
                #expect(try await fixture.run(name).counts == ["created": 1], "\(name)")
            }
        }
    }

    @Test func `a section without an end is an error within bounded memory`() async throws {
        try await ImportFixture.with { fixture in
            let whole = WordPressImportTests.export(Self.item(1) + Self.item(2))
            let end = try #require(whole.firstRange(of: "<item>", )?.lowerBound)
            let bomb =
                String(whole[..<end]) + Self.item(1) + "<item><content:encoded><![CDATA["
                + String(repeating: "x", count: 12 << 20)
            try fixture.write("blog.xml", bomb)
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 1, "failed": 1])
            #expect(
                report.failures.first?.reason.hasSuffix("; the rest was not imported") == true)
        }
    }
}
