import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Exports of WordPress, invented.
@Suite struct WordPressImportTests {
    /// An export with these elements in its channel.
    static func export(_ items: String, version: String = "1.2", language: String = "en-US")
        -> String
    {
        """
        <?xml version="1.0" encoding="UTF-8" ?>
        <!-- generator="WordPress" -->
        <rss version="2.0" xmlns:excerpt="http://wordpress.org/export/\(version)/excerpt/"
            xmlns:content="http://purl.org/rss/1.0/modules/content/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:wp="http://wordpress.org/export/\(version)/">
        <channel><title>Blog</title><link>https://blog.example.org</link>
        <language>\(language)</language><wp:wxr_version>\(version)</wp:wxr_version>
        <wp:author><wp:author_login><![CDATA[mina]]></wp:author_login>
        <wp:author_display_name><![CDATA[Mina Park]]></wp:author_display_name></wp:author>
        \(items)
        </channel></rss>
        """
    }

    static func item(
        _ id: Int, _ name: String, status: String = "publish", type: String = "post",
        content: String = "Text", more: String = ""
    ) -> String {
        """
        <item><title><![CDATA[Title of \(name) &amp; more]]></title>
        <link>https://blog.example.org/2020/\(name)/</link>
        <dc:creator><![CDATA[mina]]></dc:creator>
        <content:encoded><![CDATA[\(content)]]></content:encoded>
        <excerpt:encoded><![CDATA[Short &amp; sweet]]></excerpt:encoded>
        <wp:post_id>\(id)</wp:post_id><wp:post_date_gmt>2020-05-06 07:08:09</wp:post_date_gmt>
        <wp:post_name>\(name)</wp:post_name><wp:status>\(status)</wp:status>
        <wp:post_type>\(type)</wp:post_type>\(more)</item>
        """
    }

