package import ArticleAPI

/// A feed as a value, whatever its format: what Atom, RSS 2.0 and JSON Feed have in common.
///
/// Texts are plain text unless their name says otherwise.
package struct Feed: Sendable, Hashable {
    /// What identifies the feed for good (`atom:id`); the address of the feed in RSS and JSON Feed.
    package var id: String
    package var title: String
    /// What the feed is about; may be empty.
    package var subtitle: String
    /// The absolute URL of the page that the feed belongs to.
    package var homePage: String?
    /// The absolute URL of the feed itself.
    package var address: String?
    /// The absolute URL of the page with the next older entries (RFC 5005 §3, `next`).
    package var nextPage: String?
    /// BCP 47.
    package var language: String?
    package var updatedAt: Timestamp?
    package var entries: [FeedEntry]

    package init(
        id: String, title: String, subtitle: String = "", homePage: String? = nil,
        address: String? = nil, nextPage: String? = nil, language: String? = nil,
        updatedAt: Timestamp? = nil, entries: [FeedEntry] = []
    ) {
        self.id = id
        self.title = title
        self.subtitle = subtitle
        self.homePage = homePage
        self.address = address
        self.nextPage = nextPage
        self.language = language
        self.updatedAt = updatedAt
        self.entries = entries
    }
}

/// One entry of a feed. See ``Feed``.
package struct FeedEntry: Sendable, Hashable {
    /// What identifies the entry for good, within its feed.
    package var id: String
    /// The absolute URL of the page that shows the entry.
    package var url: String?
    package var title: String
    /// May be empty.
    package var summary: String
    /// The whole entry as HTML, as it was received: it may contain anything.
    package var contentHTML: String?
    /// The whole entry as plain text.
    package var contentText: String?
    /// Names in the order of the byline.
    package var authors: [String]
    package var tags: [String]
    /// BCP 47.
    package var language: String?
    package var publishedAt: Timestamp?
    package var updatedAt: Timestamp?
    /// The absolute URL of the entry's main image.
    package var image: String?

    package init(
        id: String, url: String? = nil, title: String, summary: String = "",
        contentHTML: String? = nil, contentText: String? = nil, authors: [String] = [],
        tags: [String] = [], language: String? = nil, publishedAt: Timestamp? = nil,
        updatedAt: Timestamp? = nil, image: String? = nil
    ) {
        self.id = id
        self.url = url
        self.title = title
        self.summary = summary
        self.contentHTML = contentHTML
        self.contentText = contentText
        self.authors = authors
        self.tags = tags
        self.language = language
        self.publishedAt = publishedAt
        self.updatedAt = updatedAt
        self.image = image
    }
}
