/// An article as the backend stores and serves it. It is a value: every edit makes a new one.
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
    public var tags: [Tag]
    public var heroImage: HeroImage?
    public var status: Status
    /// When it became, or will become, public.
    public var publishedAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new article; incremented by each edit, deletion and restoration.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `7-x1y2z3`. Read-only;
    /// `nil` in an article that was not served by a backend.
    public var version: String?
    /// Where it was first published, if not here.
    public var source: Source?
    public var wordCount: Int
    public var readingMinutes: Int

    public init(
        id: ID, slug: String, title: String, summary: String = "", body: String?,
        bodyHTML: String? = nil, language: String, authors: [Author.Reference] = [],
        tags: [Tag] = [],
        heroImage: HeroImage? = nil, status: Status, publishedAt: Timestamp? = nil,
        createdAt: Timestamp, updatedAt: Timestamp, revision: Int = 1,
        version: String? = nil, source: Source? = nil, wordCount: Int, readingMinutes: Int
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
    }

    /// The publication status of an article.
    ///
    /// `scheduled` is `published` with a `publishedAt` in the future. Both are the same stored
    /// state, so that nothing has to run at the time of publication.
    public enum Status: Sendable, Hashable {
        case draft, scheduled, published, archived
        /// A value of a newer server that this version does not know; servers reject it.
        case unknown(String)
    }

    /// The picture at the top of the article.
    public struct HeroImage: Sendable, Hashable {
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String
        /// What it shows, for readers who cannot see it; at most 500 characters.
        public var alternativeText: String?

        public init(url: String, alternativeText: String? = nil) {
            self.url = url
            self.alternativeText = alternativeText
        }
    }

    /// Where an article was first published.
    public struct Source: Sendable, Hashable {
        /// At most 200 characters; the `source` filter matches it.
        public var name: String
        /// An absolute http(s) URL of at most 2,000 bytes.
        public var url: String?

        public init(name: String, url: String? = nil) {
            self.name = name
            self.url = url
        }
    }

    /// How an article is identified in a path: by its id, or by a current or former slug.
    public enum Key: Sendable, Hashable {
        case id(ID)
        case slug(String)
    }
}

/// The order of a list of articles; ties are broken by id, in the same direction.
public enum ArticleSort: String, Sendable, Hashable, CaseIterable {
    /// Newest publication first; unpublished articles are sorted by their creation.
    case newestFirst = "-publishedAt"
    case oldestFirst = "publishedAt"
    case createdLast = "-createdAt"
    case createdFirst = "createdAt"
    case updatedLast = "-updatedAt"
    case updatedFirst = "updatedAt"
}

/// The limits on articles and their parts.
public enum ArticleLimits {
    /// Unicode scalars.
    public static let title = 1...300
    /// Unicode scalars.
    public static let summary = 0...2000
    /// Bytes of UTF-8.
    public static let bodyBytes = 2 * 1024 * 1024
    /// Bytes of UTF-8 of a body as HTML.
    public static let bodyHTMLBytes = 8 * 1024 * 1024
    public static let tags = 50
    /// Unicode scalars of one tag's name.
    public static let tag = 1...64
    public static let authors = 20
    /// Unicode scalars of an author's name.
    public static let authorName = 1...200
    /// Unicode scalars of an author's `about`.
    public static let about = 0...2000
    /// Unicode scalars of a source's name.
    public static let sourceName = 1...200
    /// Unicode scalars of a picture's alternative text.
    public static let alternativeText = 0...500
    /// Items of a page.
    public static let page = 1...100
    /// Bytes of a page as JSON; a single larger article is still served.
    public static let pageBytes = 4 * 1024 * 1024
    /// The number of items up to which a list is counted.
    public static let count = 10_000
}

extension Article: JSONModel {
    /// An article as it is served. What has no value is left out.
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("slug", \.slug, .text(.servedSlug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("summary", \.summary, .text(.lines(ArticleLimits.summary))),
        .optional("body", \.body, .text(.lines(maximumBytes: ArticleLimits.bodyBytes))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(maximumBytes: ArticleLimits.bodyHTMLBytes))),
        .required("language", \.language, .text(.language)),
        .required(
            "authors", \.authors, .array(of: Author.Reference.format, atMost: ArticleLimits.authors)
        ),
        .required("tags", \.tags, .array(of: Tag.format, atMost: ArticleLimits.tags)),
        .optional("heroImage", \.heroImage, HeroImage.format),
        .required("status", \.status, .text(.status)),
        .optional("publishedAt", \.publishedAt, .timestamp),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)),
        .optional("source", \.source, Source.format),
        .required("wordCount", \.wordCount, .integer(0...Int.max)),
        .required("readingMinutes", \.readingMinutes, .integer(0...Int.max)))
}

extension Article.HeroImage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("url", \.url, .text(.webAddress)),
        .optional(
            "alternativeText", \.alternativeText, .text(.lines(ArticleLimits.alternativeText))))
}

extension Article.Source: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("name", \.name, .text(.line(ArticleLimits.sourceName))),
        .optional("url", \.url, .text(.webAddress)))
}

