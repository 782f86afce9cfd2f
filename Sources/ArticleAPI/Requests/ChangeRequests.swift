import BroadsheetHTTP

/// `GET /v1/changes`: the changes since a token was given out, for a copy that follows the backend.
///
/// Without a token, it is the snapshot of the content that the caller sees, in pages. The filters
/// are those of lists: an article that no longer matches them comes as a deletion. A token only
/// continues the same filters, types and role, and with comments or bookmarks the same user;
/// `invalid-token` (400) and `sync-reset` (410) mean that the copy has to start again, without a
/// token.
///
/// ```swift
/// let page = try await backend.send(FetchChangesRequest(since: token, tags: ["baking"]))
/// let deleted = page.changes.filter { if case .deleteArticle = $0 { true } else { false } }
/// ```
public struct FetchChangesRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/changes", name: "listChanges",
        summary: "Lists what has changed since a token was given out", access: .everyone,
        problems: [.invalidToken, .userRequired, .notFound, .syncReset])
    public typealias Item = ChangePage<Article>
    public typealias Partial = ChangePage<PartialArticle>

    public static let parameters = Parameters(
        Self.init,
        .query("since", \.since, .requestedToken),
        .query("limit", \.limit, .integer(ArticleLimits.changePage)),
        .query("types", \.types, .kinds),
        .query("article", \.article, .identifier()),
        .queryList("tag", \.tags, .line(ArticleLimits.tag), limit: ArticleLimits.tags),
        .query("author", \.author, .identifier()),
        .query("language", \.language, .language),
        .query("status", \.status, .status),
        .query("source", \.source, .line(ArticleLimits.sourceName)),
        .query("publishedAfter", \.publishedAfter, .timestamp),
        .query("publishedBefore", \.publishedBefore, .timestamp),
        .query("fields", \.fields, .fields(of: Article.format)))

    /// The `next` of the previous page; `nil` for the snapshot, `now` for no changes but a token.
    public var since: String?
    /// 1 to 500; `nil` for 100.
    public var limit: Int?
    /// `nil` for articles and authors. Filters and fields concern articles only.
    public var types: Set<SyncKind>?
    /// The article whose comments are requested; `nil` if `types` does not name these.
    public var article: Article.ID?
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
    /// The attributes of articles; `nil` for all except bodies.
    public var fields: FieldSelection?

    /// The value of `since` for a token of the present state, without any changes.
    public static let now = "now"

    public init(
        since: String? = nil, limit: Int? = nil, types: Set<SyncKind>? = nil,
        article: Article.ID? = nil, tags: [String] = [], author: Author.ID? = nil,
        language: String? = nil, status: Article.Status? = nil, source: String? = nil,
        publishedAfter: Timestamp? = nil, publishedBefore: Timestamp? = nil,
        fields: FieldSelection? = nil
    ) {
        self.since = since
        self.limit = limit
        self.types = types
        self.article = article
        self.tags = tags
        self.author = author
        self.language = language
        self.status = status
        self.source = source
        self.publishedAfter = publishedAfter
        self.publishedBefore = publishedBefore
        self.fields = fields
    }
}

/// `GET /v1/changes/stream`: the changes since a token was given out, and then every change as it
/// happens, as server-sent events.
///
/// Each `change` event has a change as its data and a token as its id; `ready`, with `{}`, says
/// that the client has caught up. Tokens, filters and failures are those of
/// ``FetchChangesRequest``. `liveChanges(from:matching:)` of the backend follows a stream for as
/// long as it takes.
///
/// ```swift
/// let request = StreamChangesRequest(FetchChangesRequest(since: token, tags: ["baking"]))
/// for try await event in ServerSentEvents(try await backend.stream(request)) {
///     ids.append(event.id)
/// }
/// ```
public struct StreamChangesRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/changes/stream", name: "streamChanges",
        summary: "Sends changes as they happen, as server-sent events", access: .everyone,
        problems: [.invalidToken, .userRequired, .notFound, .syncReset], isStreamed: true)
    public typealias Item = EventStream

    public static let parameters = Parameters(
        Self.init,
        .query("since", \.changes.since, .requestedToken),
        .query("types", \.changes.types, .kinds),
        .query("article", \.changes.article, .identifier()),
        .queryList("tag", \.changes.tags, .line(ArticleLimits.tag), limit: ArticleLimits.tags),
        .query("author", \.changes.author, .identifier()),
        .query("language", \.changes.language, .language),
        .query("status", \.changes.status, .status),
        .query("source", \.changes.source, .line(ArticleLimits.sourceName)),
        .query("publishedAfter", \.changes.publishedAfter, .timestamp),
        .query("publishedBefore", \.changes.publishedBefore, .timestamp),
        .query("fields", \.changes.fields, .fields(of: Article.format)),
        .header("Last-Event-ID", \.lastEventID, .requestedToken))

    /// The changes to send; their number is not limited.
    public var changes: FetchChangesRequest {
        didSet { changes.limit = nil }
    }
    /// The id of the last event that the client has received, which takes precedence over `since`.
    public var lastEventID: String?

    /// - Parameters:
    ///   - changes: The changes to send; the limit is ignored.
    ///   - lastEventID: The id of the last event that the client has received.
    public init(
        _ changes: FetchChangesRequest = FetchChangesRequest(), lastEventID: String? = nil
    ) {
        self.changes = changes
        self.changes.limit = nil
        self.lastEventID = lastEventID
    }

    private init(
        since: String?, types: Set<SyncKind>?, article: Article.ID?, tags: [String],
        author: Author.ID?, language: String?, status: Article.Status?, source: String?,
        publishedAfter: Timestamp?, publishedBefore: Timestamp?, fields: FieldSelection?,
        lastEventID: String?
    ) {
        self.init(
            FetchChangesRequest(
                since: since, types: types, article: article, tags: tags, author: author,
                language: language, status: status, source: source,
                publishedAfter: publishedAfter, publishedBefore: publishedBefore, fields: fields),
            lastEventID: lastEventID)
    }
}

extension TextCodec where Value == String {
    /// Accepts any text, so that a backend rejects a malformed token like an invalid one.
    fileprivate static var requestedToken: TextCodec {
        let token = syncToken
        return TextCodec(token.expectation, token.schema, parse: { $0 }, print: token.print)
    }
}

extension TextCodec where Value == Set<SyncKind> {
    /// Types of changes, separated by commas.
    fileprivate static var kinds: TextCodec {
        let names = SyncKind.allCases.map(\.rawValue)
        return TextCodec(
            "one or more of \(names.joined(separator: ", ")), separated by commas",
            .text(TextSchema(.fieldNames(names), length: 1...100)),
            parse: { text in
                guard text.utf8.count <= 100 else { return nil }
                let parts = text.split(separator: ",", omittingEmptySubsequences: false)
                let kinds = parts.compactMap { SyncKind(rawValue: String($0)) }
                return kinds.count == parts.count ? Set(kinds) : nil
            },
            print: { kinds in kinds.map(\.rawValue).sorted().joined(separator: ",") },
            fault: { $0.isEmpty ? "does not name any type" : nil })
    }
}
