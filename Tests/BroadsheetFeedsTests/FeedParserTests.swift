import ArticleAPI
import Testing

@testable import BroadsheetFeeds

@Suite struct FeedParserTests {
    private static let address = "https://example.org/blog/feed.xml"

    private func parse(_ text: String, _ contentType: String? = nil) throws(FeedError) -> Feed {
        try FeedParser.parse(Array(text.utf8), contentType: contentType, address: Self.address)
    }

    private func item(_ text: String) throws -> FeedEntry {
        let feed = try parse(
            """
            <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:content="http://purl.org/rss/1.0/modules/content/"
             xmlns:media="http://search.yahoo.com/mrss/"
             xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
            <title>Blog</title><item>\(text)</item></channel></rss>
            """)
        return try #require(feed.entries.first)
    }

    private func entry(_ text: String) throws -> FeedEntry {
        let feed = try parse(
            """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/"><title>Blog</title>
            <entry><id>1</id>\(text)</entry></feed>
            """)
        return try #require(feed.entries.first)
    }

    // MARK: Atom

    @Test func `an Atom feed is read whole`() throws {
        let feed = try parse(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-gb">
              <title type="html">Salt &amp;amp; &lt;b&gt;bread&lt;/b&gt;</title>
              <subtitle>On
                 baking</subtitle>
              <id>tag:example.org,2026:blog</id><updated>2026-11-24T19:10:43Z</updated>
              <link rel="self" href="feed.xml"/><link href="/blog/"/>
              <link rel="first" href="?page=1"/><link rel="next" href="?page=2"/>
              <author><name>Ada</name></author>
              <entry xml:lang="ko">
                <id> tag:example.org,2026:1 </id>
                <title>
                  Rye
                  bread
                </title>
                <link rel="edit" href="/edit/1"/>
                <link rel="alternate" type="application/pdf" href="/1.pdf"/>
                <link rel="alternate" type="text/html" href="/1"/>
                <link rel="enclosure" type="image/png" href="/1.png"/>
                <published>2026-11-23T19:10:43+09:00</published>
                <updated>2026-11-24T19:10:43Z</updated>
                <author><name>Grace</name></author><author><email>a@example.org</email></author>
                <category term="rye" label="Rye"/><category term="bread"/><category term="bread"/>
                <summary>Short &lt;b&gt;</summary>
                <content type="html">&lt;p&gt;Long &lt;a href="2"&gt;2&lt;/a&gt;&lt;/p&gt;</content>
              </entry>
              <entry><id>2</id><title/><content>plain text</content></entry>
            </feed>
            """)
        #expect(feed.title == "Salt & bread" && feed.subtitle == "On\n     baking")
        #expect(feed.id == "tag:example.org,2026:blog" && feed.language == "en-GB")
        #expect(feed.address == Self.address && feed.homePage == "https://example.org/blog/")
        #expect(feed.firstPage == "https://example.org/blog/feed.xml?page=1")
        #expect(feed.nextPage == "https://example.org/blog/feed.xml?page=2")
        #expect(feed.updatedAt == Timestamp("2026-11-24T19:10:43Z"))
        var first = FeedEntry(
            id: "tag:example.org,2026:1", url: "https://example.org/1", title: "Rye bread",
            summary: "Short <b>", authors: ["Grace"], tags: ["Rye", "bread"],
            language: "ko", publishedAt: Timestamp("2026-11-23T10:10:43Z"),
            updatedAt: Timestamp("2026-11-24T19:10:43Z"))
        first.contentHTML = #"<p>Long <a href="https://example.org/blog/2">2</a></p>"#
        first.image = FeedEntry.Image(url: "https://example.org/1.png")
        first.attachment = "https://example.org/1.png"
        let second = FeedEntry(id: "2", title: "", contentText: "plain text", authors: ["Ada"])
        #expect(feed.entries == [first, second])
    }

    @Test func `XHTML becomes HTML, with absolute URLs`() throws {
        let entry = try entry(
            """
            <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <i>b</i></div></title>
            <content type="xhtml" xml:base="sub/"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p
            h:x="1">1 &lt; 2<h:br/><h:a href="x?a=1&amp;b=2">x</h:a></h:p><h:p/></h:div></content>
            """)
        #expect(entry.title == "A b")
        #expect(
            try self.entry(#"<title type="xhtml"><b>A</b><script>b()</script></title>"#).title
                == "A")
        #expect(
            entry.contentHTML
                == "<p>1 &lt; 2<br><a href=\"https://example.org/base/sub/x?a=1&amp;b=2\">x</a></p>"
                + "<p></p>")
    }

    @Test func `content of other types, and by reference, is not taken for text`() throws {
        #expect(try entry(#"<content type="image/png">AAAA</content>"#).contentText == nil)
        #expect(try entry(#"<content src="/a.html" type="text/html"/>"#).contentHTML == nil)
        #expect(try entry(#"<content type="text/x-a">a</content>"#).contentText == "a")
    }

    @Test func `Atom 0_3 is read`() throws {
        let feed = try parse(
            """
            <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Old</title>
            <tagline>Older</tagline><modified>2004-01-01T00:00:00Z</modified><entry><id>1</id>
            <title>T</title><issued>2003-12-13T08:29:29-04:00</issued>
            <modified>2003-12-14</modified>
            <content type="text/html" mode="escaped">&lt;p&gt;x&lt;/p&gt;</content></entry></feed>
            """)
        #expect(feed.subtitle == "Older" && feed.updatedAt == Timestamp("2004-01-01T00:00:00Z"))
        #expect(feed.entries.first?.publishedAt == Timestamp("2003-12-13T12:29:29Z"))
        #expect(feed.entries.first?.contentHTML == "<p>x</p>")
    }

    // MARK: RSS

    @Test func `an RSS 2_0 feed is read whole`() throws {
        let feed = try parse(
            """
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
              xmlns:content="http://purl.org/rss/1.0/modules/content/"
              xmlns:media="http://search.yahoo.com/mrss/"
              xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
            <title>Blog</title><link>https://example.org/</link>
            <atom:link rel="self" href="https://example.org/rss"/>
            <atom:link rel="next" href="https://example.org/rss?2"/>
            <description>On baking</description><language>en</language>
            <lastBuildDate>Tue, 24 Nov 2026 19:10:43 GMT</lastBuildDate>
            <image><title>Logo</title><link>https://example.org/logo</link></image>
            <item><title>AT&amp;amp;T &amp;lt;b&amp;gt; and &lt;i&gt;you&lt;/i&gt;</title>
              <link>https://example.org/1</link><guid isPermaLink="false">g1</guid>
              <pubDate>Tue, 24 Nov 2026 9:05 EST</pubDate>
              <dc:creator><![CDATA[Ada]]></dc:creator><dc:creator>Grace</dc:creator>
              <author>nobody@example.org (Nobody)</author>
              <category>rye</category><category domain="x">bread</category>
              <description>&lt;p&gt;Short &amp;amp; good&lt;/p&gt;</description>
              <content:encoded><![CDATA[<p>Long <img src="i.png" srcset="a.png 1x, b.png 2x"></p>]]>
              </content:encoded>
              <media:content url="/m.mp4" type="video/mp4"><media:thumbnail url="/t.png"/>
              </media:content>
            </item></channel></rss>
            """)
        #expect(feed.title == "Blog" && feed.homePage == "https://example.org/")
        #expect(
            feed.id == "https://example.org/rss" && feed.nextPage == "https://example.org/rss?2")
        #expect(feed.subtitle == "On baking" && feed.language == "en")
        #expect(feed.updatedAt == Timestamp("2026-11-24T19:10:43Z"))
        let entry = try #require(feed.entries.first)
        #expect(entry.title == "AT&T <b> and you" && entry.id == "g1")
        #expect(entry.url == "https://example.org/1" && entry.summary == "Short & good")
        #expect(entry.publishedAt == Timestamp("2026-11-24T14:05:00Z"))
        #expect(entry.authors == ["Ada", "Grace"] && entry.tags == ["rye", "bread"])
        #expect(entry.image == FeedEntry.Image(url: "https://example.org/t.png"))
        let html = try #require(entry.contentHTML)
        #expect(html.contains(#"src="https://example.org/i.png""#))
        #expect(
            html.contains("srcset=\"https://example.org/a.png 1x, https://example.org/b.png 2x\""))
    }

    @Test func `a description is the content where there is no other`() throws {
        let html = try item("<description>&lt;b&gt;x&lt;/b&gt;</description>")
        #expect(html.contentHTML == "<b>x</b>" && html.summary.isEmpty)
        let text = try item("<description> 1 &lt; 2 &amp; 3 </description>")
        #expect(text.contentText == "1 < 2 & 3" && text.contentHTML == nil)
    }

    @Test func `a guid is a link, unless it says otherwise`() throws {
        let link = try item("<guid>https://example.org/p</guid>")
        #expect(link.url == "https://example.org/p" && link.id == "https://example.org/p")
        let id = try item(#"<guid isPermaLink="false">https://example.org/p</guid>"#)
        #expect(id.url == nil && id.id == "https://example.org/p")
        #expect(try item("<guid>17</guid><link> /p </link>").url == "https://example.org/p")
        #expect(try item("<link>https://example.org/l</link>").id == "https://example.org/l")
    }

    @Test func `an entry without an id is identified by its time and title, or left out`() throws {
        let titled = try item("<title>T</title><pubDate>24 Nov 2026</pubDate>")
        #expect(titled.id == "2026-11-24T00:00:00.000Z T")
        let feed = try parse("<rss><channel><item><category>x</category></item></channel></rss>")
        #expect(feed.entries.isEmpty && feed.omittedEntries == 1)
    }

    @Test func `images are found where feeds have them`() throws {
        let places = [
            #"<enclosure url="/i" type="image/jpeg" length="1"/>"#,
            #"<media:content url="/i" medium="image"/>"#,
            #"<media:group><media:content url="/i" type="image/png"/></media:group>"#,
            #"<media:thumbnail url="/i"/>"#, #"<itunes:image href="/i"/>"#,
        ]
        for place in places {
            #expect(try item("<title>x</title>" + place).image?.url == "https://example.org/i")
        }
        let none = #"<title>x</title><enclosure url="/a.mp3" type="audio/mpeg" length="1"/>"#
        #expect(try item(none).image == nil)
        #expect(try item(#"<title>x</title><media:thumbnail url="javascript:x"/>"#).image == nil)
        let told =
            #"<media:content url="/i" medium="image">"#
            + "<media:description>A cat</media:description></media:content>"
        #expect(try item("<title>x</title>" + told).image?.alternativeText == "A cat")
    }

    @Test func `authors are found where feeds have them`() throws {
        let title = "<title>x</title>"
        #expect(try item(title + "<author>a@b.org (Ada L)</author>").authors == ["Ada L"])
        #expect(try item(title + "<author>Ada</author>").authors == ["Ada"])
        #expect(try item(title + "<itunes:author>Ada</itunes:author>").authors == ["Ada"])
    }

    @Test(arguments: ["0.91", "0.92", "0.93"]) func `RSS 0_9x is read`(version: String) throws {
        let feed = try parse(
            """
            <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
             "http://my.netscape.com/publish/formats/rss-0.91.dtd">
            <rss version="\(version)"><channel><title>Old</title><item><title>T</title>
            <link>http://example.org/1</link><description>D</description></item></channel></rss>
            """)
        #expect(feed.entries.first?.url == "http://example.org/1")
        #expect(feed.entries.first?.contentText == "D")
    }

    @Test func `RSS 1_0 is read`() throws {
        let feed = try parse(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
             xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <channel rdf:about="http://example.org/rdf"><title>RDF</title>
            <link>http://example.org/</link><description>D</description><items><rdf:Seq>
            <rdf:li resource="http://example.org/1"/></rdf:Seq></items></channel>
            <image><title>Logo</title></image>
            <item rdf:about="http://example.org/1"><title>T</title><dc:subject>rye</dc:subject>
            <link>http://example.org/1</link><dc:date>2026-11-24T19:10+09:00</dc:date>
            <dc:creator>Ada</dc:creator></item></rdf:RDF>
            """)
        #expect(feed.title == "RDF" && feed.homePage == "http://example.org/")
        let entry = try #require(feed.entries.first)
        #expect(entry.id == "http://example.org/1" && entry.title == "T" && entry.tags == ["rye"])
        #expect(entry.publishedAt == Timestamp("2026-11-24T10:10:00Z"))
    }

