public import BroadsheetHTTP

/// `GET /v1/articles`: a page of articles that the caller can see.
///
/// Articles that the caller cannot see are neither listed nor counted.
///
/// ```swift
/// let request = FetchArticlesRequest(tags: ["baking"], sort: .updatedLast)
/// let titles = try await backend.send(request).items.map(\.title)
/// ```
public struct FetchArticlesRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles", name: "listArticles",
        summary: "Lists articles", access: .everyone)
    public typealias Item = Page<Article>
    public typealias Partial = Page<PartialArticle>

    public static let parameters = Parameters(
        Self.init,
        .query("limit", \.limit, .integer(ArticleLimits.page)),
        .query("cursor", \.cursor, .cursor),
        .queryList("tag", \.tags, .line(ArticleLimits.tag), limit: ArticleLimits.tags),
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
    /// The mode in which the whole list is counted; `nil` to count nothing.
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

/// `GET /v1/articles/{id}`: one article, by its id or by a current or former slug.
///
/// An article that the caller cannot see is not found (404).
///
/// ```swift
/// let article = try await backend.send(FetchArticleRequest(key: .slug("bread")))
/// ```
public struct FetchArticleRequest: SparseRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/articles/{id}", name: "getArticle",
        summary: "Gets an article by its id or slug", access: .everyone)
    public typealias Item = Article
    public typealias Partial = PartialArticle

    public static let parameters = Parameters(
        Self.init, .path("id", \.key, .articleKey),
        .query("fields", \.fields, .fields(of: Article.format)))

    public var key: Article.Key
    /// `nil` for all attributes.
    public var fields: FieldSelection?

    public init(key: Article.Key, fields: FieldSelection? = nil) {
        self.key = key
        self.fields = fields
    }

    /// A request for an article with its body, and with attributes that are only sent where they
    /// are named: `FetchArticleRequest(key: .slug("bread"), including: .bodyHTML)`
    public init(key: Article.Key, including names: FieldSelection.Name...) {
        self.init(key: key, fields: .articles(including: [.body] + names))
    }
}

/// `POST /v1/articles`: creates an article; 201 with its URI in `Location`.
///
/// With a key, or an id in the draft, it can be repeated without creating a second article.
///
/// ```swift
/// let draft = Article.Draft(title: "Bread", body: "Flour and water.")
/// let request = CreateArticleRequest(article: draft, idempotencyKey: key)
/// let article = try await backend.send(request)
/// ```
public struct CreateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles", name: "createArticle",
        summary: "Creates an article", access: .writeArticles, success: .created,
        problems: [.idTaken, .slugTaken])
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .body(\.article),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var article: Article.Draft
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(article: Article.Draft, idempotencyKey: String? = nil) {
        self.article = article
        self.idempotencyKey = idempotencyKey
    }
}

/// `PUT /v1/articles/{id}`: replaces an article.
///
/// Nothing is replaced if someone has changed the article since (412).
///
/// ```swift
/// var content = article.draft
/// content.title = "Rye bread"
/// let saved = try await backend.send(
///     ReplaceArticleRequest(id: article.id, expected: seen, article: .init(content: content)))
/// ```
public struct ReplaceArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .put, "/v1/articles/{id}", name: "replaceArticle",
        summary: "Replaces an article", access: .writeArticles,
        problems: [.slugTaken, .preconditionRequired])
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .body(\.article), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to replace; the backend requires it (428).
    public var expected: IfMatch?
    public var article: Article.Replacement
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, expected: IfMatch?, article: Article.Replacement,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.article = article
        self.idempotencyKey = idempotencyKey
    }
}

/// `PATCH /v1/articles/{id}`: changes an article by a merge patch (RFC 7396).
///
/// Attributes that the patch does not contain remain as they are.
///
/// ```swift
/// let changes = Article.Changes(title: .set("Rye bread"))
/// let saved = try await backend.send(UpdateArticleRequest(article, changes: changes))
/// ```
public struct UpdateArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .patch, "/v1/articles/{id}", name: "updateArticle",
        summary: "Changes some attributes of an article", access: .writeArticles,
        problems: [.slugTaken])
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .mergePatch(\.changes), .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to change; `nil` for any.
    public var expected: IfMatch?
    public var changes: Article.Changes
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, expected: IfMatch? = nil, changes: Article.Changes,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.expected = expected
        self.changes = changes
        self.idempotencyKey = idempotencyKey
    }

    /// Changes an article that was fetched, alone or in a list, unless someone has changed it since
    /// (412): `UpdateArticleRequest(article, changes: .init(from: article, to: edited))`
    public init(
        _ article: Article, changes: Article.Changes, idempotencyKey: String? = nil
    ) {
        self.init(
            id: article.id, expected: article.version.flatMap { IfMatch(version: $0) },
            changes: changes, idempotencyKey: idempotencyKey)
    }
}

/// `DELETE /v1/articles/{id}`: deletes an article; editors can still restore it.
///
/// Its slug stays reserved.
///
/// ```swift
/// try await backend.send(DeleteArticleRequest(id: article.id, expected: seen))
/// ```
public struct DeleteArticleRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .delete, "/v1/articles/{id}", name: "deleteArticle",
        summary: "Deletes an article", access: .writeArticles, success: .noContent)
    public typealias Item = NoContent

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()), .header("If-Match", \.expected, .ifMatch),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The version to delete; `nil` for any.
    public var expected: IfMatch?
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(id: Article.ID, expected: IfMatch? = nil, idempotencyKey: String? = nil) {
        self.id = id
        self.expected = expected
        self.idempotencyKey = idempotencyKey
    }
}

/// `POST /v1/articles/{id}/revisions/{number}/restore`: restores an article as of a revision. This
/// makes a new revision, and also restores a deleted article.
///
/// ```swift
/// let restored = try await backend.send(RestoreRevisionRequest(id: id, number: 1))
/// ```
public struct RestoreRevisionRequest: IdempotentWriteRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/articles/{id}/revisions/{number}/restore", name: "restoreRevision",
        summary: "Makes a revision of an article the current one again", access: .writeArticles,
        problems: [.slugTaken])
    public typealias Item = Article

    public static let parameters = Parameters(
        Self.init, .path("id", \.id, .identifier()),
        .path("number", \.number, .integer(1...Int.max)),
        .header("If-Match", \.expected, .ifMatch),
        .header("Idempotency-Key", \.idempotencyKey, .idempotencyKey))

    public var id: Article.ID
    /// The revision to go back to, 1 or more.
    public var number: Int
    /// The version to replace; `nil` for any.
    public var expected: IfMatch?
    /// Identifies this write: if it is sent again with the same key, it is not carried out twice.
    public var idempotencyKey: String?

    public init(
        id: Article.ID, number: Int, expected: IfMatch? = nil, idempotencyKey: String? = nil
    ) {
        self.id = id
        self.number = number
        self.expected = expected
        self.idempotencyKey = idempotencyKey
    }
}
