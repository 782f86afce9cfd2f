import Testing

@testable import Feeds

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
            ("<rss><channel/></rss><x/>", "not well-formed"),
            ("<feed>&nbsp;</feed>", "nbsp"), ("[]", "must be an object"),
            ("{}", "`version`"), ("{\n\"version\" 1}", "line 2: unexpected `1`"),
            (#"{"version":"https://jsonfeed.org/version/1"}"#, "`items`"),
            ("<feed>\u{1}</feed>", "not well-formed"),
        ]
        for (document, part) in table {
            let message = error(document)
            #expect(message?.contains(part) == true, "\(document): \(message ?? "accepted")")
        }
    }

    @Test func `declarations of entities are rejected before they expand`() {
        let bomb = """
            <!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <rss><channel><title>&b;</title></channel></rss>
            """
        #expect(error(bomb)?.contains("declares entities") == true)
        let file = """
            <!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
            <rss><channel><title>&x;</title></channel></rss>
            """
        #expect(error(file)?.contains("declares entities") == true)
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
        let title = String(repeating: "x", count: 5_000)
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
        ("euc-jp", [0xC6, 0xFC]), ("gb2312", [0xD6, 0xD0]), ("big5", [0xA4, 0xA4]),
    ])
    func `encodings are understood, declared by the document or the type`(
        name: String, title: [UInt8]
    ) throws {
        let expected = [
            "utf-8": "é한", "iso-8859-1": "é", "windows-1252": "é€", "windows-1251": "й",
            "shift_jis": "日", "euc-kr": "한", "euc-jp": "日", "gb2312": "中", "big5": "中",
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

    @Test func `an unknown encoding, and bytes that are not in it, are errors`() {
        let unknown = "<?xml version=\"1.0\" encoding=\"x-nothing\"?><rss><channel/></rss>"
        #expect(error(unknown)?.contains("x-nothing") == true)
        #expect(error("<rss><channel/></rss>", "text/xml; charset=x-no")?.contains("x-no") == true)
        let broken =
            Array("<rss><channel><title>".utf8) + [0xFF] + Array("</title></channel></rss>".utf8)
        #expect(error(broken) != nil)
    }
}