    @Test func `prefixes that were not declared are understood`() throws {
        let feed = try parse(
            "<rss><channel><item><title>T</title><dc:creator>Ada</dc:creator>"
                + "<content:encoded>&lt;p&gt;x&lt;/p&gt;</content:encoded></item></channel></rss>")
        #expect(feed.entries.first?.authors == ["Ada"])
        #expect(feed.entries.first?.contentHTML == "<p>x</p>")
    }

    // MARK: JSON Feed

    @Test func `a JSON Feed is read whole`() throws {
        let feed = try parse(
            """
            {"version": "https://jsonfeed.org/version/1.1", "title": "Blog",
             "home_page_url": "https://example.org/", "next_url": "?2", "language": "en",
             "authors": [{"name": "Ada"}], "unknown": {"a": [1]}, "items": [
             {"id": 17, "url": "/1", "title": "T", "content_html": "<a href='x'>x</a>",
              "summary": "S", "image": "i.png", "date_published": "2026-11-24T19:10:43+09:00",
              "tags": ["rye", 1, "rye"], "authors": [{"name": "Grace"}, {"url": "x"}, 7]},
             {"url": "https://example.org/2", "content_text": "plain"}, 5]}
            """, "application/feed+json")
        #expect(feed.title == "Blog" && feed.id == Self.address && feed.omittedEntries == 1)
        #expect(feed.nextPage == "https://example.org/blog/feed.xml?2")
        let first = feed.entries[0]
        #expect(first.id == "17" && first.url == "https://example.org/1" && first.summary == "S")
        #expect(first.contentHTML == #"<a href="https://example.org/x">x</a>"#)
        #expect(first.image?.url == "https://example.org/blog/i.png")
        #expect(first.tags == ["rye"] && first.authors == ["Grace"])
        #expect(first.publishedAt == Timestamp("2026-11-24T10:10:43Z"))
        #expect(feed.entries[1].id == "https://example.org/2" && feed.entries[1].authors == ["Ada"])
    }

    @Test func `JSON Feed 1_0 has one author`() throws {
        let feed = try parse(
            #"{"version":"https://jsonfeed.org/version/1","title":"B","items":[{"id":"1","#
                + #""author":{"name":"Ada"}}]}"#)
        #expect(feed.entries.first?.authors == ["Ada"])
    }
}
