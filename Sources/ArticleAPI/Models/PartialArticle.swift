/// What a reader asked to know of an article; everything but the id may be left out.
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

    /// An author of a by-line, as far as it was asked for.
    public struct PartialAuthor: Sendable, Hashable {
        public var id: Author.ID?
        public var name: String?
    }

    /// A tag, as far as it was asked for.
    public struct PartialTag: Sendable, Hashable {
        public var key: String?
        public var name: String?
    }

    /// A picture, as far as it was asked for.
    public struct PartialHeroImage: Sendable, Hashable {
        public var url: String?
        public var alternativeText: String?
    }

    /// A source, as far as it was asked for.
    public struct PartialSource: Sendable, Hashable {
        public var name: String?
        public var url: String?
    }
}
