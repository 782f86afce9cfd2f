import ArticleAPI

/// Reads Atom 1.0 (RFC 4287), and Atom 0.3 as far as it is alike.
enum AtomFeed: XMLFeedFormat {
    private static func isAtom(_ namespace: String) -> Bool {
        namespace == FeedNamespace.atom || namespace.isEmpty
            || namespace == "http://purl.org/atom/ns#"
    }

    static func isEntry(_ element: FeedElement) -> Bool {
        element.name == "entry" && isAtom(element.namespace)
    }

    static func feed(_ root: FeedElement, at address: String) throws(FeedError) -> Feed {
        let own = link("self", in: root)
        var feed = Feed(
            id: root.first("id", in: isAtom)?.text.trimmed ?? own ?? address,
            title: try line("title", in: root))
        feed.subtitle = FeedText.lines(
            try plain(root.first("subtitle", in: isAtom) ?? root.first("tagline", in: isAtom)))
        feed.homePage = link("alternate", in: root)
        feed.address = own ?? address
        feed.firstPage = link("first", in: root)
        feed.nextPage = link("next", in: root)
        feed.language = root.language.flatMap { LanguageTag($0)?.text }
        feed.updatedAt = time(["updated", "modified"], in: root)
        return feed
    }

    /// The authors of entries that name none (RFC 4287 §4.2.1), except the feed itself.
    static func authors(_ root: FeedElement) throws(FeedError) -> [String] {
        let title = try line("title", in: root)
        return names(in: root).filter { $0 != title }
    }

    static func entry(_ element: FeedElement) throws(FeedError) -> FeedEntry? {
        var entry = try ownEntry(element)
        FeedExtension.read(element, into: &entry)
        FeedModules.addMissing(from: element, to: &entry)
        return entry
    }

    /// Returns the entry that elements of Atom describe in an item of RSS, whatever their prefix
    /// is.
    static func entry(within item: FeedElement) throws(FeedError) -> FeedEntry {
        var element = item
        element.children = item.children.filter { child in
            guard case .element(let child) = child else { return false }
            return !child.namespace.isEmpty && isAtom(child.namespace)
        }
        return try ownEntry(element)
    }

    private static func ownEntry(_ element: FeedElement) throws(FeedError) -> FeedEntry {
        let url = link("alternate", in: element)
        var entry = FeedEntry(
            id: element.first("id", in: isAtom)?.text.trimmed ?? url ?? "",
            url: url, title: try line("title", in: element))
        if url == nil {
            entry.unusableLink = links("alternate", in: element).lazy
                .compactMap { $0.attribute("href") }.first { !$0.trimmed.isEmpty }
        }
        entry.summary = FeedText.lines(try plain(element.first("summary", in: isAtom)))
        if let content = element.all("content", in: isAtom).first {
            try read(content, into: &entry)
        }
        entry.authors = names(in: element)
        entry.tags = FeedText.names(
            element.all("category", in: isAtom).map {
                $0.attribute("label") ?? $0.attribute("term") ?? ""
            })
        entry.language = element.language.flatMap { LanguageTag($0)?.text }
        entry.publishedAt = time(["published", "issued", "created"], in: element)
        entry.updatedAt = time(["updated", "modified"], in: element)
        let enclosures = links("enclosure", in: element)
        entry.attachment = enclosures.lazy.compactMap { $0.address($0.attribute("href")) }.first
        let pictures = enclosures.filter {
            $0.attribute("type")?.lowercased().hasPrefix("image/") == true
        }
        entry.image =
            FeedMedia.image(in: element)
            ?? pictures.lazy.compactMap { $0.address($0.attribute("href")) }.first
            .map { FeedEntry.Image(url: $0) }
        return entry
    }

    // MARK: Parts

    private static func time(_ names: [String], in element: FeedElement) -> Timestamp? {
        names.lazy.compactMap { element.first($0, in: isAtom) }.first
            .flatMap { FeedDate.parse($0.text) }
    }

    private static func names(in element: FeedElement) -> [String] {
        FeedPerson.names(
            in: element.all("author", in: isAtom).compactMap {
                $0.first("name", in: isAtom)?.text
            })
    }

    private static func links(_ relation: String, in element: FeedElement) -> [FeedElement] {
        element.all("link", in: isAtom).filter {
            ($0.attribute("rel") ?? "alternate") == relation
        }
    }

    /// The first link with this relation; an HTML page is preferred.
    private static func link(_ relation: String, in element: FeedElement) -> String? {
        let links = links(relation, in: element)
        let pages = links.filter { ($0.attribute("type") ?? "text/html") == "text/html" }
        return (pages + links).lazy.compactMap { $0.address($0.attribute("href")) }.first
    }

    // MARK: Text constructs (RFC 4287 §3.1)

    private enum Kind {
        case text, html, xhtml
        /// Something other than the text of an article.
        case other
    }

    private static func kind(of element: FeedElement) -> Kind {
        let type = (element.attribute("type") ?? "text").lowercased()
        let mode = element.attribute("mode")
        switch type {
        // Atom 0.3 said by `mode` whether markup is escaped.
        case "text/html", "html": return mode == "xml" ? .xhtml : .html
        case "xhtml": return .xhtml
        case "application/xhtml+xml": return mode == "escaped" ? .html : .xhtml
        case "text": return .text
        default: return type.hasPrefix("text/") ? .text : .other
        }
    }

    private static func line(_ name: String, in element: FeedElement) throws(FeedError) -> String {
        FeedText.line(try plain(element.first(name, in: isAtom)))
    }

    private static func plain(_ element: FeedElement?) throws(FeedError) -> String {
        guard let element else { return "" }
        return switch kind(of: element) {
        case .text: element.text
        case .xhtml: FeedText.plain(html: try element.innerHTML)
        case .html: FeedText.plain(html: element.text)
        case .other: ""
        }
    }

    private static func read(_ content: FeedElement, into entry: inout FeedEntry) throws(FeedError)
    {
        switch kind(of: content) {
        case .text: entry.contentText = content.text.isEmpty ? nil : content.text
        case .html:
            guard !content.text.isEmpty else { return }
            entry.contentHTML = FeedAddress.resolved(html: content.text, against: content.base)
        case .xhtml:
            // The div is not part of the content (RFC 4287 §3.1.1.3).
            let div = content.elements.first { $0.name == "div" } ?? content
            entry.contentHTML = FeedAddress.resolved(html: try div.innerHTML, against: div.base)
        case .other: break
        }
    }
}