    @Test(arguments: ["1.0", "1.1", "1.2"])
    func `a post arrives with all that an article can have`(version: String) async throws {
        try await ImportFixture.with { fixture in
            let more = """
                <category domain="category" nicename="news"><![CDATA[News &amp; Co]]></category>
                <category domain="post_tag" nicename="swift"><![CDATA[Swift]]></category>
                <category domain="category" nicename="uncategorized">Uncategorized</category>
                <wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key>
                <wp:meta_value><![CDATA[9]]></wp:meta_value></wp:postmeta>
                <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key>
                <wp:meta_value>former-name</wp:meta_value></wp:postmeta>
                <wp:comment><wp:comment_content>Hi</wp:comment_content></wp:comment>
                """
            let image = """
                <item><title>i</title><wp:post_id>9</wp:post_id>
                <wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status>
                <wp:attachment_url>https://blog.example.org/i.png</wp:attachment_url>
                <wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key>
                <wp:meta_value>A picture</wp:meta_value></wp:postmeta></item>
                """
            let content = "One\ntwo\n\n<b>Three</b> <a href=\"/x\">x</a>\n<ul>\n<li>a</li>\n</ul>"
            try fixture.write(
                "blog.xml",
                Self.export(
                    Self.item(7, "hello", content: content, more: more) + image, version: version))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 1])
            #expect(
                report.omissions.map(\.reason) == [
                    "attachments (their addresses stay in the articles) were not imported: 1",
                    "comments were not imported: 1",
                ])
            let article = try await fixture.article("hello")
            #expect(article.title == "Title of hello & more" && article.summary == "Short & sweet")
            #expect(
                article.body
                    == "One\\\ntwo\n\n**Three** [x](https://blog.example.org/x)\n\n- a")
            #expect(article.authors.map(\.name) == ["Mina Park"] && article.language == "en-US")
            #expect(article.tags.map(\.name).sorted() == ["News & Co", "Swift"])
            #expect(article.heroImage?.url == "https://blog.example.org/i.png")
            #expect(article.heroImage?.alternativeText == "A picture")
            #expect(article.status == .published)
            #expect(article.publishedAt == Timestamp("2020-05-06T07:08:09Z"))
            let former = try await fixture.store.article(.slug("former-name"), visibleTo: .everyone)
            #expect(former.id == article.id)
        }
    }

    @Test func `what was not public there is not public here`() async throws {
        try await ImportFixture.with { fixture in
            let password = "<wp:post_password>secret</wp:post_password>"
            let items = [
                Self.item(1, "a", status: "draft"), Self.item(2, "b", status: "pending"),
                Self.item(3, "c", status: "private"), Self.item(4, "d", more: password),
                Self.item(5, "e", status: "trash"), Self.item(6, "f", status: "auto-draft"),
                Self.item(7, "g", type: "page"), Self.item(8, "h", type: "nav_menu_item"),
                Self.item(9, "i", status: "future")
                    .replacing("2020-05-06 07", with: "2027-05-06 07"),
            ]
            try fixture.write("blog.xml", Self.export(items.joined()))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 6])
            for slug in ["a", "b", "c", "d"] {
                #expect(try await fixture.article(slug).status == .draft, "\(slug)")
            }
            #expect(try await fixture.article("g").status == .published)
            let future = try await fixture.article("i")
            #expect(future.status == .scheduled)
            #expect(future.publishedAt == Timestamp("2027-05-06T07:08:09Z"))
            #expect(
                report.omissions.map(\.reason).contains(
                    "post:3: it was private, so it became a draft"))
            #expect(
                report.omissions.map(\.reason).contains("posts in the trash were not imported: 1"))
        }
    }

    @Test func `a second import changes nothing, and a changed post updates its article`()
        async throws
    {
        try await ImportFixture.with { fixture in
            try fixture.write("blog.xml", Self.export(Self.item(1, "a") + Self.item(2, "b")))
            #expect(try await fixture.run("blog.xml", isDryRun: true).counts == ["created": 2])
            #expect(try await fixture.store.changeSequence() == 0)
            #expect(try await fixture.run("blog.xml").counts == ["created": 2])
            let sequence = try await fixture.store.changeSequence()
            #expect(try await fixture.run("blog.xml", at: 5).counts == ["unchanged": 2])
            #expect(try await fixture.store.changeSequence() == sequence)
            let changed = Self.item(1, "a", content: "New") + Self.item(2, "b")
            try fixture.write("blog.xml", Self.export(changed))
            #expect(
                try await fixture.run("blog.xml", at: 9).counts == ["updated": 1, "unchanged": 1])
            #expect(try await fixture.article("a").body == "New")
        }
    }

    @Test func `an article that was edited or deleted here is kept`() async throws {
        try await ImportFixture.with { fixture in
            func export(_ content: String) -> String {
                Self.export(
                    (1...3).map { Self.item($0, "n\($0)", content: content) }.joined())
            }
            try fixture.write("blog.xml", export("Old"))
            _ = try await fixture.run("blog.xml")
            let edit = Edit(at: ImportFixture.time(1), by: .operator)
            let edited = try await fixture.store.updateArticle(
                fixture.article("n1").id,
                ArticleUpdate(.changes(Article.Changes(title: .set("Edited here")))),
                expecting: .anything, by: edit)
            try await fixture.store.deleteArticle(
                fixture.article("n2").id, expecting: .anything, by: edit)
            try fixture.write("blog.xml", export("New"))
            #expect(
                try await fixture.run("blog.xml", at: 2).counts
                    == ["updated": 1, "keptEdits": 1, "deletedHere": 1])
            #expect(try await fixture.article("n1") == edited)
            await #expect(throws: StoreError.self) { try await fixture.article("n2") }
            #expect(try await fixture.article("n3").body == "New")
        }
    }

    @Test func `a faulty post does not stop the others`() async throws {
        try await ImportFixture.with { fixture in
            // More than the bytes of a body, and than those of a post.
            let long = String(repeating: "word ", count: 420_000)
            let huge = String(repeating: "<p>text</p>\n", count: 350_000)
            let items = [
                Self.item(1, "a", content: long), Self.item(2, "b", content: huge),
                Self.item(3, "c"), Self.item(3, "d"),
                Self.item(4, "e").replacing("Title of e", with: String(repeating: "t", count: 400)),
                Self.item(5, "f", content: "<script>x</script>y[gallery ids=\"1,2\"]"),
            ]
            try fixture.write("blog.xml", Self.export(items.joined()))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 3, "failed": 3])
            let reasons = report.failures.map(\.reason)
            #expect(reasons.contains { $0.hasPrefix("post:1: $.body ") })
            #expect(reasons.contains { $0.hasPrefix("post:2: its content is longer than ") })
            #expect(reasons.contains("post:3 occurs twice"))
            #expect(
                report.omissions.contains {
                    $0.reason == "post:4: title was cut to 300 characters"
                })
            #expect(report.omissions.contains { $0.reason == "post:5: left out: scripts (1)" })
            #expect(report.omissions.contains { $0.reason == "post:5: left out: galleries (1)" })
        }
    }

    @Test func `a truncated or hostile file keeps what precedes the fault`() async throws {
        try await ImportFixture.with { fixture in
            let whole = Self.export(Self.item(1, "a") + Self.item(2, "b"))
            let end = try #require(whole.firstRange(of: "<wp:post_id>2")?.lowerBound)
            try fixture.write("cut.xml", String(whole[..<end]))
            let cut = try await fixture.run("cut.xml")
            #expect(cut.counts == ["created": 1, "failed": 1])
            #expect(cut.failures.first?.reason.hasSuffix("; the rest was not imported") == true)
            #expect(cut.failures.first?.line != nil)
        }
    }

    @Test(arguments: [
        ("\u{1C}", "Text"), ("\u{0}", "Text"), ("]]> & <![CDATA[", "Te & xt"),
        ("]]>&hellip;<![CDATA[", "Te…xt"), ("]]>&name;<![CDATA[", "Te\\&name;xt"),
    ])
    func `one wrong character costs no post`(fault: String, body: String) async throws {
        try await ImportFixture.with { fixture in
            let items = Self.item(1, "a") + Self.item(2, "b", content: "Te\(fault)xt")
            try fixture.write("blog.xml", Self.export(items + Self.item(3, "c")))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 3], "\(report.failures)")
            #expect(report.omissions.count == 1 && report.omissions.first?.line != nil)
            #expect(try await fixture.article("b").body == body)
        }
    }

    @Test func `a message before the file, and bytes of Latin-1 in it, cost no post`() async throws
    {
        try await ImportFixture.with { fixture in
            let text = Self.export(
                Self.item(1, "a", content: "Gr\u{F6}\u{DF}e") + Self.item(2, "b"))
            let latin = ("<br />\n<b>Warning</b>: x & y\n" + text).unicodeScalars.map {
                UInt8(truncatingIfNeeded: $0.value)
            }
            try fixture.write("blog.xml", latin)
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 2], "\(report.failures)")
            #expect(try await fixture.article("a").body == "Größe")
            #expect(
                report.omissions.map(\.reason) == [
                    "text or markup before or after the document was left out",
                    "a byte that is not UTF-8 was read as windows-1252 (2)",
                ])
        }
    }

    @Test func `entities that a file declares are never expanded`() async throws {
        try await ImportFixture.with { fixture in
            let file = Self.export(Self.item(1, "a", content: "x]]>&evil;&b;<![CDATA["))
                .replacing(
                    "<rss",
                    with: "<!DOCTYPE rss [<!ENTITY evil SYSTEM \"/etc/passwd\">"
                        + "<!ENTITY b \"c\">]>\n<rss")
            try fixture.write("bomb.xml", file)
            let report = try await fixture.run("bomb.xml")
            #expect(report.counts == ["created": 1])
            #expect(try await fixture.article("a").body == "x\\&evil;\\&b;")
            #expect(
                report.omissions.map(\.reason).contains(
                    "the declarations in the DOCTYPE were left out")
            )
        }
    }

    @Test(arguments: [
        "https://wordpress.org", "http://www.wordpress.org", "https://www.wordpress.org",
    ])
    func `namespaces may be written with another scheme`(host: String) async throws {
        try await ImportFixture.with { fixture in
            let export = Self.export(Self.item(1, "a"), version: "1.9")
                .replacing("http://wordpress.org", with: host)
                .replacing("http://purl.org", with: "https://purl.org")
                .replacing("/excerpt/\"", with: "/excerpt\"").replacing("/1.1/\"", with: "/1.1\"")
            try fixture.write("blog.xml", export)
            #expect(try await fixture.run("blog.xml").counts == ["created": 1])
            let article = try await fixture.article("a")
            #expect(article.authors.map(\.name) == ["Mina Park"] && article.body == "Text")
            #expect(article.summary == "Short & sweet")
        }
    }

    @Test func `many posts are read in constant memory`() async throws {
        let count = Thoroughness.isFull ? 3_000 : 1_000
        try await ImportFixture.with { fixture in
            try fixture.write(
                "blog.xml", Self.export((1...count).map { Self.item($0, "n\($0)") }.joined()))
            var places: [Int] = []
            let importer = try fixture.importer()
            let report = try await importer.run([fixture.path("blog.xml")]) { progress in
                places.append(progress.done)
                #expect(progress.done <= progress.total)
            }
            #expect(report.counts == ["created": count])
            #expect(places == places.sorted() && places.count > count / 150)
        }
    }

    @Test func `other XML and JSON in a folder are skipped`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog/other.xml", "<feed/>")
            try fixture.write("blog/package.json", "{\"name\": 1}")
            try fixture.write("blog/wp.xml", Self.export(Self.item(1, "a")))
            #expect(try await fixture.run("blog").counts == ["created": 1])
            #expect(try await fixture.run("blog/wp.xml").counts == ["unchanged": 1])
        }
    }

    @Test func `other XML and JSON that is named is reported`() async throws {
        try await ImportFixture.with { fixture in
            for (name, text) in [("a.xml", "<feed/>"), ("b.json", "[1]"), ("c.json", "")] {
                try fixture.write(name, text)
                let report = try await fixture.run(name)
                #expect(report.counts == ["failed": 1], "\(name)")
                #expect(
                    report.failures.map(\.reason)
                        == ["is neither an export of WordPress or Ghost nor JSON lines"])
            }
            try fixture.write("lines.json", #"{"title":"A line"}"#)
            #expect(try await fixture.run("lines.json").counts == ["created": 1])
        }
    }

    @Test(arguments: [
        // Of these forms of a date, one that is zero is absent.
        (zero, "Sat, 02 Mar 2019 23:30:00 -0500", "2019-03-02 23:30:00", "2019-03-03T04:30:00Z"),
        (zero, "", "2019-03-02 23:30:00", "2019-03-02T23:30:00Z"),
        (zero, "Mon, 30 Nov -0001 00:00:00 +0000", "2019-03-02 23:30:00", "2019-03-02T23:30:00Z"),
        ("", "Sat, 02 Mar 2019 23:30:00 +0000", zero, "2019-03-02T23:30:00Z"),
        ("2019-03-02 01:02:03", "Sat, 02 Mar 2019 23:30:00 +0000", zero, "2019-03-02T01:02:03Z"),
    ])
    func `a published post has a date of its source`(
        gmt: String, published: String, local: String, time: String
    ) async throws {
        try await ImportFixture.with { fixture in
            let date = "<wp:post_date_gmt>2020-05-06 07:08:09</wp:post_date_gmt>"
            let dates = """
                <pubDate>\(published)</pubDate><wp:post_date>\(local)</wp:post_date>
                <wp:post_date_gmt>\(gmt)</wp:post_date_gmt>
                """
            let items = [
                Self.item(1, "a").replacing(date, with: dates),
                Self.item(2, "b", status: "draft").replacing(date, with: dates),
                Self.item(3, "c").replacing(date, with: ""),
            ]
            try fixture.write("blog.xml", Self.export(items.joined()))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 3])
            let article = try await fixture.article("a")
            #expect(article.status == .published && article.publishedAt == Timestamp(time))
            let draft = try await fixture.article("b")
            #expect(draft.status == .draft && (draft.publishedAt == nil) == (gmt.first != "2"))
            // Never that of the import.
            #expect(try await fixture.article("c").status == .draft)
            #expect(
                report.omissions.map(\.reason) == [
                    "post:3: it has no date, so it became a draft"
                ])
        }
    }

    private static let zero = "0000-00-00 00:00:00"

    @Test func `a post without a number and a name is identified by its guid`() async throws {
        try await ImportFixture.with { fixture in
            let items = (1...2).map { number in
                Self.item(number, "a").replacing("<wp:post_id>\(number)</wp:post_id>", with: "")
                    .replacing(
                        "<wp:post_name>a</wp:post_name>",
                        with: "<guid isPermaLink=\"false\">http://b.example/?p=\(number)</guid>")
            }
            try fixture.write("blog.xml", Self.export(items.joined()))
            #expect(try await fixture.run("blog.xml").counts == ["created": 2])
            #expect(try await fixture.run("blog.xml").counts == ["unchanged": 2])
        }
    }

    @Test(arguments: [
        ("<a\nhref='b'\n>c</a\n>\nd < e\n> f", "<p><a href='b' >c</a ><br>\nd < e<br>\n> f</p>\n"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>\n"), ("a\nb", "<p>a<br>\nb</p>\n"),
        ("a\n<ul>\n<li>b</li>\n</ul>\nc", "<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n<p>c</p>\n"),
        ("<pre>a\n\nb</pre>\n\nc", "<pre>a\n\nb</pre><p>c</p>\n"),
        ("<!-- wp:paragraph -->\n<p>a\nb</p>", "<!-- wp:paragraph -->\n<p>a\nb</p>"),
        (
            "[caption id=\"x\"]<a href=\"b\"><img src=\"a\" /></a> Words[/caption]",
            "<figure><a href=\"b\"><img src=\"a\" /></a><figcaption>Words</figcaption></figure>\n"
        ),
        ("[code lang=\"c\"]a < b\n\nc[/code]", "<pre class=\"language-c\">a &lt; b\n\nc</pre>"),
        (
            "[embed]https://v.org/1[/embed]",
            "<p><a href=\"https://v.org/1\">https://v.org/1</a></p>\n"
        ),
        ("a [unknown x=\"1\"] [b", "<p>a [unknown x=\"1\"] [b</p>\n"),
    ])
    func `blank lines and shortcodes become HTML`(text: String, html: String) {
        #expect(WordPressText.html(of: text).html == html)
    }
}
