public import ArticleAPI

/// The heading of articles in a list that has sections by day, by tag or by author.
///
/// See ``Snapshot``. A section remains the same if a tag or an author is renamed.
public enum ArticleSection: Sendable, Hashable, Identifiable {
    case day(LocalDay)
    case tag(ArticleTag)
    case author(Author.Reference)
    /// The articles without tags, or without authors.
    case other

    public enum ID: Sendable, Hashable {
        case day(LocalDay)
        case tag(ArticleTag.ID)
        case author(Author.ID)
        case other
    }

    public var id: ID {
        switch self {
        case .day(let day): .day(day)
        case .tag(let tag): .tag(tag.id)
        case .author(let author): .author(author.id)
        case .other: .other
        }
    }
}

/// An article under one of several headings: one with three tags occurs three times.
///
/// ```swift
/// let byTag = Snapshot<ArticleSection, ArticleEntry>(byTag: [article])
/// let titles = byTag.groups.flatMap(\.items).map(\.article.title)
/// ```
public struct ArticleEntry: Sendable, Hashable, Identifiable {
    public struct ID: Sendable, Hashable {
        public let section: ArticleSection.ID
        public let article: Article.ID
    }

    public let id: ID
    public let article: Article

    public init(_ article: Article, in section: ArticleSection.ID) {
        id = ID(section: section, article: article.id)
        self.article = article
    }
}

extension Snapshot where Section == ArticleSection, Item == Article {
    /// Articles by the day on which they were or will be published; those without such a time by
    /// the day of their creation. The days are in the order in which they occur in the list.
    ///
    /// - Parameters:
    ///   - articles: in the order of the list.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east.
    public init(byDay articles: some Sequence<Article>, secondsFromGMT: (Timestamp) -> Int) {
        self.init(articles) { article in
            .day(LocalDay(article.publishedAt ?? article.createdAt, secondsFromGMT: secondsFromGMT))
        }
    }
}

extension Snapshot where Section == ArticleSection, Item == ArticleEntry {
    /// Articles by tag, each under all of its tags; those without tags are the last section. The
    /// tags are ordered by their keys, and the articles of each are in the order of the list.
    public init(byTag articles: some Sequence<Article>) {
        func precedes(_ left: ArticleSection, _ right: ArticleSection) -> Bool {
            guard case .tag(let left) = left, case .tag(let right) = right else { return false }
            return left.key < right.key
        }
        self.init(articles, by: precedes) { $0.tags.map(ArticleSection.tag) }
    }

    /// Articles by author, each under all of its authors; those without authors are the last
    /// section. The authors are ordered by name, then by id, and the articles of each are in the
    /// order of the list.
    public init(byAuthor articles: some Sequence<Article>) {
        func precedes(_ left: ArticleSection, _ right: ArticleSection) -> Bool {
            guard case .author(let left) = left, case .author(let right) = right else {
                return false
            }
            return (left.name, left.id) < (right.name, right.id)
        }
        self.init(articles, by: precedes) { $0.authors.map(ArticleSection.author) }
    }

    private init(
        _ articles: some Sequence<Article>,
        by precedes: (ArticleSection, ArticleSection) -> Bool,
        under sections: (Article) -> [ArticleSection]
    ) {
        var headings: [ArticleSection.ID: ArticleSection] = [:]
        var entries: [ArticleSection.ID: [ArticleEntry]] = [:]
        for article in articles {
            let found = sections(article)
            for section in found.isEmpty ? [.other] : found {
                // A renamed tag or author has the name that comes first in the list.
                headings[section.id] = headings[section.id] ?? section
                entries[section.id, default: []].append(ArticleEntry(article, in: section.id))
            }
        }
        let other = headings.removeValue(forKey: .other)
        let ordered = headings.values.sorted(by: precedes) + (other.map { [$0] } ?? [])
        self.init(ordered.map { Group(section: $0, items: entries[$0.id] ?? []) })
    }
}
