extension Article {
    /// The content of a new article; the backend sets everything else.
    public struct Draft: Sendable, Hashable {
        /// A UUIDv7 chosen by the client, so that a repeated POST cannot create two articles.
        public var id: ID?
        public var slug: String?
        public var title: String
        public var summary: String
        public var body: String
        /// `nil` for the backend's default language.
        public var language: String?
        public var authors: [Author.Mention]
        /// Display names.
        public var tags: [String]
        public var heroImage: HeroImage?
        /// `nil` for a draft.
        public var status: Status?
        public var publishedAt: Timestamp?
        public var source: Source?

        public init(
            id: ID? = nil, slug: String? = nil, title: String, summary: String = "",
            body: String = "", language: String? = nil, authors: [Author.Mention] = [],
            tags: [String] = [], heroImage: HeroImage? = nil, status: Status? = nil,
            publishedAt: Timestamp? = nil, source: Source? = nil
        ) {
            self.id = id
            self.slug = slug
            self.title = title
            self.summary = summary
            self.body = body
            self.language = language
            self.authors = authors
            self.tags = tags
            self.heroImage = heroImage
            self.status = status
            self.publishedAt = publishedAt
            self.source = source
        }
    }

    /// The new content of a whole article (`PUT`): its representation with edits.
    ///
    /// It may contain the read-only attributes of the representation, unchanged.
    public struct Replacement: Sendable, Hashable {
        public var content: Draft
        public var readOnly: ReadOnly

        public init(content: Draft, readOnly: ReadOnly = ReadOnly()) {
            self.content = content
            self.readOnly = readOnly
        }
    }

    /// The attributes that only the backend sets, if a replacement repeats them.
    public struct ReadOnly: Sendable, Hashable {
        public var bodyHTML: String?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var revision: Int?
        public var version: String?
        public var wordCount: Int?
        public var readingMinutes: Int?

        public init(
            bodyHTML: String? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
            revision: Int? = nil, version: String? = nil, wordCount: Int? = nil,
            readingMinutes: Int? = nil
        ) {
            self.bodyHTML = bodyHTML
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.revision = revision
            self.version = version
            self.wordCount = wordCount
            self.readingMinutes = readingMinutes
        }
    }

    /// A merge patch (RFC 7396): only what is to change.
    public struct Changes: Sendable, Hashable {
        public var slug: Change<String>
        public var title: Change<String>
        public var summary: Change<String>
        public var body: Change<String>
        public var language: Change<String>
        public var authors: Change<[Author.Mention]>
        public var tags: Change<[String]>
        public var heroImage: Change<HeroImageChanges>
        public var status: Change<Status>
        public var publishedAt: Change<Timestamp>
        public var source: Change<SourceChanges>

        public init(
            slug: Change<String> = .keep, title: Change<String> = .keep,
            summary: Change<String> = .keep, body: Change<String> = .keep,
            language: Change<String> = .keep, authors: Change<[Author.Mention]> = .keep,
            tags: Change<[String]> = .keep, heroImage: Change<HeroImageChanges> = .keep,
            status: Change<Status> = .keep, publishedAt: Change<Timestamp> = .keep,
            source: Change<SourceChanges> = .keep
        ) {
            self.slug = slug
            self.title = title
            self.summary = summary
            self.body = body
            self.language = language
            self.authors = authors
            self.tags = tags
            self.heroImage = heroImage
            self.status = status
            self.publishedAt = publishedAt
            self.source = source
        }
    }

    /// A merge patch of a hero image, whose members are merged too (RFC 7396 §2).
    public struct HeroImageChanges: Sendable, Hashable {
        public var url: Change<String>
        public var alternativeText: Change<String>

        public init(url: Change<String> = .keep, alternativeText: Change<String> = .keep) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    /// A merge patch of a source, whose members are merged too (RFC 7396 §2).
    public struct SourceChanges: Sendable, Hashable {
        public var name: Change<String>
        public var url: Change<String>

        public init(name: Change<String> = .keep, url: Change<String> = .keep) {
            self.name = name
            self.url = url
        }
    }
}

extension Author {
    /// The new content of a whole author (`PUT`); it may contain the read-only attributes,
    /// unchanged.
    public struct Replacement: Sendable, Hashable {
        /// The id of the path, if it is repeated.
        public var id: ID?
        public var name: String
        public var about: String
        public var website: String?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var revision: Int?
        public var version: String?

