/// The selected attributes of an article; all except the id may be absent.
public struct PartialArticle: Sendable, Hashable, Identifiable {
    public var id: Article.ID
    public var slug: String?
    public var title: String?
    public var summary: String?
    public var body: String?
    public var bodyHTML: String?
    public var language: String?
    public var authors: [PartialAuthor]?
    public var tags: [PartialTag]?
    public var heroImage: PartialHeroImage?
    public var status: Article.Status?
    public var publishedAt: Timestamp?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    public var revision: Int?
    public var version: String?
    public var source: PartialSource?
    public var wordCount: Int?
    public var readingMinutes: Int?

    /// The selected attributes of an author in the by-line.
    public struct PartialAuthor: Sendable, Hashable {
        public var id: Author.ID?
        public var name: String?
    }

    /// The selected attributes of a tag.
    public struct PartialTag: Sendable, Hashable {
        public var key: String?
        public var name: String?
    }

    /// The selected attributes of a picture.
    public struct PartialHeroImage: Sendable, Hashable {
        public var url: String?
        public var alternativeText: String?
    }

    /// The selected attributes of a source.
    public struct PartialSource: Sendable, Hashable {
        public var name: String?
        public var url: String?
    }
}

extension PartialArticle: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .optional("title", \.title, .text(.line(ArticleLimits.title))),
        .optional("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("language", \.language, .text(.language)),
        .optional(
            "authors", \.authors, .array(of: PartialAuthor.format, atMost: ArticleLimits.authors)),
        .optional("tags", \.tags, .array(of: PartialTag.format, atMost: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, PartialHeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, PartialSource.format),
        .optional("wordCount", \.wordCount, .integer(0...Int.max)),
        .optional("readingMinutes", \.readingMinutes, .integer(0...Int.max)))
}

extension PartialArticle.PartialAuthor: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .optional("name", \.name, .text(.line(ArticleLimits.authorName))))
}

extension PartialArticle.PartialTag: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("key", \.key, .text(.line(ArticleLimits.tag))),
        .optional("name", \.name, .text(.line(ArticleLimits.tag))))
}

extension PartialArticle.PartialHeroImage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension PartialArticle.PartialSource: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}
