/// An article as the backend stores and serves it. It is a value: every edit makes a new one.
///
/// Use it anywhere. One that was decoded has all required attributes, but its texts may be longer
/// than the limits here, if the backend is a newer one.
///
/// ```swift
/// var edited = article
/// edited.title = "Rye bread"
/// let changes = Article.Changes(from: article, to: edited)
/// ```
public struct Article: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Article>

    public var id: ID
    /// The name in URLs: unique, at most 100 characters, and never in the form of an id.
    public var slug: String
    /// 1 to 300 characters.
    public var title: String
    /// At most 2,000 characters; empty if the author gave none.
    public var summary: String
    /// Markdown, at most 2 MiB of UTF-8; `nil` if a list omitted it.
    public var body: String?
    /// The body as HTML without scripts, at most 8 MiB of UTF-8; `nil` if it was not requested.
    public var bodyHTML: String?
    /// A BCP 47 language tag.
    public var language: String
    /// At most 20, in the order of the by-line.
    public var authors: [Author.Reference]
    /// At most 50, in the editor's order.
    public var tags: [ArticleTag]
    public var heroImage: HeroImage?
    public var status: Status
    /// The time at which it became, or will become, public.
    public var publishedAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new article; incremented by each edit, deletion and restoration.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `7-x1y2z3`. Read-only;
    /// `nil` in an article that was not served by a backend.
    public var version: String?
    /// The place of its first publication, if not here.
    public var source: Source?
    public var wordCount: Int
    public var readingMinutes: Int
    /// The policy for readers' comments; `nil` for the backend's default.
    public var comments: CommentPolicy?
    /// The number of visible comments; `nil` if it was not requested.
    public var commentCount: Int?
    /// The user who may edit it besides editors. Only this user and editors see it.
    public var owner: User.ID?

    @inlinable
    public init(
        id: ID, slug: String, title: String, summary: String = "", body: String?,
        bodyHTML: String? = nil, language: String, authors: [Author.Reference] = [],
        tags: [ArticleTag] = [],
        heroImage: HeroImage? = nil, status: Status, publishedAt: Timestamp? = nil,
        createdAt: Timestamp, updatedAt: Timestamp, revision: Int = 1,
        version: String? = nil, source: Source? = nil, wordCount: Int, readingMinutes: Int,
        comments: CommentPolicy? = nil, commentCount: Int? = nil,
        owner: User.ID? = nil
    ) {
        self.id = id
        self.slug = slug
        self.title = title
        self.summary = summary
        self.body = body
        self.bodyHTML = bodyHTML
        self.language = language
        self.authors = authors
        self.tags = tags
        self.heroImage = heroImage
        self.status = status
        self.publishedAt = publishedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
        self.source = source
        self.wordCount = wordCount
        self.readingMinutes = readingMinutes
        self.comments = comments
        self.commentCount = commentCount
        self.owner = owner
    }

    /// The identifier of an article in a path: its id, or a current or former slug.
    public enum Key: Sendable, Hashable {
        case id(ID)
        case slug(String)
    }
}

/// The order of a list of articles; ties are broken by id, in the same direction. See
/// ``FetchArticlesRequest``.
public enum ArticleSort: String, Sendable, Hashable, CaseIterable {
    /// Newest publication first; unpublished articles are sorted by their creation.
    case newestFirst = "-publishedAt"
    case oldestFirst = "publishedAt"
    case createdLast = "-createdAt"
    case createdFirst = "createdAt"
    case updatedLast = "-updatedAt"
    case updatedFirst = "updatedAt"
}

extension Article: JSONModel {
    /// An article as it is served. Attributes without a value are left out.
    public static let shape = ObjectCodec(
        named: "Article", Self.init,
        .required("id", \.id, .identifier()),
        .required("slug", \.slug, .text(.servedSlug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))),
        .required("language", \.language, .text(.language)),
        .required(
            "authors", \.authors, .array(of: Author.Reference.format, limit: ArticleLimits.authors)
        ),
        .required("tags", \.tags, .array(of: ArticleTag.format, limit: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, HeroImage.format),
        .required("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, Source.format),
        .required("wordCount", \.wordCount, .integer(0...Int.max)),
        .required("readingMinutes", \.readingMinutes, .integer(0...Int.max)),
        .optional("comments", \.comments, .text(.commentPolicy)),
        .optional("commentCount", \.commentCount, .integer(0...Int.max)),
        .optional("owner", \.owner, .identifier())
    ).writing { $0.writeAttributes(&$1, to: &$2) }
}

/// A handwritten encoder and decoder for articles: lists of them are the most frequent responses,
/// and the codec would take 1.6 times the instructions to write one and 2.8 times to read one
/// (docs/decisions/own-json.md). Tests compare them with the codec.
extension Article {
    public static let format: JSONCodec<Article> = {
        let format = JSONCodec.object(shape)
        return JSONCodec(
            schema: format.schema, read: format.read,
            scan: { shape.scan(&$0, Article.init(scanning:_:)) },
            write: { article, plan, writer in
                var attributes = AttributeWriter(plan)
                writer.object { article.writeAttributes(&attributes, to: &$0) }
            },
            check: format.check, fields: format.fields, plan: format.plan)
    }()

