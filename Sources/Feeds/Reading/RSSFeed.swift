import ArticleAPI

/// Reads RSS 2.0 and 0.9x, and RSS 1.0 and 0.90 (RDF).
enum RSSFeed: XMLFeedFormat {
    private static let namespaces: Set<String> = [
        "", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2",
    ]
    private static func isRSS(_ namespace: String) -> Bool { namespaces.contains(namespace) }
    private static func isAtom(_ namespace: String) -> Bool { namespace == FeedNamespace.atom }
    private static func isContent(_ namespace: String) -> Bool {
        namespace == FeedNamespace.content
    }
    private static func isDublinCore(_ namespace: String) -> Bool {
        namespace == FeedNamespace.dublinCore || namespace == "http://purl.org/dc/terms/"
    }
    private static func isITunes(_ namespace: String) -> Bool {
        namespace.lowercased().hasPrefix("http://www.itunes.com/")
    }

    static func isEntry(_ element: FeedElement) -> Bool {
        element.name == "item" && isRSS(element.namespace)
    }

    static func isChannel(_ element: FeedElement) -> Bool {
        element.name == "channel" && isRSS(element.namespace)
    }

    static func feed(_ channel: FeedElement, at address: String) throws(FeedError) -> Feed {
        let own = atomLink("self", in: channel)
        var feed = Feed(
            id: own ?? address,
            title: FeedText.line(plain("title", isRSS, in: channel)))
        feed.subtitle = FeedText.lines(plain("description", isRSS, in: channel))
        feed.homePage = link(in: channel)
        feed.address = own ?? address
        feed.firstPage = atomLink("first", in: channel)
        feed.nextPage = atomLink("next", in: channel)
        let language =
            channel.first("language", in: isRSS) ?? channel.first("language", in: isDublinCore)
        feed.language = language.flatMap { LanguageTag($0.text.trimmed)?.text }
        feed.updatedAt =
            time("updated", isAtom, in: channel) ?? time("lastBuildDate", isRSS, in: channel)
            ?? time("pubDate", isRSS, in: channel) ?? time("date", isDublinCore, in: channel)
        return feed
    }

    /// RSS has no authors of the feed that would be those of its entries.
    static func authors(_ channel: FeedElement) throws(FeedError) -> [String] { [] }

    static func entry(_ element: FeedElement) throws(FeedError) -> FeedEntry? {
        let guid = element.first("guid", in: isRSS)
        let guidText = guid?.text.trimmed
        let about = element.attributes.first { $0.name == "about" }?.value
        var url = link(in: element)
        if url == nil, guid?.attribute("isPermaLink")?.lowercased() != "false" {
            url = guidText.flatMap { FeedAddress.isWeb($0) ? element.address($0) : nil }
        }
        var entry = FeedEntry(
            id: guidText ?? about ?? url ?? "", url: url,
            title: FeedText.line(plain("title", isRSS, in: element)))
        readContent(of: element, into: &entry)
        entry.authors = authors(of: element)
        entry.tags = FeedText.names(
            all("category", isRSS, in: element) + all("subject", isDublinCore, in: element))
        entry.language =
            (element.first("language", in: isDublinCore)?.text ?? element.language)
            .flatMap { LanguageTag($0.trimmed)?.text }
        entry.publishedAt =
            time("published", isAtom, in: element) ?? time("pubDate", isRSS, in: element)
            ?? time("date", isDublinCore, in: element) ?? time("issued", isDublinCore, in: element)
        entry.updatedAt =
            time("updated", isAtom, in: element) ?? time("modified", isDublinCore, in: element)
        entry.image = FeedMedia.image(in: element) ?? image(in: element)
        FeedExtension.read(element, into: &entry)
        return entry
    }

    // MARK: Parts

    /// The text of an element, in which RSS does not say whether there is HTML.
    private static func plain(
        _ name: String, _ namespace: (String) -> Bool, in element: FeedElement
    ) -> String {
        let text = element.first(name, in: namespace)?.text ?? ""
        return FeedExtension.hasPlainText(element) ? text : FeedText.plain(perhapsHTML: text)
    }

    private static func all(
        _ name: String, _ namespace: (String) -> Bool, in element: FeedElement
    ) -> [String] {
        let texts = element.all(name, in: namespace).map(\.text)
        return FeedExtension.hasPlainText(element)
            ? texts : texts.map { FeedText.plain(perhapsHTML: $0) }
    }

    private static func time(
        _ name: String, _ namespace: (String) -> Bool, in element: FeedElement
    ) -> Timestamp? {
        element.first(name, in: namespace).flatMap { FeedDate.parse($0.text) }
    }

    private static func link(in element: FeedElement) -> String? {
        let own = element.all("link", in: isRSS).lazy.compactMap { $0.address($0.text) }.first
        return own ?? atomLink("alternate", in: element)
    }

    private static func atomLink(_ relation: String, in element: FeedElement) -> String? {
        element.all("link", in: isAtom).lazy
            .filter { ($0.attribute("rel") ?? "alternate") == relation }
            .compactMap { $0.address($0.attribute("href")) }.first
    }

    /// `content:encoded` is the whole entry, and the description its summary; without it, the
    /// description is all there is.
    private static func readContent(of element: FeedElement, into entry: inout FeedEntry) {
        let content = element.first("encoded", in: isContent)
        entry.contentHTML = content.map { html($0, of: entry) }
        guard content == nil, !FeedExtension.hasPlainText(element) else {
            let summary = plain("description", isRSS, in: element)
            entry.summary = FeedText.lines(
                FeedExtension.hasPlainText(element) ? summary : FeedText.line(summary))
            return
        }
        guard let description = element.first("description", in: isRSS) else { return }
        if FeedText.looksLikeHTML(description.text) {
            entry.contentHTML = html(description, of: entry)
        } else {
            entry.contentText = description.text.trimmed
        }
    }

    /// References in HTML are relative to the entry's page, unless the feed says otherwise.
    private static func html(_ element: FeedElement, of entry: FeedEntry) -> String {
        FeedAddress.resolved(html: element.text, against: entry.url ?? element.base)
    }

    private static func authors(of element: FeedElement) -> [String] {
        let creators = FeedText.names(all("creator", isDublinCore, in: element))
        if !creators.isEmpty { return creators }
        let authors = FeedText.names(all("author", isRSS, in: element).map(nameInMailbox))
        return authors.isEmpty ? FeedText.names(all("author", isITunes, in: element)) : authors
    }

    /// The name in `mail@example.org (Name)`; otherwise the text.
    private static func nameInMailbox(_ text: String) -> String {
        let text = text.trimmed
        guard text.hasSuffix(")"), let start = text.firstIndex(of: "("), text.contains("@") else {
            return text
        }
        return String(text[text.index(after: start)...].dropLast())
    }

    private static func image(in element: FeedElement) -> FeedEntry.Image? {
        let enclosures = element.all("enclosure", in: isRSS)
            .filter { $0.attribute("type")?.lowercased().hasPrefix("image/") == true }
            .compactMap { $0.address($0.attribute("url")) }
        let covers = element.all("image", in: isITunes).compactMap {
            $0.address($0.attribute("href"))
        }
        return (enclosures + covers).first.map { FeedEntry.Image(url: $0) }
    }
}