        public init(
            id: ID? = nil, name: String, about: String = "", website: String? = nil,
            createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil, revision: Int? = nil,
            version: String? = nil
        ) {
            self.id = id
            self.name = name
            self.about = about
            self.website = website
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.revision = revision
            self.version = version
        }
    }
}

extension Article.Draft: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional("language", \.language, .text(.language)),
        .defaulted("authors", to: [], \.authors, .authors),
        .defaulted("tags", to: [], \.tags, .tagNames),
        .optional("heroImage", \.heroImage, Article.HeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("source", \.source, Article.Source.format))
}

extension Article.Replacement: JSONModel {
    /// The attributes of a draft, and the read-only ones, at one level and in the article's order.
    public static let shape = ObjectCodec(
        Self.init(
            id:slug:title:summary:body:bodyHTML:language:authors:tags:heroImage:status:publishedAt:
            createdAt:updatedAt:revision:version:source:wordCount:readingMinutes:),
        .optional("id", \.content.id, .identifier()),
        .optional("slug", \.content.slug, .text(.servedSlug)),
        .required("title", \.content.title, .text(.line(ArticleLimits.title))),
        .defaulted("summary", to: "", \.content.summary, .text(.lines(ArticleLimits.summary))),
        .defaulted(
            "body", to: "", \.content.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.readOnly.bodyHTML,
            .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("language", \.content.language, .text(.language)),
        .defaulted("authors", to: [], \.content.authors, .authors),
        .defaulted("tags", to: [], \.content.tags, .tagNames),
        .optional("heroImage", \.content.heroImage, Article.HeroImage.format),
        .optional("status", \.content.status, .text(.status)),
        .optional("publishedAt", \.content.publishedAt, .timestamp),
        .optional("createdAt", \.readOnly.createdAt, .timestamp),
        .optional("updatedAt", \.readOnly.updatedAt, .timestamp),
        .optional("revision", \.readOnly.revision, .integer(1...Int.max)),
        .optional("version", \.readOnly.version, .text(.version)),
        .optional("source", \.content.source, Article.Source.format),
        .optional("wordCount", \.readOnly.wordCount, .integer(0...Int.max)),
        .optional("readingMinutes", \.readOnly.readingMinutes, .integer(0...Int.max)))

    private init(
        id: Article.ID?, slug: String?, title: String, summary: String, body: String,
        bodyHTML: String?, language: String?, authors: [Author.Mention], tags: [String],
        heroImage: Article.HeroImage?, status: Article.Status?, publishedAt: Timestamp?,
        createdAt: Timestamp?, updatedAt: Timestamp?, revision: Int?, version: String?,
        source: Article.Source?, wordCount: Int?, readingMinutes: Int?
    ) {
        self.init(
            content: Article.Draft(
                id: id, slug: slug, title: title, summary: summary, body: body,
                language: language, authors: authors, tags: tags, heroImage: heroImage,
                status: status, publishedAt: publishedAt, source: source),
            readOnly: Article.ReadOnly(
                bodyHTML: bodyHTML, createdAt: createdAt, updatedAt: updatedAt, revision: revision,
                version: version, wordCount: wordCount, readingMinutes: readingMinutes))
    }
}

extension Article.Changes: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("slug", \.slug, .text(.slug)),
        .change("title", \.title, .text(.line(ArticleLimits.title))),
        .change("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .change("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .change("language", \.language, .text(.language)),
        .change("authors", \.authors, .authors),
        .change("tags", \.tags, .tagNames),
        .change("heroImage", \.heroImage, Article.HeroImageChanges.format),
        .change("status", \.status, .text(.status)),
        .change("publishedAt", \.publishedAt, .timestamp),
        .change("source", \.source, Article.SourceChanges.format))
}

extension Article.HeroImageChanges: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("url", \.url, .text(.webAddress)),
        .change("alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Article.SourceChanges: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .change("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .change("url", \.url, .text(.webAddress)))
}

extension JSONCodec where Value == [Author.Mention] {
    static var authors: JSONCodec {
        .array(of: Author.Mention.format, atMost: ArticleLimits.authors)
    }
}

extension JSONCodec where Value == [String] {
    static var tagNames: JSONCodec { .array(of: .tagName, atMost: ArticleLimits.tags) }
}
