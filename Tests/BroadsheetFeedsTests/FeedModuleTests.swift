import ArticleAPI
import Testing

@testable import BroadsheetFeeds

/// The content of modules and other formats' elements in a feed.
@Suite struct FeedModuleTests {
    private static let address = "https://example.org/blog/feed.xml"

    private func item(_ text: String) throws -> FeedEntry {
        let feed = try FeedParser.parse(
            Array(
                """
                <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
                 xmlns:content="http://purl.org/rss/1.0/modules/content/"
                 xmlns:at="http://www.w3.org/2005/Atom" xmlns:m="http://search.yahoo.com/mrss/"
                 xmlns:itunes="https://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
                <title>Blog</title><item><guid isPermaLink="false">1</guid>\(text)</item>
                </channel></rss>
                """.utf8), contentType: nil, address: Self.address)
        return try #require(feed.entries.first)
    }

    private func entry(_ text: String) throws -> FeedEntry {
        let feed = try FeedParser.parse(
            Array(
                """
                <feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://search.yahoo.com/mrss/"
                 xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><title>Blog</title>
                <entry><id>1</id>\(text)</entry></feed>
                """.utf8), contentType: nil, address: Self.address)
        return try #require(feed.entries.first)
    }

    @Test func `an item of RSS may speak Atom, by any prefix`() throws {
        let entry = try item(
            """
            <description>Short</description>
            <at:title>Oats</at:title><at:link rel="alternate" href="/oats"/>
            <at:author><at:name>Ada</at:name><at:email>ada@example.org</at:email></at:author>
            <at:category term="grain"/><at:published>2026-11-23T19:10:43Z</at:published>
            <at:updated>2026-11-24T19:10:43Z</at:updated>
            <at:content type="html">&lt;p&gt;All of &lt;a href="x"&gt;it&lt;/a&gt;&lt;/p&gt;
            </at:content>
            """)
        #expect(entry.title == "Oats" && entry.url == "https://example.org/oats")
        #expect(entry.authors == ["Ada"] && entry.tags == ["grain"] && entry.summary == "Short")
        #expect(entry.publishedAt == Timestamp("2026-11-23T19:10:43Z"))
        #expect(entry.updatedAt == Timestamp("2026-11-24T19:10:43Z"))
        #expect(entry.contentHTML?.contains("All of <a href=") == true)
    }

    @Test func `the whole text of RSS comes before that of Atom, and both before others`() throws {
        let atom = #"<at:content type="text">Atom</at:content>"#
        let encoded = "<content:encoded>&lt;p&gt;Whole&lt;/p&gt;</content:encoded>"
        let summary = "<itunes:summary>Cast</itunes:summary>"
        #expect(try item(atom + encoded + summary).contentHTML == "<p>Whole</p>")
        #expect(try item(summary + atom).contentText == "Atom")
        #expect(try item(summary + "<description>D</description>").contentText == "D")
    }

    @Test(arguments: [
        "<itunes:summary>The text.</itunes:summary>", "<dc:description>The text.</dc:description>",
        "<m:description>The text.</m:description>",
        "<m:group><m:description type=\"plain\">The text.</m:description></m:group>",
        "<description/><itunes:subtitle>The text.</itunes:subtitle>",
    ])
    func `a text in a module is the content where there is no other`(xml: String) throws {
        let entry = try item("<title>x</title>" + xml)
        #expect(entry.contentText == "The text." && entry.summary.isEmpty)
    }

    @Test func `a video of a channel has its description and its picture`() throws {
        let entry = try entry(
            """
            <m:group><m:title>How to bake</m:title>
            <m:content url="https://video.example/v/1" type="application/x-shockwave-flash"/>
            <m:thumbnail url="https://video.example/1.jpg" width="480"/>
            <m:description>First line
            a &lt; b https://example.org</m:description></m:group>
            """)
        #expect(entry.title == "How to bake")
        #expect(entry.contentText == "First line\na < b https://example.org")
        #expect(entry.image?.url == "https://video.example/1.jpg")
    }

