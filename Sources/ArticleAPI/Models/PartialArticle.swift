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
