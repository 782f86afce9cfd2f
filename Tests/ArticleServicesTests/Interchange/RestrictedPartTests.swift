import ArticleAPI
import ArticleDatabase
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Parts that not all could read at their source are not public here.
@Suite(.timeLimit(.minutes(Patience.minutes))) struct RestrictedPartTests {
    private static let hidden = #"nonMember:false memberSegment:"status:free" "#
    private static let shown = #"nonMember:true memberSegment:"" "#

    private static func gated(_ rule: String, _ text: String) -> String {
        "<!--kg-gated-block:begin \(rule)-->\(text)<!--kg-gated-block:end-->"
    }

    private static func block(_ name: String, _ text: String) -> String {
        "<!-- wp:\(name) -->\(text)<!-- /wp:\(name) -->"
    }

    @Test(arguments: [
        ("a" + gated(hidden, "secret") + "b", "ab", 1),
        ("a" + gated(shown, "b") + "c", "abc", 0),
        (gated(hidden, "secret") + gated(shown, "a") + gated(hidden, "secret"), "a", 2),
        (gated(shown, "a" + gated(hidden, "secret")) + "b", "ab", 1),
        (gated(hidden, gated(shown, "secret") + "secret") + "a", "a", 1),
        (gated("what:ever ", "secret") + "a", "a", 1),
        ("a<!-- kg-gated-block:begin nonMember: false -->secret", "a", 1),
        ("a<!--members-only-->secret", "a", 1),
        ("a<!-- Members-Only -->secret", "a", 1),
        ("a<!--kg-card-begin: email-->secret<!--kg-card-end: email-->b", "ab", 1),
        ("a<!--kg-card-begin: html--><b>b</b><!--kg-card-end: html-->", "a<b>b</b>", 0),
        (
            "a"
                + block(
                    "premium-content/container",
                    block("premium-content/subscriber-view", "secret")
                        + block("premium-content/logged-out-view", "secret")) + "b", "ab", 1
        ),
        ("a" + block("premium-content/subscriber-view", "secret") + "b", "ab", 1),
        ("a<!-- wp:jetpack/paywall /-->secret", "a", 1),
        ("a" + block("jetpack/subscriptions", "b"), "ab", 0),
        ("a" + block("coblocks/team-member", "b"), "ab", 0),
        ("a" + block("premium/heading", "b"), "ab", 0),
        (
            #"a<!-- wp:group {"showFor":"logged-in"} --><p>secret</p><!-- wp:group --><p>secret"#
                + "</p><!-- /wp:group -->secret<!-- /wp:group -->b", "ab", 1
        ),
        (
            #"a<!-- wp:p {"metadata": {"blockVisibility": false}} -->secret<!-- /wp:p -->b"#,
            "ab", 1
        ),
        (#"a<!-- wp:p {"blockVisibility":{"hideBlock":true}} -->secret<!-- /wp:p -->b"#, "ab", 1),
        ("a" + block("my/block", "b") + block("loginout", "c"), "abc", 0),
        ("a<!--more-->b<!-- a private note -->c<!-- unclosed", "abc<!-- unclosed", 0),
    ])
    func `parts are left out`(text: String, open: String, count: Int) {
        let parts = UnrestrictedHTML(text)
        #expect(parts.html.replacing(/<!--.*?-->/, with: "") == open)
        #expect(parts.leftOut == count)
    }

    @Test(arguments: [
        "restrict", "members_only", "membership level=\"1\"", "ihc-hide-content", "mepr-restrict",
        "pmpro_member", "wlm_private_Gold", "s2If current_user_can(access_s2member_level1)",
        "logged_in", "is-logged-in", "paywall", "private", "premium-content", "rcp_is_paid",
        "content_protector", "subscriber", "um_loggedin", "not_logged_in", "access",
        "ppwp passwords=\"a\"", "passster", "content_control", "content_lock", "login", "reply",
    ])
    func `shortcodes that restrict are recognized`(code: String) {
        #expect(Restriction.shortcode(in: "[gallery][x] [\(code)]a") != nil, "\(code)")
        let name = code.prefix { $0 != " " }
        #expect(Restriction.shortcode(in: "a[/\(name)]") == String(name))
    }

    @Test func `the end of a shortcode in another script is taken for one that restricts`() {
        #expect(Restriction.shortcode(in: "[会员]a[/会员]") == "会员")
    }

    @Test(arguments: [
        "[caption]", "[gallery ids=\"1\"]", "[team_members]", "[1]", "[]", "[", "[ private ]",
        "[contact-form-7]", "[youtube https://x.example/private]", "[S2E5]", "[…]",
    ])
    func `other brackets are not`(text: String) {
        #expect(Restriction.shortcode(in: text) == nil)
    }

    @Test(arguments: ["<!--", "[x", "<!--kg-gated-block:begin -->", "<!-- wp:a -->", "-->"])
    func `marks that never close are read in linear time`(piece: String) {
        func text(_ bytes: Int) -> String {
            String(repeating: piece, count: bytes / piece.utf8.count)
        }
        let growth = growth(from: text(8 << 10), to: text(64 << 10), below: 24) { text in
            #expect(UnrestrictedHTML(text).html == (piece.contains("begin") ? "" : text))
            #expect(Restriction.shortcode(in: text) == nil)
        }
        #expect(growth < 24)
    }

    // MARK: Posts

    private static func ghost(_ posts: String...) -> String {
        #"{"db": [{"meta": {}, "data": {"posts": ["# + posts.joined(separator: ",") + "]}}]}"
    }

    private static func post(
        _ id: String, _ html: String, status: String = "published",
        visibility: String = #""public""#
    ) -> String {
        let html = html.replacing("\"", with: "\\\"")
        return """
            {"id": "\(id)", "slug": "\(id)", "title": "Post \(id)", "html": "\(html)",
            "status": "\(status)", "visibility": \(visibility),
            "published_at": "2022-03-04T05:06:07.000Z"}
            """
    }

    @Test func `of posts of Ghost only what everybody could read is public`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write(
                "ghost.json",
                Self.ghost(
                    Self.post("part", "<p>Open</p>" + Self.gated(Self.hidden, "<p>Secret</p>")),
                    Self.post("rest", "<p>Open</p><!--members-only--><p>Secret</p>"),
                    Self.post("nothing", Self.gated(Self.hidden, "<p>Secret</p>")),
                    Self.post("mail", #"<p>Open</p><div class="kg-card kg-email-cta">x</div>"#),
                    Self.post("odd", "<p>Secret</p>", visibility: #"["paid"]"#),
                    Self.post("empty", "<p>Secret</p>", visibility: #""""#),
                    Self.post(
                        "paid", "<p>Open</p><!--members-only--><p>Secret</p>",
                        visibility: #""paid""#),
                    Self.post("unknown", "<p>Secret</p>", status: "archived")))
            let report = try await fixture.run("ghost.json")
            #expect(report.counts == ["created": 8])
            for slug in ["part", "rest"] {
                let article = try await fixture.article(slug)
                #expect(article.status == .published && article.body == "Open", "\(slug)")
            }
            for slug in ["nothing", "mail", "odd", "empty", "paid", "unknown"] {
                #expect(try await fixture.article(slug).status == .draft, "\(slug)")
            }
            // A post that is for members as a whole is complete.
            #expect(try await fixture.article("paid").body?.contains("Secret") == true)
            for key in ["part", "rest", "nothing", "mail", "odd", "empty", "paid", "unknown"] {
                #expect(
                    report.omissions.contains { $0.reason.hasPrefix("post:\(key): ") }, "\(key)")
            }
            #expect(try await fixture.run("ghost.json").counts == ["unchanged": 8])
        }
    }

    @Test func `pages of Ghost follow the same rules`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write(
                "ghost.json",
                #"{"data": {"pages": ["# + Self.post("about", "<p>Open</p>") + ","
                    + Self.post("club", "<p>Secret</p>", visibility: #""members""#)
                    + #"], "posts": []}, "meta": {}}"#)
            let report = try await fixture.run("ghost.json")
            #expect(report.counts == ["created": 2])
            #expect(try await fixture.article("about").status == .published)
            #expect(try await fixture.article("club").status == .draft)
        }
    }

    private static func meta(_ key: String, _ value: String) -> String {
        """
        <wp:postmeta><wp:meta_key>\(key)</wp:meta_key>
        <wp:meta_value>\(value)</wp:meta_value></wp:postmeta>
        """
    }

    @Test func `of posts of WordPress only what everybody could read is public`() async throws {
        try await ImportFixture.with { fixture in
            typealias Blog = WordPressImportTests
            let block = Self.block("premium-content/subscriber-view", "<p>Secret</p>")
            let items = [
                Blog.item(1, "part", content: "<!-- wp:paragraph -->\n<p>Open</p>" + block),
                Blog.item(2, "rest", content: "<p>Open</p><!-- wp:jetpack/paywall /-->Secret"),
                Blog.item(3, "nothing", content: block),
                Blog.item(4, "code", content: "Open [restrict]Secret[/restrict]"),
                Blog.item(5, "status", status: "publish-members"),
                Blog.item(6, "none").replacing("<wp:status>publish</wp:status>", with: ""),
                Blog.item(
                    7, "letter", more: Self.meta("_jetpack_newsletter_access", "subscribers")),
                Blog.item(8, "role", more: Self.meta("_members_access_role", "editor")),
                Blog.item(9, "all", more: Self.meta("_jetpack_newsletter_access", "everybody")),
                Blog.item(10, "product", type: "product"),
                Blog.item(11, "soon", status: "future", content: "[members_only]Secret"),
            ]
            try fixture.write("blog.xml", Blog.export(items.joined()))
            let report = try await fixture.run("blog.xml")
            #expect(report.counts == ["created": 10])
            for slug in ["part", "rest"] {
                let article = try await fixture.article(slug)
                #expect(article.status == .published && article.body == "Open", "\(slug)")
            }
            #expect(try await fixture.article("all").status == .published)
            for (number, slug) in [
                (3, "nothing"), (4, "code"), (5, "status"), (6, "none"), (7, "letter"),
                (8, "role"), (11, "soon"),
            ] {
                #expect(try await fixture.article(slug).status == .draft, "\(slug)")
                let note = report.omissions.contains { $0.reason.hasPrefix("post:\(number): ") }
                #expect(note, "\(slug)")
            }
            // The text is complete, and says what restricted it.
            #expect(try await fixture.article("code").body?.contains("restrict") == true)
        }
    }

    @Test func `everything can be imported as drafts`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("a/post.md", "---\ntitle: A\n---\ntext")
            try fixture.write("a/lines.ndjson", #"{"title":"B","status":"archived"}"#)
            try fixture.write("a/ghost.json", Self.ghost(Self.post("c", "<p>C</p>")))
            let first = try await fixture.run("a", isAsDrafts: true)
            #expect(first.counts == ["created": 3])
            #expect(try await fixture.articles().allSatisfy { $0.status == .draft })
            #expect(try await fixture.run("a", isAsDrafts: true).counts == ["unchanged": 3])
            #expect(try await fixture.run("a", at: 1).counts == ["updated": 3])
            #expect(try await fixture.article("a").status == .published)
            try await fixture.export("all.ndjson")
            let export = try await fixture.run("all.ndjson", isAsDrafts: true)
            #expect(export.counts == ["failed": 1])
        }
    }
}