    @Test func `a subtitle is the summary of an episode, and its author its author`() throws {
        let entry = try item(
            """
            <itunes:title>Episode</itunes:title><itunes:author>Ada</itunes:author>
            <itunes:subtitle>Short</itunes:subtitle>
            <itunes:summary>&lt;p&gt;L&lt;/p&gt;</itunes:summary>
            <itunes:image href="/cover.png"/><enclosure url="/e.mp3" type="audio/mpeg"/>
            """)
        #expect(entry.title == "Episode" && entry.authors == ["Ada"] && entry.summary == "Short")
        #expect(entry.contentHTML == "<p>L</p>")
        #expect(entry.image?.url == "https://example.org/cover.png")
        #expect(entry.attachment == "https://example.org/e.mp3")
    }

    @Test func `a picture without a type is known by its name`() throws {
        let picture = try item(#"<title>x</title><m:content url="/a.JPG?w=1"/>"#)
        #expect(picture.image?.url == "https://example.org/a.JPG?w=1")
        #expect(try item(#"<title>x</title><m:content url="/a.mp4"/>"#).image == nil)
    }

    @Test(arguments: [
        ("Ada Lovelace", ["Ada Lovelace"]), ("Ada &lt;ada@example.org&gt;", ["Ada"]),
        ("Ada&lt;ada@example.org&gt;", ["Ada"]), ("ada@example.org (Ada L.)", ["Ada L."]),
        ("\"Ada L.\" &lt;ada@example.org&gt;", ["Ada L."]), ("ada@example.org", []),
        ("&lt;ada@example.org&gt;", []), ("mailto:ada@example.org Ada", ["Ada"]),
        ("Ada [ada@example.org]", ["Ada"]), ("ada@example.org, Ada", ["Ada"]),
        ("ada@example.org (Ada), grace@example.org (Grace)", ["Ada", "Grace"]),
        ("L., Ada &lt;a@b.org&gt;; H., Grace &lt;g@b.org&gt;", ["L., Ada", "H., Grace"]),
        ("@ada", ["@ada"]), ("Ada (@ada@social.example)", ["Ada (@ada@social.example)"]),
        ("Ada @ home", ["Ada @ home"]),
    ])
    func `no e-mail address is in an author's name`(text: String, names: [String]) throws {
        #expect(try item("<title>x</title><author>\(text)</author>").authors == names)
        #expect(try item("<title>x</title><dc:creator>\(text)</dc:creator>").authors == names)
        #expect(try entry("<author><name>\(text)</name></author>").authors == names)
    }

    @Test func `an author of a JSON Feed has a name only`() throws {
        let feed = try FeedParser.parse(
            Array(
                """
                {"version": "https://jsonfeed.org/version/1.1", "title": "B", "items": [{"id": "1",
                 "authors": [{"name": "Ada <ada@example.org>"}, {"name": "g@example.org"}]}]}
                """.utf8), contentType: nil, address: Self.address)
        #expect(feed.entries.first?.authors == ["Ada"])
    }

    // MARK: Links

    @Test(arguments: [
        ("https://example.org/p?filter[tag]=x|y", "https://example.org/p?filter%5Btag%5D=x%7Cy"),
        ("https://www.käse.example/a b", "https://www.xn--kse-qla.example/a%20b"),
        ("HTTPS://Example.ORG:443/100%", "https://example.org/100%25"),
        ("\\\\other.example\\a", "https://other.example/a"),
    ])
    func `links are read as browsers read them`(link: String, url: String) throws {
        #expect(try item("<link>\(link)</link>").url == url)
        #expect(try entry("<link href=\"\(link)\"/>").url == url)
    }

    @Test func `a link that cannot be used is told, and another one is looked for`() throws {
        let mail = try item("<link>mailto:ada@example.org</link>")
        #expect(mail.url == nil && mail.unusableLink == "mailto:ada@example.org")
        let both = try item(#"<link>ftp://example.org/</link><at:link href="/1"/>"#)
        #expect(both.url == "https://example.org/1" && both.unusableLink == nil)
        #expect(try entry(#"<link href="https:///"/>"#).unusableLink == "https:///")
        #expect(try item("<title>x</title>").unusableLink == nil)
    }
}
