import ArticleAPI
import BroadsheetMarkup

/// Writes Atom 1.0 (RFC 4287), in pages (RFC 5005 §3).
enum AtomWriter {
    private static let epoch = Timestamp(milliseconds: 0)

    static func write(_ feed: Feed) throws(XMLWriterError) -> [UInt8] {
        var writer = XMLWriter()
        var attributes = [
            ("xmlns", FeedNamespace.atom), ("xmlns:media", FeedNamespace.media),
            ("xmlns:broadsheet", FeedNamespace.broadsheet),
        ]
        if let language = feed.language { attributes.append(("xml:lang", language)) }
        writer.start("feed", attributes)
        writer.element("id", feed.id)
        writer.element("title", feed.title)
        writer.optional("subtitle", feed.subtitle)
        writer.element("updated", (feed.updatedAt ?? epoch).description)
        link("self", feed.address, &writer, type: "application/atom+xml")
        link("alternate", feed.homePage, &writer)
        link("first", feed.firstPage, &writer, type: "application/atom+xml")
        link("next", feed.nextPage, &writer, type: "application/atom+xml")
        writer.element("generator", "Broadsheet")
        // Required unless all entries have authors (RFC 4287 §4.1.1).
        if feed.entries.contains(where: \.authors.isEmpty) || feed.entries.isEmpty {
            author(feed.title, &writer)
        }
        for entry in feed.entries { write(entry, &writer) }
        writer.end()
        return try writer.finish()
    }

    private static func write(_ entry: FeedEntry, _ writer: inout XMLWriter) {
        writer.start("entry", entry.language.map { [("xml:lang", $0)] } ?? [])
        writer.element("id", entry.id)
        writer.element("title", entry.title)
        writer.element("updated", (entry.updatedAt ?? entry.publishedAt ?? epoch).description)
        writer.optional("published", entry.publishedAt?.description)
        link("alternate", entry.url, &writer)
        for name in entry.authors { author(name, &writer) }
        for tag in entry.tags { writer.empty("category", [("term", tag)]) }
        writer.optional("summary", entry.summary)
        if let html = entry.contentHTML {
            writer.element("content", html, [("type", "html")])
        } else if entry.contentText != nil || entry.url == nil {
            // Required of an entry without a link (RFC 4287 §4.1.2).
            writer.element("content", entry.contentText ?? "", [("type", "text")])
        }
        writer.media(entry.image)
        writer.broadsheet(entry)
        writer.end()
    }

    private static func author(_ name: String, _ writer: inout XMLWriter) {
        writer.element("author") { $0.element("name", name) }
    }

    private static func link(
        _ relation: String, _ address: String?, _ writer: inout XMLWriter, type: String? = nil
    ) {
        guard let address else { return }
        let attributes = [("rel", relation)] + (type.map { [("type", $0)] } ?? [])
        writer.empty("link", attributes + [("href", address)])
    }
}
