import Testing

@testable import BroadsheetFeeds

@Suite struct HostileFeedTests {
    private static let address = "https://example.org/feed"

    private func error(_ bytes: [UInt8], _ contentType: String? = nil) -> String? {
        do throws(FeedError) {
            _ = try FeedParser.parse(bytes, contentType: contentType, address: Self.address)
            return nil
        } catch { return error.description }
    }

    private func error(_ text: String, _ contentType: String? = nil) -> String? {
        error(Array(text.utf8), contentType)
    }

    @Test func `text that is not a feed is rejected with the place and what was expected`() throws {
        let table = [
            ("", "empty"), ("   \n", "empty"), ("\u{FEFF}", "empty"), ("hello", "not well-formed"),
            ("<html><body/></html>", "line 1: the document must be a feed"),
            ("\n\n<opml/>", "line 3: the document must be a feed"),
            ("<rss><chan/></rss>", "must have a `channel`"),
            ("<rss>\n<channel>\n<item>", "line 3: it is not well-formed XML"),
            ("<rss><channel></rss>", "not well-formed"),
            ("[]", "must be an object"),
            ("{}", "`version`"), ("{\n\"version\" 1}", "line 2: unexpected `1`"),
            (#"{"version":"https://jsonfeed.org/version/1"}"#, "`items`"),
        ]
        for (document, part) in table {
            let message = error(document)
            #expect(message?.contains(part) == true, "\(document): \(message ?? "accepted")")
        }
    }

    @Test(arguments: [
        #"<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">"#,
        #"<!ENTITY b SYSTEM "file:///etc/passwd">"#, #"<!ENTITY % b "c"><!ENTITY b "]>">"#,
    ])
    func `entities that a feed declares stay as they are written`(declarations: String) throws {
        let feed = try FeedParser.parse(
            Array(
                """
                <!DOCTYPE rss [\(declarations)]>
                <rss><channel><title>A &b; c</title><item><title>T</title></item></channel></rss>
                """.utf8),
            contentType: nil, address: Self.address)
        #expect(feed.title == "A &b; c" && feed.entries.count == 1)
    }

    @Test func `what is nearly a feed is read as one`() throws {
        let channel =
            "<channel><title>Tom & Jerry's caf&eacute;</title><item><title>A<script>"
            + "alert(1)</script> B</title><link>https://e.org/?a=1&b=2&copy=3</link>"
            + "<description>x\u{B}y &#x1F;z 1 < 2</description></item></channel>"
        for document in [
            "<rss>\(channel)</rss>",
            "<br/>\n<b>Warning</b>: &x\n<?xml version='1.0'?><rss>\(channel)"
                + "</rss>",
            "<rss>\(channel)</rss>\n<script>if (a < b && c) { }</script></body>",
            "<rss version=2.0 version='2'>\(channel)", "\n<rss>\(channel)</rss>\u{0}",
        ] {
            let feed = try FeedParser.parse(
                Array(document.utf8), contentType: nil, address: Self.address)
            #expect(feed.title == "Tom & Jerry's café")
            #expect(feed.entries.first?.title == "A B")
            #expect(feed.entries.first?.url == "https://e.org/?a=1&b=2&copy=3")
        }
    }

    @Test func `size, depth and nodes are limited`() {
        let large = [UInt8](repeating: 0x20, count: FeedParser.limitBytes + 1)
        #expect(error(large)?.contains("larger than") == true)
        let deep = String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
        #expect(error("<feed>\(deep)</feed>")?.contains("nests more than 100") == true)
        let many = String(repeating: "<a/>", count: 150_000)
        #expect(error("<feed><entry>\(many)</entry></feed>")?.contains("200000") == true)
        #expect(error("<feed>\(many)</feed>")?.contains("200000") == true)
        let deepJSON = String(repeating: "[", count: 10_000)
        #expect(error(deepJSON)?.contains("nested deeper") == true)
    }

    @Test func `entries above the limit are counted, and texts are cut`() throws {
        let title = String(repeating: "x", count: 1_100)
        let items = (0..<1_003).map { "<item><guid>\($0)</guid><title>\(title)</title></item>" }
        let feed = try FeedParser.parse(
            Array("<rss><channel>\(items.joined())</channel></rss>".utf8), contentType: nil,
            address: Self.address)
        #expect(feed.entries.count == 1_000 && feed.omittedEntries == 3)
        #expect(feed.entries.allSatisfy { $0.title.count == 1_000 })
    }

    @Test(arguments: [
        ("utf-8", Array("é한".utf8)), ("iso-8859-1", [0xE9]), ("windows-1252", [0xE9, 0x80]),
        ("windows-1251", [0xE9]), ("shift_jis", [0x93, 0xFA]), ("euc-kr", [0xC7, 0xD1]),
        ("euc-jp", [0xC6, 0xFC]), ("gb2312", [0xE9, 0x46]), ("big5", [0xA4, 0xA4]),
        ("ks_c_5601-1987", [0x8C, 0x63]), ("iso-8859-9", [0x80, 0xF0]),
    ])
    func `encodings are understood, declared by the document or the type`(
        name: String, title: [UInt8]
    ) throws {
        let expected = [
            "utf-8": "é한", "iso-8859-1": "é", "ks_c_5601-1987": "똠", "iso-8859-9": "€ğ",
            "windows-1252": "é€", "windows-1251": "й",
            "shift_jis": "日", "euc-kr": "한", "euc-jp": "日", "gb2312": "镕", "big5": "中",
        ]
        let body =
            Array("<rss><channel><title>".utf8) + title + Array("</title></channel></rss>".utf8)
        let declared = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?>".utf8) + body
        let first = try FeedParser.parse(declared, contentType: nil, address: Self.address)
        let second = try FeedParser.parse(
            body, contentType: "text/xml; charset=\"\(name.uppercased())\"", address: Self.address)
        #expect(first.title == expected[name] && second.title == expected[name])
    }

    @Test func `UTF-16 is understood, with a byte order mark`() throws {
        let text = "<rss><channel><title>é한👩</title></channel></rss>"
        let big: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let little: [UInt8] =
            [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        for bytes in [big, little, [0xEF, 0xBB, 0xBF] + Array(text.utf8)] {
            let feed = try FeedParser.parse(bytes, contentType: nil, address: Self.address)
            #expect(feed.title == "é한👩")
        }
    }

    @Test func `an unknown encoding is an error, and ignored in the type of the response`() throws {
        let unknown = "<?xml version=\"1.0\" encoding=\"x-nothing\"?><rss><channel/></rss>"
        #expect(error(unknown)?.contains("x-nothing") == true)
        #expect(error("<rss><channel/></rss>", "text/xml; charset=x-no") == nil)
    }

    @Test func `bytes that are not in the encoding are read as windows-1252, if they are few`()
        throws
    {
        let start = Array("<rss><channel><title>".utf8)
        let end = Array("</title></channel></rss>".utf8)
        let feed = try FeedParser.parse(
            start + [0x93, 0x63, 0x61, 0x66, 0xE9, 0x94] + end, contentType: nil,
            address: Self.address)
        #expect(feed.title == "“café”")
        let korean = [UInt8](repeating: 0xB0, count: 400)
        #expect(error(start + korean + end)?.contains("not text in its encoding") == true)
    }
}
