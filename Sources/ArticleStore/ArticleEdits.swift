public import ArticleAPI

/// The validated content of an article as decided by an editor; the store resolves slug, tags and
/// authors.
public struct ArticleContent: Sendable, Hashable {
    public var slug: SlugChoice
    public var title: String
    public var summary: String
    public var body: String
    /// The rendered body; `nil` to render it when it is first read.
    public var bodyHTML: BodyHTML?
    public var language: String
    public var authors: [Author.Mention]
    /// An existing tag keeps its display name.
    public var tags: [Tag]
    public var heroImage: Article.HeroImage?
    /// `draft`, `published` or `archived`; `scheduled` is `published` at a later time.
    public var status: Article.Status
    public var publishedAt: Timestamp?
    public var source: Article.Source?
    public var wordCount: Int
    public var readingMinutes: Int

    public init(
        slug: SlugChoice, title: String, summary: String, body: String,
        bodyHTML: BodyHTML? = nil, language: String, authors: [Author.Mention], tags: [Tag],
        heroImage: Article.HeroImage?,
        status: Article.Status, publishedAt: Timestamp?, source: Article.Source?,
        wordCount: Int, readingMinutes: Int
    ) {
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
        self.source = source
        self.wordCount = wordCount
        self.readingMinutes = readingMinutes
    }
}

/// A rendered body: derived data that is rendered again if another renderer produced it. It is not
/// part of an article's value, its history or an export.
public struct BodyHTML: Sendable, Hashable {
    /// The name and version of the renderer.
    public var renderer: String
    /// `nil` for a body that this renderer rejects (because it predates its limits).
    public var html: String?

    public init(renderer: String, html: String?) {
        self.renderer = renderer
        self.html = html
    }
}

/// How an article's slug is chosen.
public enum SlugChoice: Sendable, Hashable {
    /// The current one (for a new article, the id).
    case keep
    /// This one, or throws `.slugTaken`; the former slug becomes an alias.
    case exactly(String)
    /// This one, or the first free of `x-2`, `x-3`, … (truncated to 100 characters).
    case like(String)
}

/// The validated content of an author as decided by an editor.
public struct AuthorContent: Sendable, Hashable {
    public var name: String
    public var about: String
    public var website: String?

    public init(name: String, about: String, website: String?) {
        self.name = name
        self.about = about
        self.website = website
    }
}

/// Time and actor of an edit.
public struct Edit: Sendable {
    public var time: Timestamp
    public var actor: Actor
    /// A write with a key is done once: the caller checks `idempotencyRecord` before. If another
    /// write with the key was committed in between, `.repeated` or `.keyReused` is thrown.
    public var key: IdempotencyKey?

    public init(at time: Timestamp, by actor: Actor, key: IdempotencyKey? = nil) {
        self.time = time
        self.actor = actor
        self.key = key
    }

    /// Who makes an edit. Its name is looked up when the history is read.
    public enum Actor: Sendable, Hashable {
        /// Whoever runs the server: imports, commands on the machine, the operator's key.
        case `operator`
        /// The API key with this public id.
        case key(id: String)
        /// Nobody who could be looked up.
        case unrecorded(name: String?)
    }
}

/// The state that a write expects (`If-Match`, `If-None-Match: *`).
public enum Precondition: Sendable, Hashable {
    case anything
    /// It exists, at any revision.
    case existing
    /// It exists, at one of these versions (`Epoch`); otherwise `.preconditionFailed`.
    case versions(Set<String>)
    /// It does not exist yet.
    case nothing
}