extension Author.Reference: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))))
}

extension Tag: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("key", \.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.name, .text(.line(ArticleLimits.tag))))
}

/// A handwritten encoder and decoder for articles, which take about half the time of their codec:
/// lists of articles are the most frequent responses. Tests compare them with the codec.
extension Article {
    public static let format: JSONCodec<Article> = {
        let format = JSONCodec.object(shape)
        return JSONCodec(
            schema: format.schema, read: format.read,
            scan: { shape.scan(&$0, Article.init(scanning:_:)) },
            write: { article, plan, writer in
                writer.object { article.writeAttributes(plan, to: &$0) }
            },
            check: format.check, fields: format.fields, plan: format.plan)
    }()

    /// The numbers are the attributes' positions in the codec.
    private func writeAttributes(_ plan: FieldPlan?, to writer: inout JSONWriter) {
        writer.attribute("\"id\":", 0, plan) { $0.string { id.write(to: &$0) } }
        writer.attribute("\"slug\":", 1, plan) { $0.string(slug) }
        writer.attribute("\"title\":", 2, plan) { $0.string(title) }
        writer.attribute("\"summary\":", 3, plan) { $0.string(summary) }
        if let body { writer.attribute("\"body\":", 4, plan) { $0.string(body) } }
        if let bodyHTML { writer.attribute("\"bodyHTML\":", 5, plan) { $0.string(bodyHTML) } }
        writer.attribute("\"language\":", 6, plan) { $0.string(language) }
        writer.attribute("\"authors\":", 7, plan) { writer in
            let plan = plan?.inside(7)
            writer.array { writer in
                for author in authors {
                    writer.element()
                    writer.object { author.writeAttributes(plan, to: &$0) }
                }
            }
        }
        writer.attribute("\"tags\":", 8, plan) { writer in
            let plan = plan?.inside(8)
            writer.array { writer in
                for tag in tags {
                    writer.element()
                    writer.object { tag.writeAttributes(plan, to: &$0) }
                }
            }
        }
        if let heroImage {
            writer.attribute("\"heroImage\":", 9, plan) {
                HeroImage.shape.write(heroImage, plan?.inside(9), to: &$0)
            }
        }
        writer.attribute("\"status\":", 10, plan) { $0.string(status.name) }
        if let publishedAt {
            writer.attribute("\"publishedAt\":", 11, plan) {
                $0.string { publishedAt.write(to: &$0) }
            }
        }
        writer.attribute("\"createdAt\":", 12, plan) { $0.string { createdAt.write(to: &$0) } }
        writer.attribute("\"updatedAt\":", 13, plan) { $0.string { updatedAt.write(to: &$0) } }
        writer.attribute("\"revision\":", 14, plan) { $0.integer(revision) }
        if let version { writer.attribute("\"version\":", 15, plan) { $0.string(version) } }
        if let source {
            writer.attribute("\"source\":", 16, plan) {
                Source.shape.write(source, plan?.inside(16), to: &$0)
            }
        }
        writer.attribute("\"wordCount\":", 17, plan) { $0.integer(wordCount) }
        writer.attribute("\"readingMinutes\":", 18, plan) { $0.integer(readingMinutes) }
    }

    /// Reads the attributes in the order of the codec.
    private init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(UnreadPart) {
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
                $0.scanItems { Tag.shape.scan(&$0, Tag.init(scanning:_:)) }
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
            readingMinutes: try members.required(&parser) { $0.scanInteger() })
    }

    private static let languageFormat = JSONCodec.text(.language)
    private static let versionFormat = JSONCodec.text(.version)
}

extension Author.Reference {
    fileprivate init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(UnreadPart) {
        self.init(
            id: try members.required(&parser) { $0.scanIdentifier() },
            name: try members.required(&parser) { $0.scanNormalizedText() })
    }

    fileprivate func writeAttributes(_ plan: FieldPlan?, to writer: inout JSONWriter) {
        writer.attribute("\"id\":", 0, plan) { $0.string { id.write(to: &$0) } }
        writer.attribute("\"name\":", 1, plan) { $0.string(name) }
    }
}

extension Tag {
    fileprivate init(
        scanning parser: inout JSONParser, _ members: inout MemberScanner
    ) throws(UnreadPart) {
        self.init(
            key: try members.required(&parser) { $0.scanNormalizedText() },
            name: try members.required(&parser) { $0.scanNormalizedText() })
    }

    fileprivate func writeAttributes(_ plan: FieldPlan?, to writer: inout JSONWriter) {
        writer.attribute("\"key\":", 0, plan) { $0.string(key) }
        writer.attribute("\"name\":", 1, plan) { $0.string(name) }
    }
}

extension JSONWriter {
    /// Writes an attribute unless the plan omits it.
    ///
    /// - Parameter name: the JSON text of the name, with its colon.
    @inline(__always)
    fileprivate mutating func attribute(
        _ name: StaticString, _ place: Int, _ plan: FieldPlan?,
        _ write: (inout JSONWriter) -> Void
    ) {
        if let plan, plan.leavesOut(place) { return }
        self.name(
            written: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        write(&self)
    }
}
