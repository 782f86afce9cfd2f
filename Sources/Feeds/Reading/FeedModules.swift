/// The images of Media RSS (`media:content`, `media:thumbnail`), which Atom uses as well.
enum FeedMedia {
    private static func isMedia(_ namespace: String) -> Bool {
        namespace == FeedNamespace.media || namespace == String(FeedNamespace.media.dropLast())
    }

    static func image(in entry: FeedElement) -> FeedEntry.Image? {
        let places = [entry] + entry.all("group", in: isMedia)
        let contents = places.flatMap { $0.all("content", in: isMedia) }
        let pictures = contents.filter { content in
            content.attribute("medium") == "image"
                || content.attribute("type")?.lowercased().hasPrefix("image/") == true
        }
        let thumbnails = (places + contents).flatMap { $0.all("thumbnail", in: isMedia) }
        for element in pictures + thumbnails {
            guard let url = element.address(element.attribute("url")) else { continue }
            let text = element.first("description", in: isMedia).map { description in
                FeedText.lines(
                    description.attribute("type") == "html"
                        ? FeedText.plain(html: description.text) : description.text)
            }
            return FeedEntry.Image(
                url: url, alternativeText: text.flatMap { $0.isEmpty ? nil : $0 })
        }
        return nil
    }
}

/// What feeds of Broadsheet say beside the formats. See `Resources/manual/feeds.md`.
enum FeedExtension {
    private static func isBroadsheet(_ namespace: String) -> Bool {
        namespace == FeedNamespace.broadsheet
    }

    static func read(_ element: FeedElement, into entry: inout FeedEntry) {
        entry.slug = element.first("slug", in: isBroadsheet)?.text.trimmed
        entry.contentMarkdown = element.first("markdown", in: isBroadsheet)?.text
    }

    /// Whether the texts of an element of RSS, other than `content:encoded`, contain no HTML.
    static func hasPlainText(_ element: FeedElement) -> Bool {
        element.attributes.contains {
            $0.name == "text" && isBroadsheet($0.namespace) && $0.value == "plain"
        }
    }
}