    /// Writes the attributes in the order of the codec.
    private func writeAttributes(
        _ attributes: inout AttributeWriter, to writer: inout JSONWriter
    ) {
        attributes.write("\"id\":", to: &writer) { $0.string { id.write(to: &$0) } }
        attributes.write("\"slug\":", to: &writer) { $0.string(slug) }
        attributes.write("\"title\":", to: &writer) { $0.string(title) }
        attributes.write("\"summary\":", to: &writer) { $0.string(summary) }
        attributes.write("\"body\":", body, to: &writer) { $0.string($1) }
        attributes.write("\"bodyHTML\":", bodyHTML, to: &writer) { $0.string($1) }
        attributes.write("\"language\":", to: &writer) { $0.string(language) }
        attributes.writeAll("\"authors\":", authors, to: &writer) {
            $0.writeAttributes($1, to: &$2)
        }
        attributes.writeAll("\"tags\":", tags, to: &writer) { $0.writeAttributes($1, to: &$2) }
        attributes.write("\"heroImage\":", heroImage, HeroImage.shape, to: &writer)
        attributes.write("\"status\":", to: &writer) { $0.string(status.name) }
        attributes.write("\"publishedAt\":", publishedAt, to: &writer) { writer, time in
            writer.string { time.write(to: &$0) }
        }
        attributes.write("\"createdAt\":", to: &writer) { $0.string { createdAt.write(to: &$0) } }
        attributes.write("\"updatedAt\":", to: &writer) { $0.string { updatedAt.write(to: &$0) } }
        attributes.write("\"revision\":", to: &writer) { $0.integer(revision) }
        attributes.write("\"version\":", version, to: &writer) { $0.string($1) }
        attributes.write("\"source\":", source, Source.shape, to: &writer)
        attributes.write("\"wordCount\":", to: &writer) { $0.integer(wordCount) }
        attributes.write("\"readingMinutes\":", to: &writer) { $0.integer(readingMinutes) }
        attributes.write("\"comments\":", comments, to: &writer) { $0.string($1.name) }
        attributes.write("\"commentCount\":", commentCount, to: &writer) { $0.integer($1) }
        attributes.write("\"owner\":", owner, to: &writer) { writer, id in
            writer.string { id.write(to: &$0) }
        }
    }

    /// Reads the attributes in the order of the codec.
    private init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(ReportedInvalidPart) {
        self.init(
            id: try members.required(&parser) { $0.scanIdentifier() },
            slug: try members.required(&parser) { $0.scanNormalizedText() },
            title: try members.required(&parser) { $0.scanNormalizedText() },
            summary: try members.required(&parser) { $0.scanNormalizedText() },
            body: try members.optional(&parser) { $0.scanNormalizedText() },
            bodyHTML: try members.optional(&parser) { $0.scanNormalizedText() },
            language: try members.required(&parser, Self.languageFormat.scan),
            authors: try members.required(&parser) {
                $0.scanItems {
                    Author.Reference.shape.scan(&$0, Author.Reference.init(scanning:_:))
                }
            },
            tags: try members.required(&parser) {
                $0.scanItems { ArticleTag.shape.scan(&$0, ArticleTag.init(scanning:_:)) }
            },
            heroImage: try members.optional(&parser) { HeroImage.shape.scan(&$0) },
            status: try members.required(&parser) { parser in
                parser.scanText().map { Status(name: $0.text) }
            },
            publishedAt: try members.optional(&parser) { $0.scanTimestamp() },
            createdAt: try members.required(&parser) { $0.scanTimestamp() },
            updatedAt: try members.required(&parser) { $0.scanTimestamp() },
            revision: try members.required(&parser) { $0.scanInteger() },
            version: try members.optional(&parser, Self.versionFormat.scan),
            source: try members.optional(&parser) { Source.shape.scan(&$0) },
            wordCount: try members.required(&parser) { $0.scanInteger() },
            readingMinutes: try members.required(&parser) { $0.scanInteger() },
            comments: try members.optional(&parser) { parser in
                parser.scanText().map { CommentPolicy(name: $0.text) }
            },
            commentCount: try members.optional(&parser) { $0.scanInteger() },
            owner: try members.optional(&parser) { $0.scanIdentifier() })
    }

    private static let languageFormat = JSONCodec.text(.language)
    private static let versionFormat = JSONCodec.text(.version)
}

extension Author.Reference {
    fileprivate init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(ReportedInvalidPart) {
        self.init(
            id: try members.required(&parser) { $0.scanIdentifier() },
            name: try members.required(&parser) { $0.scanNormalizedText() },
            revision: try members.optional(&parser) { $0.scanInteger() })
    }

