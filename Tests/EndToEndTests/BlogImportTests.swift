import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// The exports of WordPress and Ghost, imported by the command.
@Suite(.mayBlock) struct BlogImportTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:wp="http://wordpress.org/export/1.2/">
        <channel><link>https://blog.example.org</link><language>en</language>

        """

    private static func item(
        _ id: Int, status: String = "publish", content: String = "Text", more: String = ""
    ) -> String {
        """
        <item><title>Post \(id)</title><link>https://blog.example.org/n\(id)/</link>
        <dc:creator>mina</dc:creator><content:encoded><![CDATA[\(content)]]></content:encoded>
        <wp:post_id>\(id)</wp:post_id><wp:post_date_gmt>2020-05-06 07:08:09</wp:post_date_gmt>
        <wp:post_name>n\(id)</wp:post_name><wp:status>\(status)</wp:status>
        <wp:post_type>post</wp:post_type>\(more)</item>

        """
    }

    private static func formerly(_ slug: String) -> String {
        """
        <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key>
        <wp:meta_value>\(slug)</wp:meta_value></wp:postmeta>
        """
    }

    @Test func `an export of WordPress is imported into a served database`() throws {
        let served = try RunningServer(database)
        // Nothing that a client was told before hides what arrives.
        for slug in ["n1", "former"] {
            #expect(try served.client.get("/v1/articles/\(slug)").status == 404)
        }
        let file = folder.file("blog.xml")
        let items =
            Self.item(1, content: "<b>Bold</b> <a href=\"/x\">x</a>", more: Self.formerly("former"))
            + Self.item(2, status: "draft", more: Self.formerly("secret"))
            + Self.item(3, content: "<script></script>Text")
        try write(Self.head + items + "</channel></rss>", to: file)
        let arguments = ["import", file, "--database", database]
        let trial = try ended(arguments + ["--dry-run"])
        #expect(trial.output == ["would be: 3 articles: 3 created"] && trial.status == 0)
        #expect(try served.client.get("/v1/articles").text == #"{"items":[]}"#)
        let first = try ended(arguments)
        #expect(first.status == 0 && first.output == ["3 articles: 3 created"])
        #expect(first.errors.count == 1, "\(first.errors)")
        #expect(
            first.errors.first?.hasPrefix("broadsheet: note: \(file):") == true
                && first.errors.first?.hasSuffix(": post:3: left out: scripts (1)") == true,
            "\(first.errors)")
        for slug in ["n1", "former"] {
            let article = try served.client.get("/v1/articles/\(slug)")
            #expect(article.text.contains("**Bold** [x](https://blog.example.org/x)"))
        }
        #expect(try served.client.get("/v1/articles/secret").status == 404)
        #expect(try served.send(.get, "/v1/articles/secret").status == 200)
        let id = try served.send(.get, "/v1/articles/n2").text.dropFirst(7).prefix(36)
        let published = try served.send(
            .patch, "/v1/articles/\(id)", #"{"status":"published"}"#,
            type: "application/merge-patch+json")
        #expect(published.status == 200)
        #expect(try served.client.get("/v1/articles/secret").status == 200)
        let again = try ended(arguments)
        #expect(again.output == ["nothing changed (3 articles)"] && again.errors == [])
        #expect(served.stop() == 0)
        #expect(try ended(arguments).output == ["nothing changed (3 articles)"])
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `an export of Ghost is imported into a served database`() throws {
        let served = try RunningServer(database)
        let file = folder.file("ghost.json")
        try write(
            #"""
            {"db": [{"meta": {"version": "5.80.0"}, "data": {"posts": [
            {"id": "1", "title": "Hello", "slug": "hello", "status": "published",
            "visibility": "public", "html": "<a href=\"__GHOST_URL__/x\">x</a>",
            "published_at": "2021-02-03T04:05:06.000Z"},
            {"title": "Nameless"}]}}]}
            """#, to: file)
        try write(
            #"[{"from": "/old", "to": "/hello"}]"#, to: folder.file("redirects.json"))
        let arguments = [
            "import", file, "--site-url", "https://blog.example.org", "--database", database,
        ]
        let first = try ended(arguments)
        #expect(first.status == 65 && first.output == ["1 article: 1 created"])
        #expect(
            first.errors == [
                "broadsheet: \(file): post 2: it has no id",
                "broadsheet: 1 could not be imported",
            ], "\(first.errors)")
        let article = try served.client.get("/v1/articles/old")
        #expect(article.text.contains("[x](https://blog.example.org/x)"))
        #expect(try ended(arguments).output == ["nothing changed (1 article)"])
        #expect(served.stop() == 0)
    }

    private func ended(_ arguments: [String]) throws -> Program.Ended {
        let program = try Program.start(arguments)
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }
}
