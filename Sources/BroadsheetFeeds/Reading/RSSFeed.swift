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
        FeedModules.isDublinCore(namespace)
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
        let atom = try AtomFeed.entry(within: element)
        let guid = element.first("guid", in: isRSS)
        let guidText = guid?.text.trimmed
        let about = element.attributes.first { $0.name == "about" }?.value
        var url = element.all("link", in: isRSS).lazy.compactMap { $0.address($0.text) }.first
        url = url ?? atom.url
        if url == nil, guid?.attribute("isPermaLink")?.lowercased() != "false" {
            url = guidText.flatMap { FeedAddress.isWeb($0) ? element.address($0) : nil }
        }
        let title = FeedText.line(plain("title", isRSS, in: element))
        var entry = FeedEntry(
            id: [guidText, about, url].compactMap(\.self).first ?? atom.id, url: url,
            title: title.isEmpty ? atom.title : title)
        if url == nil {
            entry.unusableLink = element.first("link", in: isRSS)?.text ?? atom.unusableLink
        }
        readContent(of: element, atom, into: &entry)
        entry.authors = authors(of: element, atom)
        entry.tags = FeedText.names(
            all("category", isRSS, in: element) + all("subject", isDublinCore, in: element)
                + atom.tags)
        entry.language =
            (element.first("language", in: isDublinCore)?.text ?? element.language)
            .flatMap { LanguageTag($0.trimmed)?.text }
        entry.publishedAt =
            atom.publishedAt ?? time("pubDate", isRSS, in: element)
            ?? time("date", isDublinCore, in: element) ?? time("issued", isDublinCore, in: element)
        entry.updatedAt = atom.updatedAt ?? time("modified", isDublinCore, in: element)
        readFiles(of: element, atom, into: &entry)
        FeedExtension.read(element, into: &entry)
        FeedModules.addMissing(from: element, to: &entry)
        return entry
    }

    // MARK: Parts

    /// The text of an element, for which RSS leaves open if it contains HTML.
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

    private static func link(in channel: FeedElement) -> String? {
        let own = channel.all("link", in: isRSS).lazy.compactMap { $0.address($0.text) }.first
        return own ?? atomLink("alternate", in: channel)
    }

    private static func atomLink(_ relation: String, in element: FeedElement) -> String? {
        element.all("link", in: isAtom).lazy
            .filter { ($0.attribute("rel") ?? "alternate") == relation }
            .compactMap { $0.address($0.attribute("href")) }.first
    }

    /// `content:encoded` is the whole entry, or the content of Atom, and the description its
    /// summary; without them, the description is all there is.
    private static func readContent(
        of element: FeedElement, _ atom: FeedEntry, into entry: inout FeedEntry
    ) {
        let hasPlainText = FeedExtension.hasPlainText(element)
        if let content = element.first("encoded", in: isContent) {
            entry.contentHTML = FeedAddress.resolved(
                html: content.text, against: entry.url ?? content.base)
        } else if atom.contentHTML != nil || atom.contentText != nil {
            (entry.contentHTML, entry.contentText) = (atom.contentHTML, atom.contentText)
        } else if !hasPlainText, let description = element.first("description", in: isRSS) {
            entry.setContent(description)
            return
        }
        let summary = plain("description", isRSS, in: element)
        entry.summary = FeedText.lines(hasPlainText ? summary : FeedText.line(summary))
        if entry.summary.isEmpty { entry.summary = atom.summary }
    }

    private static func authors(of element: FeedElement, _ atom: FeedEntry) -> [String] {
        let creators = FeedModules.creators(of: element)
        if !creators.isEmpty { return creators }
        let authors = FeedPerson.names(in: all("author", isRSS, in: element))
        return authors.isEmpty ? atom.authors : authors
    }

    /// The main image and the attached file.
    private static func readFiles(
        of element: FeedElement, _ atom: FeedEntry, into entry: inout FeedEntry
    ) {
        let enclosures = element.all("enclosure", in: isRSS)
        let pictures = enclosures.filter {
            $0.attribute("type")?.lowercased().hasPrefix("image/") == true
        }
        let covers = element.all("image", in: FeedModules.isITunes)
        let images =
            pictures.map { $0.address($0.attribute("url")) } + [atom.image?.url]
            + covers.map { $0.address($0.attribute("href")) }
        entry.image =
            FeedMedia.image(in: element)
            ?? images.compactMap(\.self).first.map { FeedEntry.Image(url: $0) }
        entry.attachment =
            enclosures.lazy.compactMap { $0.address($0.attribute("url")) }.first ?? atom.attachment
    }
}
