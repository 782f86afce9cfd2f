import BroadsheetHTTP

/// `GET /v1/search`: the published articles in which the words of a query occur, the best first.
///
/// Any text is a query: all of its words have to occur, the last one may be the beginning of a
/// word, quotation marks enclose phrases, and `-word` excludes. If nothing is found, the nearest
/// words that occur are tried, and the page says so in `correctedTo`. Changes of the last second
/// may be missing.
///
/// ```swift
/// let page = try await backend.send(SearchArticlesRequest(query: "swift 구조체", limit: 10))
/// for hit in page.items {
///     lines.append(hit.title.map { $0.isMatch ? "*\($0.text)*" : $0.text }.joined())
/// }
/// ```
public struct SearchArticlesRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/search", name: "searchArticles",
        summary: "Searches published articles", access: .everyone)
    public typealias Item = SearchPage<Article>
    public typealias Partial = SearchPage<PartialArticle>

    public static let parameters = Parameters(
        Self.init,
        .requiredQuery("q", \.query, .searchQuery),
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor),
        .queryList("tag", \.tags, .line(ArticleLimits.tag), limit: ArticleLimits.tags),
        .query("author", \.author, .identifier()),
        .query("language", \.language, .language),
        .query("source", \.source, .line(ArticleLimits.sourceName)),
        .query("publishedAfter", \.publishedAfter, .timestamp),
        .query("publishedBefore", \.publishedBefore, .timestamp),
        .query("fields", \.fields, .fields(of: Article.format)))

    /// The text of the query: 1 to 200 characters in Unicode NFC.
    public var query: String
    /// 1 to 100; `nil` for 20.
    public var limit: Int?
    /// The `next` of the previous page.
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
    /// The attributes of articles; `nil` for all except bodies.
    public var fields: FieldSelection?

    public init(
        query: String, limit: Int? = nil, cursor: String? = nil, tags: [String] = [],
        author: Author.ID? = nil, language: String? = nil, source: String? = nil,
        publishedAfter: Timestamp? = nil, publishedBefore: Timestamp? = nil,
        fields: FieldSelection? = nil
    ) {
        self.query = query
        self.limit = limit
        self.cursor = cursor
        self.tags = tags
        self.author = author
        self.language = language
        self.source = source
        self.publishedAfter = publishedAfter
        self.publishedBefore = publishedBefore
        self.fields = fields
    }
}

extension TextCodec where Value == String {
    /// Anything that a person types or pastes, blanks and line breaks included.
    fileprivate static var searchQuery: TextCodec {
        let length = ArticleLimits.searchQuery
        return normalized(
            "text", TextSchema(.lines, length: length),
            fault: { text in
                let count = text.unicodeScalars.count
                if count < length.lowerBound { return "is empty" }
                if count > length.upperBound {
                    return "is longer than \(length.upperBound) characters"
                }
                return text.utf8.contains(0) ? "contains the character U+0000" : nil
            })
    }
}
