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

    private static func title(_ slug: String, _ desk: ImportDesk) async throws -> String? {
        do { return try await desk.store.article(.slug(slug), visibleTo: .everyone).title } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    @Test func `a post keeps a slug that another one had before`() async throws {
        try await ImportDesk.with { desk in
            let formerly = """
                <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key>
                <wp:meta_value>news</wp:meta_value></wp:postmeta>
                """
            try desk.write(
                "blog.xml",
                WordPressImportTests.export(
                    WordPressImportTests.item(1, "old-news", more: formerly)
                        + WordPressImportTests.item(2, "news")))
            #expect(try await desk.run("blog.xml").counts == ["created": 2])
            #expect(try await Self.title("news", desk) == "Title of news & more")
            try desk.write("ghost/blog.json", Self.ghost("a", "b"))
            try desk.write("ghost/redirects.json", #"[{"from": "/b/", "to": "/a/"}]"#)
            #expect(try await desk.run("ghost").counts == ["created": 2])
            #expect(try await Self.title("b", desk) == "b")
        }
    }

    @Test func `redirects in YAML are read, and patterns are not`() async throws {
        try await ImportDesk.with { desk in
            try desk.write("blog.json", Self.ghost("hello", "world"))
            try desk.write(
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
            try desk.write("redirects.json", #"[{"from": "/json/", "to": "/hello/"}]"#)
            #expect(try await desk.run("blog.json").omissions == [])
            for (slug, title) in [
                ("old-hello", "hello"), ("older-hello", "hello"), ("the-world", "world"),
                ("elsewhere", nil), ("json", nil),
            ] { #expect(try await Self.title(slug, desk) == title, "\(slug)") }
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
        try await ImportDesk.with { desk in
            try desk.write("blog.json", Self.ghost("hello"))
            try desk.write(name, text + String(repeating: " ", count: spaces))
            let report = try await desk.run("blog.json")
            #expect(report.counts == ["created": 1] && report.omissions.count == 1)
            let note = try #require(report.omissions.first)
            #expect(note.path == desk.path(name) && note.reason.contains(words), "\(note)")
            let again = try await desk.run("blog.json")
            #expect(again.counts == ["unchanged": 1] && again.omissions == [])
        }
    }

    @Test func `notes about a file are not repeated while nothing changes`() async throws {
        try await ImportDesk.with { desk in
            func export(_ content: String) -> String {
                WordPressImportTests.export(
                    WordPressImportTests.item(1, "a", content: content)
                        + WordPressImportTests.item(2, "b", type: "nav_menu_item"))
            }
            let note = ["menu items were not imported: 1"]
            try desk.write("blog.xml", export("One"))
            #expect(try await desk.run("blog.xml", isDryRun: true).omissions.map(\.reason) == note)
            #expect(try await desk.run("blog.xml").omissions.map(\.reason) == note)
            #expect(try await desk.run("blog.xml").omissions == [])
            try desk.write("blog.xml", export("Two"))
            #expect(try await desk.run("blog.xml").omissions.map(\.reason) == note)
            // Without articles, the note is all that there is to say.
            try desk.write(
                "menu.xml",
                WordPressImportTests.export(
                    WordPressImportTests.item(2, "b", type: "nav_menu_item")))
            #expect(try await desk.run("menu.xml").omissions.map(\.reason) == note)
        }
    }
}
