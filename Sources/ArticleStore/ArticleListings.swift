public import ArticleAPI

/// Lists articles.
///
/// A page costs the same wherever it is in the list. Safe to use from any thread.
///
/// ```swift
/// var query = ArticleQuery(audience: .editors)
/// query.limit = 2
/// repeat {
///     let slice = try await store.articles(query)
///     titles += slice.items.map(\.title)
///     query.after = slice.next
/// } while query.after != nil
/// ```
public protocol ArticleListings: Sendable {
    /// One page of articles in the query's order, limited in items, bytes and examined rows.
    func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice

    /// The number of articles, without tombstones.
    func articleCount() async throws(StoreError) -> Int
}

/// Lists the tags of articles.
///
/// The numbers of articles only count those that the audience may see. Safe to use from any thread.
///
/// ```swift
/// let slice = try await store.tags(after: nil, limit: 100, visibleTo: .everyone)
/// let names = slice.items.map(\.tag.name)
/// ```
public protocol TagRepository: Sendable {
    /// Tags in the order of their keys, with the number of articles visible to the audience, never
    /// zero.
    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<ArticleTag.Usage, String>
}

/// The audience of a read, which decides the visible content. See ``ArticleQuery``.
public enum Audience: Sendable, Hashable {
    /// Sees articles with the status `published`.
    case everyone
    /// A user with the role `author`: sees articles with the status `published`, and those that
    /// the user owns, unless they are deleted.
    case author(UserRecord.ID)
    /// Sees everything that is not deleted.
    case editors
}

/// A query for a page of articles: its audience, filter and order, and where the page begins.
///
/// Without a filter, it selects everything that the audience may see.
///
/// ```swift
/// var query = ArticleQuery(audience: .everyone)
/// query.filter.tags = [ArticleTag(named: "Baking").key]
/// query.sort = .updatedLast
/// let slice = try await store.articles(query)
/// ```
public struct ArticleQuery: Sendable, Hashable {
    public var audience: Audience
    public var filter = ArticleFilter()
    public var sort: ArticleSort = .newestFirst
    /// The end of the previous page.
    public var after: ArticlePosition?
    /// 1 to 100.
    public var limit: Int = 20
    /// True to include bodies.
    public var withBodies: Bool = false
    /// True to count the articles on all pages.
    public var counts: Bool = false

    public init(audience: Audience) { self.audience = audience }
}

/// The articles of a list or a copy; all if nothing is set. See ``ArticleQuery`` and
/// ``ChangeQuery``.
public struct ArticleFilter: Sendable, Hashable {
    /// Tag keys: an article must have all of them.
    public var tags: [String] = []
    public var author: Author.ID?
    public var language: String?
    public var status: Article.Status?
    /// Compared with the source's name.
    public var source: String?
    /// Exclusive.
    public var publishedAfter: Timestamp?
    /// Exclusive.
    public var publishedBefore: Timestamp?

    public init() {}

    /// True if it is limited to a range of publication times.
    package var isBounded: Bool { publishedAfter != nil || publishedBefore != nil }
}

/// A position in a sorted list: the sort key and the id of an article.
///
/// It remains valid if the article is deleted: the next page begins after where it was.
///
/// ```swift
/// query.after = slice.items.last.map { ArticlePosition(of: $0, in: query.sort) }
/// ```
public struct ArticlePosition: Sendable, Hashable {
    /// Milliseconds since 1970: the sort key.
    public var key: Int64
    public var id: Article.ID

    /// The position of an article in an order.
    public init(of article: Article, in sort: ArticleSort) {
        let time =
            switch sort {
            case .newestFirst, .oldestFirst: article.publishedAt ?? article.createdAt
            case .createdLast, .createdFirst: article.createdAt
            case .updatedLast, .updatedFirst: article.updatedAt
            }
        self.init(key: time.milliseconds, id: article.id)
    }

    public init(key: Int64, id: Article.ID) {
        self.key = key
        self.id = id
    }
}

/// A bounded part of a list, and where the next one begins. See ``ArticleListings``.
public struct Slice<Item: Sendable, Position: Sendable>: Sendable {
    public var items: [Item]
    /// The position to continue from; `nil` at the end. A slice may be short or even empty and
    /// still have one if a limit on bytes or examined rows was reached.
    public var next: Position?
    /// The number of items on all pages, if it was requested.
    public var count: PageCount?

    public init(items: [Item], next: Position?, count: PageCount? = nil) {
        self.items = items
        self.next = next
        self.count = count
    }
}

public typealias ArticleSlice = Slice<Article, ArticlePosition>
