/// The values that an article is made of, besides texts, times and authors: each with the changes
/// that a merge patch makes to it, and with the attributes that a reader selected.
extension Article {
    /// The publication status of an article.
    ///
    /// Only `published` articles are public; their `publishedAt` is not in the future. That of a
    /// `scheduled` article is: at that time the server publishes it, as a revision of its own.
    public enum Status: Sendable, Hashable {
        case draft, scheduled, published, archived
        /// A value of a newer server that this version does not know; servers reject it.
        case unknown(String)
    }

    /// The picture at the top of the article.
    public struct HeroImage: Sendable, Hashable {
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String
        /// A description of the image, for readers who cannot see it; at most 500 characters.
        public var alternativeText: String?

        public init(url: String, alternativeText: String? = nil) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    /// The place of an article's first publication.
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
}

// MARK: The picture

extension Article.HeroImage: JSONModel {
    public static let shape = ObjectCodec(
        named: "HeroImage", Self.init,
        .required("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Article {
    /// A merge patch of a hero image, whose members are merged too (RFC 7396 §2).
    public struct HeroImageChanges: Sendable, Hashable {
        public var url: Change<String>
        public var alternativeText: Change<String>

        public init(url: Change<String> = .keep, alternativeText: Change<String> = .keep) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }
}

extension Article.HeroImageChanges: JSONModel {
    public static let shape = ObjectCodec(
        named: "HeroImageChanges", Self.init,
        .change("url", \.url, .text(.webAddress)),
        .change("alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Change where Value == Article.HeroImageChanges {
    /// The change from one picture to the other.
    init(from before: Article.HeroImage?, to after: Article.HeroImage?) {
        guard before != after else {
            self = .keep
            return
        }
        self =
            after.map { after in
                .set(
                    Article.HeroImageChanges(
                        url: Change<String>(from: before?.url, to: after.url),
                        alternativeText: Change<String>(
                            from: before?.alternativeText, to: after.alternativeText)))
            } ?? .clear
    }

    /// The attribute of this name after this change; one with a fault stays as it is.
    func merged(
        into current: Article.HeroImage?, _ attribute: String, _ faults: inout [JSONFault]
    ) -> Article.HeroImage? {
        switch self {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let url = changes.url.applied(to: current?.url, in: [attribute, "url"], &faults)
            guard let url else { return current }
            return Article.HeroImage(
                url: url,
                alternativeText: changes.alternativeText.applied(
                    to: current?.alternativeText, cleared: nil))
        }
    }
}

extension PartialArticle {
    /// The selected attributes of a picture.
    public struct PartialHeroImage: Sendable, Hashable {
        public var url: String?
        public var alternativeText: String?
    }
}

extension PartialArticle.PartialHeroImage: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialHeroImage", Self.init,
        .optional("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

// MARK: The source

extension Article.Source: JSONModel {
    public static let shape = ObjectCodec(
        named: "ArticleSource", Self.init,
        .required("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}

extension Article {
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

extension Article.SourceChanges: JSONModel {
    public static let shape = ObjectCodec(
        named: "ArticleSourceChanges", Self.init,
        .change("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .change("url", \.url, .text(.webAddress)))
}

extension Change where Value == Article.SourceChanges {
    /// The change from one source to the other.
    init(from before: Article.Source?, to after: Article.Source?) {
        guard before != after else {
            self = .keep
            return
        }
        self =
            after.map { after in
                .set(
                    Article.SourceChanges(
                        name: Change<String>(from: before?.name, to: after.name),
                        url: Change<String>(from: before?.url, to: after.url)))
            } ?? .clear
    }

    /// The attribute of this name after this change; one with a fault stays as it is.
    func merged(
        into current: Article.Source?, _ attribute: String, _ faults: inout [JSONFault]
    ) -> Article.Source? {
        switch self {
        case .keep: return current
        case .clear: return nil
        case .set(let changes):
            let name = changes.name.applied(to: current?.name, in: [attribute, "name"], &faults)
            guard let name else { return current }
            return Article.Source(
                name: name, url: changes.url.applied(to: current?.url, cleared: nil))
        }
    }
}

extension PartialArticle {
    /// The selected attributes of a source.
    public struct PartialSource: Sendable, Hashable {
        public var name: String?
        public var url: String?
    }
}

extension PartialArticle.PartialSource: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialSource", Self.init,
        .optional("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}

// MARK: Authors and tags of a partial article

extension PartialArticle {
    /// The selected attributes of an author in the by-line.
    public struct PartialAuthor: Sendable, Hashable {
        public var id: Author.ID?
        public var name: String?
        public var revision: Int?
    }

    /// The selected attributes of a tag.
    public struct PartialTag: Sendable, Hashable {
        public var key: String?
        public var name: String?
    }
}

extension PartialArticle.PartialAuthor: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialAuthorReference", Self.init,
        .optional("id", \.id, .identifier()),
        .optional("name", \.name, .text(.line(ArticleLimits.authorName))),
        .optional("revision", \.revision, .integer(1...Int.max)))
}

extension PartialArticle.PartialTag: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialTag", Self.init,
        .optional("key", \.key, .text(.line(ArticleLimits.tag))),
        .optional("name", \.name, .text(.line(ArticleLimits.tag))))
}

extension Article.Status {
    static let known: [Article.Status] = [.draft, .scheduled, .published, .archived]

    init(name: String) {
        switch name {
        case "draft": self = .draft
        case "scheduled": self = .scheduled
        case "published": self = .published
        case "archived": self = .archived
        default: self = .unknown(name)
        }
    }

    /// The name on the wire.
    package var name: String {
        switch self {
        case .draft: "draft"
        case .scheduled: "scheduled"
        case .published: "published"
        case .archived: "archived"
        case .unknown(let name): name
        }
    }
}

// MARK: Tags

/// A subject that articles share: compared by its case-folded key, shown by its display name.
///
/// `==` also compares display names; tags are the same if their keys are.
///
/// ```swift
/// let tag = ArticleTag(named: "Straße")
/// let isSame = tag.key == ArticleTag(named: "STRASSE").key
/// ```
public struct ArticleTag: Sendable, Hashable, Identifiable {
    /// Case-folded, NFC, 1 to 64 characters.
    public var key: String
    /// As it was first written.
    public var name: String

    /// The key, which distinguishes tags.
    public var id: String { key }

    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// A tag with the number of articles that the caller can see under it.
    public struct Usage: Sendable, Hashable, Identifiable {
        public var tag: ArticleTag
        public var articleCount: Int
        /// The tag's key.
        public var id: String { tag.key }

        public init(tag: ArticleTag, articleCount: Int) {
            self.tag = tag
            self.articleCount = articleCount
        }
    }
}

extension ArticleTag: JSONModel {
    public static let shape = ObjectCodec(
        named: "Tag", Self.init,
        .required("key", \.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.name, .text(.line(ArticleLimits.tag))))
}

extension ArticleTag.Usage: JSONModel {
    public static let shape = ObjectCodec(
        named: "TagUsage", Self.init(key:name:articleCount:),
        .required("key", \.tag.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.tag.name, .text(.line(ArticleLimits.tag))),
        .required("articleCount", \.articleCount, .integer(0...Int.max)))

    private init(key: String, name: String, articleCount: Int) {
        self.init(tag: ArticleTag(key: key, name: name), articleCount: articleCount)
    }
}

extension ArticleTag {
    /// The tag with this display name.
    public init(named name: String) {
        let name = name.inNFC
        self.init(key: name.caseFolded, name: name)
    }
}

extension JSONCodec where Value == [String] {
    static var tagNames: JSONCodec { .array(of: .tagName, limit: ArticleLimits.tags) }
}

extension JSONCodec where Value == String {
    /// A tag by its display name, or as an article shows it: `{"key": …, "name": …}`.
    package static let tagName = JSONCodec(
        schema: .either([nameOfTag.schema, ArticleTag.shape.schema]),
        read: { value, reader in
            guard case .object = value else { return nameOfTag.read(value, &reader) }
            guard let tag = ArticleTag.shape.read(value, &reader) else { return nil }
            if reader.isStrict, tag.key != ArticleTag(named: tag.name).key {
                reader.reading(.name("key")) {
                    $0.report(.rejected("does not belong to this tag; omit it"))
                }
                return nil
            }
            return tag.name
        },
        write: { name, _, writer in writer.string(name) },
        check: nameOfTag.check)

    private static let nameOfTag = JSONCodec.text(TextCodec.tagName)
}

extension TextCodec where Value == String {
    /// The display name of a tag; its key must not be empty.
    fileprivate static var tagName: TextCodec {
        let line = TextCodec.line(ArticleLimits.tag)
        return TextCodec(
            line.expectation, line.schema, parse: line.parse, print: line.print,
            fault: { name in
                line.fault(name) ?? (ArticleTag(named: name).key.isEmpty ? "is invisible" : nil)
            })
    }
}

// MARK: Lists and presentations

extension Article {
    /// The attributes that are only sent in lists where they are named.
    package static let omittedInLists = ["body", "bodyHTML", "commentCount"]

    /// The picture for a presentation.
    package var picture: PartialArticle.PartialHeroImage? {
        heroImage.map {
            PartialArticle.PartialHeroImage(url: $0.url, alternativeText: $0.alternativeText)
        }
    }
}

extension PartialArticle {
    package var picture: PartialHeroImage? { heroImage }
}

extension FieldSelection {
    /// The attributes that articles in lists have, and these.
    ///
    /// Bodies and numbers of comments are only sent where they are named. A response to a request
    /// with these fields is complete: it is decoded as an `Article`.
    ///
    /// `FetchChangesRequest(fields: .articles(including: .body, .bodyHTML))`
    public static func articles(including names: Name...) -> FieldSelection {
        articles(including: names)
    }

    static func articles(including names: [Name]) -> FieldSelection {
        FieldSelection(listedArticle + names.map(\.rawValue))
    }

    private static let listedArticle = Article.shape.properties.map(\.name).filter {
        !Article.omittedInLists.contains($0)
    }
}
