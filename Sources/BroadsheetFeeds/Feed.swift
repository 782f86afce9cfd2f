package import ArticleAPI

/// A feed of any format, with the parts that Atom, RSS 2.0 and JSON Feed have in common.
///
/// Texts are plain text unless their name says otherwise.
///
/// ```swift
/// let feed = try FeedParser.parse(bytes, contentType: nil, address: address)
/// let titles = feed.entries.map(\.title)
/// ```
package struct Feed: Sendable, Hashable {
    /// The permanent identifier of the feed (`atom:id`); the address of the feed in RSS and JSON
    /// Feed.
    package var id: String
    package var title: String
    /// The subject of the feed; may be empty.
    package var subtitle: String
    /// The absolute URL of the page that the feed belongs to.
    package var homePage: String?
    /// The absolute URL of the feed itself.
    package var address: String?
    /// The absolute URL of the page with the newest entries (RFC 5005 §3, `first`).
    package var firstPage: String?
    /// The absolute URL of the page with the next older entries (RFC 5005 §3, `next`).
    package var nextPage: String?
    /// BCP 47.
    package var language: String?
    package var updatedAt: Timestamp?
    package var entries: [FeedEntry]
    /// The number of entries that a parser left out, because the document has too many.
    package var omittedEntries = 0

    package init(
        id: String, title: String, subtitle: String = "", homePage: String? = nil,
        address: String? = nil, firstPage: String? = nil, nextPage: String? = nil,
        language: String? = nil, updatedAt: Timestamp? = nil, entries: [FeedEntry] = []
    ) {
        self.id = id
        self.title = title
        self.subtitle = subtitle
        self.homePage = homePage
        self.address = address
        self.firstPage = firstPage
        self.nextPage = nextPage
        self.language = language
        self.updatedAt = updatedAt
        self.entries = entries
    }
}

/// One entry of a feed. See ``Feed``.
package struct FeedEntry: Sendable, Hashable {
    /// The permanent identifier of the entry, within its feed.
    package var id: String
    /// The absolute URL of the page that shows the entry.
    package var url: String?
    package var title: String
    /// May be empty.
    package var summary: String
    /// The whole entry as HTML with absolute URLs. A received one may contain anything.
    package var contentHTML: String?
    /// The whole entry as plain text.
    package var contentText: String?
    /// The whole entry as Markdown, which only feeds of Broadsheet have.
    package var contentMarkdown: String?
    /// The entry's name in URLs, which only feeds of Broadsheet have.
    package var slug: String?
    /// Names in the order of the byline.
    package var authors: [String]
    package var tags: [String]
    /// BCP 47.
    package var language: String?
    package var publishedAt: Timestamp?
    package var updatedAt: Timestamp?
    package var image: Image?
    /// The absolute URL of the first file that is attached to the entry (an enclosure).
    package var attachment: String?
    /// The link of an entry without a URL, as it was received: it is no http(s) URL.
    package var unusableLink: String?

    /// The entry's main image.
    package struct Image: Sendable, Hashable {
        /// An absolute URL.
        package var url: String
        /// The description of the image.
        package var alternativeText: String?

        package init(url: String, alternativeText: String? = nil) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    package init(
        id: String, url: String? = nil, title: String, summary: String = "",
        contentHTML: String? = nil, contentText: String? = nil, contentMarkdown: String? = nil,
        slug: String? = nil, authors: [String] = [], tags: [String] = [],
        language: String? = nil, publishedAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
        image: Image? = nil
    ) {
        self.id = id
        self.url = url
        self.title = title
        self.summary = summary
        self.contentHTML = contentHTML
        self.contentText = contentText
        self.contentMarkdown = contentMarkdown
        self.slug = slug
        self.authors = authors
        self.tags = tags
        self.language = language
        self.publishedAt = publishedAt
        self.updatedAt = updatedAt
        self.image = image
    }
}
