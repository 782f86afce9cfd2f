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

/// The change of one attribute by a merge patch (RFC 7396 §2).
public enum Change<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The attribute is absent from the patch.
    case keep
    /// `null`: resets the attribute to its default; rejected if it has none.
    case clear
    case set(Value)
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