    fileprivate func writeAttributes(_ plan: FieldPlan?, to writer: inout JSONWriter) {
        var attributes = AttributeWriter(plan)
        attributes.write("\"id\":", to: &writer) { $0.string { id.write(to: &$0) } }
        attributes.write("\"name\":", to: &writer) { $0.string(name) }
        attributes.write("\"revision\":", revision, to: &writer) { $0.integer($1) }
    }
}

extension ArticleTag {
    fileprivate init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(ReportedInvalidPart) {
        self.init(
            key: try members.required(&parser) { $0.scanNormalizedText() },
            name: try members.required(&parser) { $0.scanNormalizedText() })
    }

    fileprivate func writeAttributes(_ plan: FieldPlan?, to writer: inout JSONWriter) {
        var attributes = AttributeWriter(plan)
        attributes.write("\"key\":", to: &writer) { $0.string(key) }
        attributes.write("\"name\":", to: &writer) { $0.string(name) }
    }
}

extension Article {
    /// An estimate of the article's size in bytes.
    @inlinable package var textBytes: Int {
        let names = tags.reduce(0) { $0 + $1.name.utf8.count + $1.key.utf8.count }
        let byline = authors.reduce(0) { $0 + $1.name.utf8.count }
        return 1_000 + title.utf8.count + summary.utf8.count + (body?.utf8.count ?? 0)
            + (bodyHTML?.utf8.count ?? 0) + names + byline
            + (heroImage?.alternativeText?.utf8.count ?? 0) + (heroImage?.url.utf8.count ?? 0)
            + (source?.url?.utf8.count ?? 0) + 100 * authors.count
    }
}

/// The selected attributes of an article; all except the id may be absent. See ``PartialRequest``.
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
    public var comments: CommentPolicy?
    public var commentCount: Int?
    public var owner: User.ID?
}

extension PartialArticle: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialArticle", Self.init,
        .required("id", \.id, .identifier()),
        .optional("slug", \.slug, .text(.slug)),
        .optional("title", \.title, .text(.line(ArticleLimits.title))),
        .optional("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(limitBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("language", \.language, .text(.language)),
        .optional(
            "authors", \.authors, .array(of: PartialAuthor.format, limit: ArticleLimits.authors)),
        .optional("tags", \.tags, .array(of: PartialTag.format, limit: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, PartialHeroImage.format),
        .optional("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, PartialSource.format),
        .optional("wordCount", \.wordCount, .integer(0...Int.max)),
        .optional("readingMinutes", \.readingMinutes, .integer(0...Int.max)),
        .optional("comments", \.comments, .text(.commentPolicy)),
        .optional("commentCount", \.commentCount, .integer(0...Int.max)),
        .optional("owner", \.owner, .identifier()))
}

/// The attributes of the contract's models.
extension FieldSelection.Name {
    // Of articles.
    public static let id: Self = "id"
    public static let slug: Self = "slug"
    public static let title: Self = "title"
    public static let summary: Self = "summary"
    /// Markdown.
    public static let body: Self = "body"
    /// The body as HTML without scripts, also of comments.
    public static let bodyHTML: Self = "bodyHTML"
    public static let language: Self = "language"
    public static let authors: Self = "authors"
    public static let tags: Self = "tags"
    public static let heroImage: Self = "heroImage"
    public static let status: Self = "status"
    public static let publishedAt: Self = "publishedAt"
    public static let createdAt: Self = "createdAt"
    public static let updatedAt: Self = "updatedAt"
    public static let revision: Self = "revision"
    public static let version: Self = "version"
    public static let source: Self = "source"
    public static let wordCount: Self = "wordCount"
    public static let readingMinutes: Self = "readingMinutes"
    public static let comments: Self = "comments"
    public static let commentCount: Self = "commentCount"
    public static let owner: Self = "owner"

    // Of comments.
    public static let articleID: Self = "articleID"
    public static let parentID: Self = "parentID"
    public static let author: Self = "author"

    // Within authors, tags, pictures and sources.
    public static let name: Self = "name"
    public static let key: Self = "key"
    public static let url: Self = "url"
    public static let alternativeText: Self = "alternativeText"
    public static let displayName: Self = "displayName"

    /// An attribute inside authors.
    public static func authors(_ name: Self) -> Self { Self(inside: "authors", name) }
    /// An attribute inside tags.
    public static func tags(_ name: Self) -> Self { Self(inside: "tags", name) }
    /// An attribute inside the picture.
    public static func heroImage(_ name: Self) -> Self { Self(inside: "heroImage", name) }
    /// An attribute inside the source.
    public static func source(_ name: Self) -> Self { Self(inside: "source", name) }
    /// An attribute inside the author of a comment.
    public static func author(_ name: Self) -> Self { Self(inside: "author", name) }
}
