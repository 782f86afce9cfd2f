/// An article as the backend stores and serves it. It is a value: every edit makes a new one.
public struct Article: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Article>

    public var id: ID
    /// The name in URLs: unique, at most 100 characters, and never in the form of an id.
    public var slug: String
    /// 1 to 300 characters.
    public var title: String
    /// At most 2,000 characters; empty if the author gave none.
    public var summary: String
    /// Markdown, at most 2 MiB of UTF-8; `nil` if a list omitted it.
    public var body: String?
    /// The body as HTML without scripts, at most 8 MiB of UTF-8; `nil` if it was not requested.
    public var bodyHTML: String?
    /// A BCP 47 language tag.
    public var language: String
    /// At most 20, in the order of the by-line.
    public var authors: [Author.Reference]
    /// At most 50, in the editor's order.
    public var tags: [Tag]
    public var heroImage: HeroImage?
    public var status: Status
    /// When it became, or will become, public.
    public var publishedAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new article; incremented by each edit, deletion and restoration.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `7-x1y2z3`. Read-only;
    /// `nil` in an article that was not served by a backend.
    public var version: String?
    /// Where it was first published, if not here.
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

    /// The publication status of an article.
    ///
    /// `scheduled` is `published` with a `publishedAt` in the future. Both are the same stored
    /// state, so that nothing has to run at the time of publication.
    public enum Status: Sendable, Hashable {
        case draft, scheduled, published, archived
        /// A value of a newer server that this version does not know; servers reject it.
        case unknown(String)
    }

    /// The picture at the top of the article.
    public struct HeroImage: Sendable, Hashable {
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String
        /// What it shows, for readers who cannot see it; at most 500 characters.
        public var alternativeText: String?

        public init(url: String, alternativeText: String? = nil) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    /// Where an article was first published.
    public struct Source: Sendable, Hashable {
        /// At most 200 characters; the `source` filter matches it.
        public var name: String
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String?

        public init(name: String, url: String? = nil) {
            self.name = name
            self.url = url
        }
    }

    /// How an article is identified in a path: by its id, or by a current or former slug.
    public enum Key: Sendable, Hashable {
        case id(ID)
        case slug(String)
    }
}
