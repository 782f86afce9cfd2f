public import ArticleAPI

/// The articles of a list of remembered ones: the filters of a backend's list, as a value.
///
/// ```swift
/// let query = ArticleQuery(tags: ["baking"], language: "en")
/// let sort = ArticleSort.updatedLast
/// let shown = articles.filter(query.matches).sorted(by: sort.areInIncreasingOrder)
/// ```
public struct ArticleQuery: Sendable, Hashable {
    /// The keys of tags: an article must have all of them.
    public private(set) var tags: [String]
    public var author: Author.ID?
    /// Compared as a whole.
    public private(set) var language: String?
    public var status: Article.Status?
    /// The name of a source.
    public var source: String?
    /// Exclusive. Articles that were never published are in no range of times.
    public var publishedAfter: Timestamp?
    /// Exclusive.
    public var publishedBefore: Timestamp?

    /// All articles, or those that match each of the filters.
    ///
    /// - Parameters:
    ///   - tags: names or keys.
    ///   - author: in the by-line.
    ///   - language: a BCP 47 tag.
    ///   - status: one of the four.
    ///   - source: the name of a source.
    ///   - publishedAfter: exclusive.
    ///   - publishedBefore: exclusive.
    public init(
        tags: [String] = [], author: Author.ID? = nil, language: String? = nil,
        status: Article.Status? = nil, source: String? = nil, publishedAfter: Timestamp? = nil,
        publishedBefore: Timestamp? = nil
    ) {
        self.tags = tags.map { ArticleTag(named: $0).key }
        self.author = author
        self.language = language.map { LanguageTag($0)?.text ?? $0 }
        self.status = status
        self.source = source
        self.publishedAfter = publishedAfter
        self.publishedBefore = publishedBefore
    }

    /// The filters of the request for a list.
    public init(_ request: FetchArticlesRequest) {
        self.init(
            tags: request.tags, author: request.author, language: request.language,
            status: request.status, source: request.source,
            publishedAfter: request.publishedAfter, publishedBefore: request.publishedBefore)
    }

    /// The filters of the request for changes.
    public init(_ request: FetchChangesRequest) {
        self.init(
            tags: request.tags, author: request.author, language: request.language,
            status: request.status, source: request.source,
            publishedAfter: request.publishedAfter, publishedBefore: request.publishedBefore)
    }

    /// The filters of a search, which only finds published articles.
    public init(_ request: SearchArticlesRequest) {
        self.init(
            tags: request.tags, author: request.author, language: request.language,
            status: .published, source: request.source,
            publishedAfter: request.publishedAfter, publishedBefore: request.publishedBefore)
    }

    /// True if every article matches.
    public var matchesEverything: Bool { self == ArticleQuery() }

    /// Returns true if the article is in the list.
    public func matches(_ article: Article) -> Bool {
        if let author, !article.authors.contains(where: { $0.id == author }) { return false }
        if let language, article.language != language { return false }
        if let status, article.status != status { return false }
        if let source, article.source?.name != source { return false }
        if publishedAfter != nil || publishedBefore != nil {
            guard let time = article.publishedAt else { return false }
            if let publishedAfter, time <= publishedAfter { return false }
            if let publishedBefore, time >= publishedBefore { return false }
        }
        return tags.allSatisfy { key in article.tags.contains { $0.key == key } }
    }
}

extension ArticleSort {
    /// Returns true if the first article comes before the second one, as in a backend's list.
    public func areInIncreasingOrder(_ one: Article, _ other: Article) -> Bool {
        let keys = (key(of: one), key(of: other))
        guard keys.0 == keys.1 else { return isDescending ? keys.0 > keys.1 : keys.0 < keys.1 }
        return isDescending ? one.id > other.id : one.id < other.id
    }

    /// True if the latest time comes first.
    package var isDescending: Bool {
        switch self {
        case .newestFirst, .createdLast, .updatedLast: true
        case .oldestFirst, .createdFirst, .updatedFirst: false
        }
    }

    /// The time by which an article is sorted.
    package func key(of article: Article) -> Timestamp {
        switch self {
        case .newestFirst, .oldestFirst: article.publishedAt ?? article.createdAt
        case .createdLast, .createdFirst: article.createdAt
        case .updatedLast, .updatedFirst: article.updatedAt
        }
    }
}
