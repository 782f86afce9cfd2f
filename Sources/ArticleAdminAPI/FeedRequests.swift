public import ArticleAPI
import BroadsheetHTTP

/// A selection of public articles for a feed, newest first, and the page of them.
///
/// The filters are those of `FetchArticlesRequest`.
///
/// ```swift
/// let query = FeedQuery(tags: ["baking"], limit: 50)
/// ```
public struct FeedQuery: Sendable, Hashable {
    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// From the address of the next page, in the previous one.
    public var cursor: String?
    /// Names or keys: an article must have all of them.
    public var tags: [String]
    public var author: Author.ID?
    /// A BCP 47 tag, compared as a whole.
    public var language: String?
    /// The name of a source.
    public var source: String?
    /// Exclusive.
    public var publishedAfter: Timestamp?
    /// Exclusive.
    public var publishedBefore: Timestamp?

    public init(
        tags: [String] = [], author: Author.ID? = nil, language: String? = nil,
        source: String? = nil, publishedAfter: Timestamp? = nil, publishedBefore: Timestamp? = nil,
        limit: Int? = nil, cursor: String? = nil
    ) {
        self.limit = limit
        self.cursor = cursor
        self.tags = tags
        self.author = author
        self.language = language
        self.source = source
        self.publishedAfter = publishedAfter
        self.publishedBefore = publishedBefore
    }

    static let parameters = Parameters(
        { limit, cursor, tags, author, language, source, publishedAfter, publishedBefore in
            FeedQuery(
                tags: tags, author: author, language: language, source: source,
                publishedAfter: publishedAfter, publishedBefore: publishedBefore, limit: limit,
                cursor: cursor)
        },
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor),
        .queryList("tag", \.tags, .line(ArticleLimits.tag), limit: ArticleLimits.tags),
        .query("author", \.author, .identifier()),
        .query("language", \.language, .language),
        .query("source", \.source, .line(ArticleLimits.sourceName)),
        .query("publishedAfter", \.publishedAfter, .timestamp),
        .query("publishedBefore", \.publishedBefore, .timestamp))
}

/// A request for a feed. See ``FetchAtomFeedRequest``.
public protocol FeedRequest: BackendAPIRequest where Item: FeedDocument {
    var query: FeedQuery { get set }

    init(_ query: FeedQuery)
}

extension FeedRequest {
    static var feedParameters: Parameters<Self> {
        FeedQuery.parameters.mapped({ Self($0) }, { $0.query })
    }
}

/// A feed as it is sent. See ``FetchAtomFeedRequest``.
public protocol FeedDocument: ResponseItem, Hashable {
    static var mediaType: String { get }

    var bytes: [UInt8] { get }

    init(_ bytes: [UInt8])
}

extension FeedDocument {
    public static var encoding: ResponseEncoding<Self> {
        .bytes(mediaType, { $0.bytes }, { Self($0) })
    }
}

/// `GET /feeds/articles.atom`: the newest public articles as an Atom feed (RFC 4287) in pages (RFC
/// 5005).
///
/// Everybody gets the same.
///
/// ```swift
/// let feed = try await backend.send(FetchAtomFeedRequest(query)).bytes
/// ```
public struct FetchAtomFeedRequest: FeedRequest {
    public static let endpoint = Endpoint(
        .get, "/feeds/articles.atom", name: "getAtomFeed",
        summary: "Gets the newest articles as an Atom feed", access: .everyone)

    public struct Item: FeedDocument {
        public static let mediaType = "application/atom+xml; charset=utf-8"

        public let bytes: [UInt8]

        public init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    public static let parameters = feedParameters

    public var query: FeedQuery

    public init(_ query: FeedQuery = FeedQuery()) { self.query = query }
}

/// `GET /feeds/articles.rss`: the newest public articles as RSS 2.0. See ``FetchAtomFeedRequest``.
public struct FetchRSSFeedRequest: FeedRequest {
    public static let endpoint = Endpoint(
        .get, "/feeds/articles.rss", name: "getRSSFeed",
        summary: "Gets the newest articles as an RSS feed", access: .everyone)

    public struct Item: FeedDocument {
        public static let mediaType = "application/rss+xml; charset=utf-8"

        public let bytes: [UInt8]

        public init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    public static let parameters = feedParameters

    public var query: FeedQuery

    public init(_ query: FeedQuery = FeedQuery()) { self.query = query }
}

/// `GET /feeds/articles.json`: the newest public articles as a JSON Feed 1.1. See
/// ``FetchAtomFeedRequest``.
public struct FetchJSONFeedRequest: FeedRequest {
    public static let endpoint = Endpoint(
        .get, "/feeds/articles.json", name: "getJSONFeed",
        summary: "Gets the newest articles as a JSON Feed", access: .everyone)

    public struct Item: FeedDocument {
        public static let mediaType = "application/feed+json"

        public let bytes: [UInt8]

        public init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    public static let parameters = feedParameters

    public var query: FeedQuery

    public init(_ query: FeedQuery = FeedQuery()) { self.query = query }
}
