/// The content of modules of RSS in all XML formats: Media RSS, iTunes' podcasts and Dublin Core.
enum FeedModules {
    static func isMedia(_ namespace: String) -> Bool {
        namespace == FeedNamespace.media || namespace == String(FeedNamespace.media.dropLast())
    }
    static func isITunes(_ namespace: String) -> Bool {
        namespace.lowercased().hasPrefix("http://www.itunes.com/")
    }
    static func isDublinCore(_ namespace: String) -> Bool {
        namespace == FeedNamespace.dublinCore || namespace == "http://purl.org/dc/terms/"
    }

    /// Adds content that the format's own elements lack, preferably from an element that has it
    /// whole.
    static func addMissing(from element: FeedElement, to entry: inout FeedEntry) {
        let media = FeedMedia.places(in: element)
        if entry.title.isEmpty {
            let titles =
                media.compactMap { $0.first("title", in: isMedia) }
                + [element.first("title", in: isITunes), element.first("title", in: isDublinCore)]
                .compactMap(\.self)
            entry.title =
                titles.first.map { FeedText.line(FeedText.plain(perhapsHTML: $0.text)) } ?? ""
        }
        if entry.contentHTML == nil, entry.contentText == nil, entry.contentMarkdown == nil,
            !FeedExtension.hasPlainText(element)
        {
            let texts =
                [element.first("description", in: isDublinCore)]
                + [element.first("summary", in: isITunes)]
                + media.map { $0.first("description", in: isMedia) }
                + [element.first("subtitle", in: isITunes)]
            if let text = texts.compactMap(\.self).first { entry.setContent(text) }
        }
        if entry.summary.isEmpty, let subtitle = element.first("subtitle", in: isITunes)?.text {
            let line = FeedText.line(FeedText.plain(perhapsHTML: subtitle))
            if line != entry.contentText { entry.summary = line }
        }
        if entry.authors.isEmpty { entry.authors = creators(of: element) }
        if entry.authors.isEmpty {
            entry.authors = FeedPerson.names(in: element.all("author", in: isITunes).map(\.text))
        }
    }

    /// The authors by Dublin Core.
    static func creators(of element: FeedElement) -> [String] {
        FeedPerson.names(
            in: element.all("creator", in: isDublinCore).map {
                FeedExtension.hasPlainText(element) ? $0.text : FeedText.plain(perhapsHTML: $0.text)
            })
    }
}

extension FeedEntry {
    /// Takes the text of an element, which is HTML if it looks so, as the whole entry. References
    /// in it are relative to the entry's page, unless the feed says otherwise.
    mutating func setContent(_ element: FeedElement) {
        if element.attribute("type") != "plain", FeedText.looksLikeHTML(element.text) {
            contentHTML = FeedAddress.resolved(html: element.text, against: url ?? element.base)
        } else {
            contentText = element.text.trimmed
        }
    }
}

/// The images of Media RSS (`media:content`, `media:thumbnail`), which Atom also uses.
enum FeedMedia {
    /// The entry and its groups, of which YouTube has one.
    static func places(in entry: FeedElement) -> [FeedElement] {
        [entry] + entry.all("group", in: FeedModules.isMedia)
    }

    static func image(in entry: FeedElement) -> FeedEntry.Image? {
        let places = places(in: entry)
        let contents = places.flatMap { $0.all("content", in: FeedModules.isMedia) }
        let pictures = contents.filter(isPicture)
        let thumbnails = (places + contents).flatMap {
            $0.all("thumbnail", in: FeedModules.isMedia)
        }
        for element in pictures + thumbnails {
            guard let url = element.address(element.attribute("url")) else { continue }
            let text = element.first("description", in: FeedModules.isMedia).map { description in
                FeedText.lines(
                    description.attribute("type") == "html"
                        ? FeedText.plain(html: description.text) : description.text)
            }
            return FeedEntry.Image(
                url: url, alternativeText: text.flatMap { $0.isEmpty ? nil : $0 })
        }
        return nil
    }

    private static let extensions = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"]

    private static func isPicture(_ content: FeedElement) -> Bool {
        if let medium = content.attribute("medium") { return medium == "image" }
        if let type = content.attribute("type") { return type.lowercased().hasPrefix("image/") }
        let path = (content.attribute("url") ?? "").prefix { $0 != "?" && $0 != "#" }.lowercased()
        return extensions.contains { path.hasSuffix($0) }
    }
}

/// Broadsheet's own elements in feeds. See `Resources/manual/feeds.md`.
enum FeedExtension {
    private static func isBroadsheet(_ namespace: String) -> Bool {
        namespace == FeedNamespace.broadsheet
    }

    static func read(_ element: FeedElement, into entry: inout FeedEntry) {
        entry.slug = element.first("slug", in: isBroadsheet)?.text.trimmed
        entry.contentMarkdown = element.first("markdown", in: isBroadsheet)?.text
    }

    /// Returns true if the texts of an element of RSS, other than `content:encoded`, contain no
    /// HTML.
    static func hasPlainText(_ element: FeedElement) -> Bool {
        element.attributes.contains {
            $0.name == "text" && isBroadsheet($0.namespace) && $0.value == "plain"
        }
    }
}
