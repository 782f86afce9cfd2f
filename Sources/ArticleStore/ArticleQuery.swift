public import ArticleAPI

/// Who a reader is, and when: decides what is there at all.
public enum Audience: Sendable, Hashable {
    /// Sees what is published and whose `publishedAt` is not after this moment.
    case everyone(at: Timestamp)
    /// Sees everything that is not deleted.
    case editors
}

/// A question for a page of articles.
public struct ArticleQuery: Sendable, Hashable {
    public var audience: Audience
    /// Decides whether `published` means public or `scheduled` in the `status` filter.
    public var now: Timestamp
    /// Tag keys: an article must have all of them.
    public var tags: [String] = []
    public var author: Author.ID?
    public var language: String?
    /// `scheduled`: published with a `publishedAt` after `now`; `published`: not after it.
    public var status: Article.Status?
    /// Compared with the source's name.
    public var source: String?
    /// Exclusive.
    public var publishedAfter: Timestamp?
    /// Exclusive.
    public var publishedBefore: Timestamp?
    public var sort: ArticleSort = .newestFirst
    /// Where the last page ended.
    public var after: ArticlePosition?
    /// 1 to 100.
    public var limit: Int = 20
    /// Whether bodies are wanted.
    public var withBodies: Bool = false
    /// Whether the articles on all pages are counted.
    public var counts: Bool = false

    public init(audience: Audience, now: Timestamp) {
        self.audience = audience
        self.now = now
    }
}

extension ArticleQuery {
    /// Whether only what was published within some time is asked for.
    package var isBounded: Bool { publishedAfter != nil || publishedBefore != nil }
}

/// A place in a sorted list: the sort key and the id of an article.
public struct ArticlePosition: Sendable, Hashable {
    /// Milliseconds since 1970: the sort key.
    public var key: Int64
    public var id: Article.ID

    /// Where an article stands in an order.
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

/// A bounded piece of a list.
public struct Slice<Item: Sendable, Position: Sendable>: Sendable {
    public var items: [Item]
    /// Where to go on; `nil` at the end. A slice may be short, even empty, and still have one: the
    /// bounds on bytes or on examined rows were reached.
    public var next: Position?
    /// How many there are on all pages, where that was asked for.
    public var count: PageCount?

    public init(items: [Item], next: Position?, count: PageCount? = nil) {
        self.items = items
        self.next = next
        self.count = count
    }
}

public typealias ArticleSlice = Slice<Article, ArticlePosition>
