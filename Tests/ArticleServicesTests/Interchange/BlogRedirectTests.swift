import ArticleAPI
import ArticleStore
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Former slugs of WordPress and redirects of Ghost.
@Suite struct BlogRedirectTests {
    private static func ghost(_ slugs: String...) -> String {
        let posts = slugs.map {
            """
            {"id": "\($0)", "title": "\($0)", "slug": "\($0)", "status": "published",
            "visibility": "public", "html": "Text"}
            """
        }
        return """
            {"db": [{"meta": {}, "data": {"posts": [\(posts.joined(separator: ","))]}}]}
            """
    }

    private static func title(_ slug: String, _ fixture: ImportFixture) async throws -> String? {
        do { return try await fixture.store.article(.slug(slug), visibleTo: .everyone).title } catch
        {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    @Test func `a post keeps a slug that another one had before`() async throws {
        try await ImportFixture.with { fixture in
            let formerly = """
                <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key>
                <wp:meta_value>news</wp:meta_value></wp:postmeta>
                """
            try fixture.write(
                "blog.xml",
                WordPressImportTests.export(
                    WordPressImportTests.item(1, "old-news", more: formerly)
                        + WordPressImportTests.item(2, "news")))
            #expect(try await fixture.run("blog.xml").counts == ["created": 2])
            #expect(try await Self.title("news", fixture) == "Title of news & more")
            try fixture.write("ghost/blog.json", Self.ghost("a", "b"))
            try fixture.write("ghost/redirects.json", #"[{"from": "/b/", "to": "/a/"}]"#)
            #expect(try await fixture.run("ghost").counts == ["created": 2])
            #expect(try await Self.title("b", fixture) == "b")
        }
    }

    @Test func `redirects in YAML are read, and patterns are not`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog.json", Self.ghost("hello", "world"))
            try fixture.write(
                "redirects.yaml",
                """
                301:
                  /old-hello/: /hello/
                  ^/2019/older-hello/?$: /hello/
                  /pattern-(.*): /hello/
                  /elsewhere: https://example.org/
                302:
                  /the-world: /world
                """)
            // Ghost's older format is read only where redirects.yaml does not exist.
            try fixture.write("redirects.json", #"[{"from": "/json/", "to": "/hello/"}]"#)
            #expect(try await fixture.run("blog.json").omissions == [])
            for (slug, title) in [
                ("old-hello", "hello"), ("older-hello", "hello"), ("the-world", "world"),
                ("elsewhere", nil), ("json", nil),
            ] { #expect(try await Self.title(slug, fixture) == title, "\(slug)") }
        }
    }

    @Test(arguments: [
        ("redirects.yaml", "301:\n  a: [", 0, "YAML"),
        ("redirects.yaml", "301: &a {/x: *a}", 0, "aliases"),
        ("redirects.json", "[", 0, "ends unexpectedly"),
        ("redirects.json", "[]", GhostRedirects.limitBytes, "larger"),
    ])
    func `redirects that cannot be read are noted once`(
        name: String, text: String, spaces: Int, words: String
    ) async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog.json", Self.ghost("hello"))
            try fixture.write(name, text + String(repeating: " ", count: spaces))
            let report = try await fixture.run("blog.json")
            #expect(report.counts == ["created": 1] && report.omissions.count == 1)
            let note = try #require(report.omissions.first)
            #expect(note.path == fixture.path(name) && note.reason.contains(words), "\(note)")
            let again = try await fixture.run("blog.json")
            #expect(again.counts == ["unchanged": 1] && again.omissions == [])
        }
    }

    @Test func `notes about a file are not repeated while nothing changes`() async throws {
        try await ImportFixture.with { fixture in
            func export(_ content: String) -> String {
                WordPressImportTests.export(
                    WordPressImportTests.item(1, "a", content: content)
                        + WordPressImportTests.item(2, "b", type: "nav_menu_item"))
            }
            let note = ["menu items were not imported: 1"]
            try fixture.write("blog.xml", export("One"))
            #expect(
                try await fixture.run("blog.xml", isDryRun: true).omissions.map(\.reason) == note)
            #expect(try await fixture.run("blog.xml").omissions.map(\.reason) == note)
            #expect(try await fixture.run("blog.xml").omissions == [])
            try fixture.write("blog.xml", export("Two"))
            #expect(try await fixture.run("blog.xml").omissions.map(\.reason) == note)
            // Without articles, the note is all that there is to say.
            try fixture.write(
                "menu.xml",
                WordPressImportTests.export(
                    WordPressImportTests.item(2, "b", type: "nav_menu_item")))
            #expect(try await fixture.run("menu.xml").omissions.map(\.reason) == note)
        }
    }
}
