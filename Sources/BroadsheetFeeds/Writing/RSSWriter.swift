import ArticleAPI
import BroadsheetHTTP
import BroadsheetMarkup

/// Writes RSS 2.0 with the modules for whole contents, names, times and images, in pages (RFC 5005
/// §3).
enum RSSWriter {
    /// RSS leaves open if titles, names and descriptions contain HTML: here they do not.
    private static let plain = [("broadsheet:text", "plain")]

    static func write(_ feed: Feed) throws(XMLWriterError) -> [UInt8] {
        var writer = XMLWriter()
        writer.start(
            "rss",
            [
                ("version", "2.0"), ("xmlns:atom", FeedNamespace.atom),
                ("xmlns:content", FeedNamespace.content), ("xmlns:dc", FeedNamespace.dublinCore),
                ("xmlns:media", FeedNamespace.media),
                ("xmlns:broadsheet", FeedNamespace.broadsheet),
            ])
        writer.start("channel", plain)
        writer.element("title", feed.title)
        writer.element("link", feed.homePage ?? feed.address ?? "")
        writer.element("description", feed.subtitle)
        writer.optional("language", feed.language)
        writer.optional("lastBuildDate", feed.updatedAt.map(date))
        writer.optional("atom:updated", feed.updatedAt?.description)
        link("self", feed.address, &writer)
        link("first", feed.firstPage, &writer)
        link("next", feed.nextPage, &writer)
        writer.element("generator", "Broadsheet")
        for entry in feed.entries { try write(entry, &writer) }
        return try writer.finish()
    }

    private static func write(
        _ entry: FeedEntry, _ writer: inout XMLWriter
    ) throws(XMLWriterError) {
        writer.start("item", plain)
        writer.element("title", entry.title)
        writer.optional("link", entry.url)
        writer.element("guid", entry.id, [("isPermaLink", "false")])
        // Times of RSS have no milliseconds.
        writer.optional("pubDate", entry.publishedAt.map(date))
        writer.optional("atom:published", entry.publishedAt?.description)
        writer.optional("atom:updated", entry.updatedAt?.description)
        for name in entry.authors { writer.element("dc:creator", name) }
        for tag in entry.tags { writer.element("category", tag) }
        writer.optional("dc:language", entry.language)
        writer.optional("description", entry.summary)
        writer.optional("content:encoded", try html(of: entry))
        writer.media(entry.image)
        writer.broadsheet(entry)
        writer.end()
    }

    private static func html(of entry: FeedEntry) throws(XMLWriterError) -> String? {
        guard let text = entry.contentText, entry.contentHTML == nil else {
            return entry.contentHTML
        }
        var writer = XMLWriter(isDocument: false)
        writer.element("pre", text)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    /// The form of RFC 822 that HTTP also uses: `Tue, 24 Nov 2026 19:10:43 GMT`.
    private static func date(_ time: Timestamp) -> String {
        HTTPDate.text(time.milliseconds.dividedDown(by: 1_000))
    }

    private static func link(_ relation: String, _ address: String?, _ writer: inout XMLWriter) {
        guard let address else { return }
        writer.empty(
            "atom:link", [("rel", relation), ("type", "application/rss+xml"), ("href", address)])
    }
}

extension Int64 {
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
