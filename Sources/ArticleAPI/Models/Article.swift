/// An article as the backend keeps and serves it. A value: every edit makes a new one.
public struct Article: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Article>

    public var id: ID
    /// The name in addresses: unique, at most 100 characters, never shaped like an id.
    public var slug: String
    /// 1 to 300 characters.
    public var title: String
    /// At most 2,000 characters; empty when the author gave none.
    public var summary: String
    /// Markdown, at most 2 MiB of UTF-8; `nil` where a list left it out.
    public var body: String?
    /// The body as HTML without scripts, at most 8 MiB of UTF-8; `nil` where it was not asked for.
    public var bodyHTML: String?
    /// A BCP 47 language tag.
    public var language: String
    /// At most 20, in the order of the by-line.
    public var authors: [Author.Reference]
    /// At most 50, in the order that the editor gave.
    public var tags: [Tag]
    public var heroImage: HeroImage?
    public var status: Status
    /// When it became, or will become, public.
    public var publishedAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new article, one more with each edit, deletion and restoration.
    public var revision: Int
    /// Names this revision in the history that the backend keeps: `7-x1y2z3`, for `If-Match`. Read
    /// only; `nil` in an article that no backend served.
    public var version: String?
    /// Where it was first published, if elsewhere.
    public var source: Source?
    public var wordCount: Int
    public var readingMinutes: Int

    public init(
        id: ID, slug: String, title: String, summary: String = "", body: String?,
        bodyHTML: String? = nil, language: String, authors: [Author.Reference] = [],
        tags: [Tag] = [],
        heroImage: HeroImage? = nil, status: Status, publishedAt: Timestamp? = nil,
        createdAt: Timestamp, updatedAt: Timestamp, revision: Int = 1,
        version: String? = nil, source: Source? = nil, wordCount: Int, readingMinutes: Int
    ) {
        self.id = id
        self.slug = slug
        self.title = title
        self.summary = summary
        self.body = body
        self.bodyHTML = bodyHTML
        self.language = language
        self.authors = authors
        self.tags = tags
        self.heroImage = heroImage
        self.status = status
        self.publishedAt = publishedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
        self.source = source
        self.wordCount = wordCount
        self.readingMinutes = readingMinutes
    }

    /// Where an article stands on its way to readers.
    ///
    /// `scheduled` is `published` with a `publishedAt` that has not come yet: the same stored
    /// state, so that nothing has to run at the hour of publication.
    public enum Status: Sendable, Hashable {
        case draft, scheduled, published, archived
        /// A value that this version does not know (from a newer server; never accepted by one).
        case unknown(String)
    }

    /// The picture on top.
    public struct HeroImage: Sendable, Hashable {
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String
        /// What it shows, for those who cannot see it; at most 500 characters.
        public var alternativeText: String?

        public init(url: String, alternativeText: String? = nil) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    /// Where an article was first published.
    public struct Source: Sendable, Hashable {
        /// At most 200 characters: what the `source` filter compares with.
        public var name: String
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String?

        public init(name: String, url: String? = nil) {
            self.name = name
            self.url = url
        }
    }

    /// How an article is addressed in a path: by its id, or by a slug (also a former one).
    public enum Key: Sendable, Hashable {
        case id(ID)
        case slug(String)
    }
}
