import ArticleAPI
import BroadsheetFeeds
import BroadsheetMarkup
import Testing

@Suite struct FeedExamples {
    private static let rss = "<rss><channel><item><title>Rye</title></item></channel></rss>"

    @Test func `feeds are read and written`() throws {
        var bytes = Array(Self.rss.utf8)
        let address = "https://example.org/feed"
        let feed = try FeedParser.parse(bytes, contentType: nil, address: address)
        let titles = feed.entries.map(\.title)
        #expect(titles == ["Rye"])
        bytes = try atom(feed)
        #expect(try title(of: bytes).isEmpty)
    }

    @Test func `a time of a feed is read`() {
        let time = FeedDate.parse("Tue, 24 Nov 2026 7:10 PM EST")
        #expect(time == Timestamp("2026-11-25T00:10:00Z"))
    }

    private func atom(_ feed: Feed) throws -> [UInt8] {
        let bytes = try FeedFormat.atom.write(feed)
        return bytes
    }

    private func title(of bytes: [UInt8]) throws -> String {
        let feed = try FeedParser.parse(
            bytes, contentType: "application/rss+xml", address: "https://example.org/feed.xml")
        return feed.title
    }

    @Test func `XML is written`() throws {
        var writer = XMLWriter()
        writer.element("title", "Salt & pepper", [("type", "text")])
        let bytes = try writer.finish()
        #expect(String(decoding: bytes, as: UTF8.self).contains("Salt &amp; pepper</title>"))
    }

    @Test func `HTML is read`() {
        let text = HTMLFragment("Salt &amp; <b>pepper</b>")?.text
        #expect(text == "Salt & pepper")
    }
}
