import HTTP

/// `GET /v1/articles`: a page of articles that the caller can see.
public struct FetchArticlesRequest: SparseRequest {
    public static let endpoint = Endpoint(.get, "/v1/articles", access: .everyone)
    public typealias Item = Page<Article>
    public typealias Partial = Page<PartialArticle>

    public static let parameters = Parameters(
        Self.init,
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor),
        .queryList("tag", \.tags, .line(ArticleLimits.tag), atMost: ArticleLimits.tags),
        .query("author", \.author, .identifier()),
        .query("language", \.language, .language),
        .query("status", \.status, .status),
        .query("source", \.source, .line(ArticleLimits.sourceName)),
        .query("publishedAfter", \.publishedAfter, .timestamp),
        .query("publishedBefore", \.publishedBefore, .timestamp),
        .query("sort", \.sort, .choice),
        .query("count", \.count, .choice),
        .query("fields", \.fields, .fields(of: Article.format)))

    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
    public var cursor: String?
    /// Names or keys: an article must have all of them.
    public var tags: [String]
    public var author: Author.ID?
    /// A BCP 47 tag, compared as a whole.
    public var language: String?
    public var status: Article.Status?
    /// The name of a source.
    public var source: String?
    /// Exclusive.
    public var publishedAfter: Timestamp?
    /// Exclusive.
    public var publishedBefore: Timestamp?
    /// `nil` for newest first.
    public var sort: ArticleSort?
    /// Whether to count the whole list; `nil` if not.
    public var count: PageCount.Mode?
    /// `nil` for all attributes except bodies.
    public var fields: FieldSelection?

    public init(
        limit: Int? = nil, cursor: String? = nil, tags: [String] = [], author: Author.ID? = nil,
        language: String? = nil, status: Article.Status? = nil, source: String? = nil,
        publishedAfter: Timestamp? = nil, publishedBefore: Timestamp? = nil,
        sort: ArticleSort? = nil, count: PageCount.Mode? = nil, fields: FieldSelection? = nil
    ) {
        self.limit = limit
        self.cursor = cursor
        self.tags = tags
        self.author = author
        self.language = language
        self.status = status
        self.source = source
        self.publishedAfter = publishedAfter
        self.publishedBefore = publishedBefore
        self.sort = sort
        self.count = count
        self.fields = fields
    }

    /// The newest articles with this tag.
    public init(tag: String, limit: Int? = nil) {
        self.init(limit: limit, tags: [tag])
    }
}
