/// One step by which a copy of the backend's content follows it: something is put into the copy, or
/// deleted from it.
///
/// `Content` is `Article`, or `PartialArticle` if only some attributes were requested.
///
/// ```swift
/// var copy: [Article.ID: Article] = [:]
/// for change in page.changes {
///     switch change {
///     case .putArticle(let article, _): copy[article.id] = article
///     case .deleteArticle(let id, _): copy[id] = nil
///     default: break
///     }
/// }
/// ```
public enum SyncChange<Content: Sendable & Identifiable>: Sendable
where Content.ID == Article.ID {
    /// The article as it is now, with the number of its revision.
    case putArticle(Content, revision: Int)
    /// As of this revision, the article is no longer visible to the caller, or no longer matches
    /// the filter.
    case deleteArticle(Article.ID, revision: Int)
    /// The author as they are now. The articles of an author who was renamed do not change: a copy
    /// takes each name from the newest revision of the author that it has seen.
    case putAuthor(Author)
    /// The author no longer has an article that the caller may see.
    case deleteAuthor(Author.ID, revision: Int)
    /// The comment as the caller sees it now. The comments of a writer who was renamed do not
    /// change: a copy takes each name from the newest change of a comment by the writer.
    case putComment(ArticleComment)
    /// As of this revision, the comment is no longer visible to the caller.
    case deleteComment(ArticleComment.ID, revision: Int)
    /// The caller's bookmark as it is now, even if its article is not visible.
    case putBookmark(Bookmark)
    /// The caller's bookmark of this article was removed.
    case deleteBookmark(Article.ID, revision: Int)
    /// A change of a newer backend that this version does not know, which a copy may ignore.
    case unknown(type: String)
}

/// A type of things whose changes can be requested. See ``FetchChangesRequest``.
public enum SyncKind: String, Sendable, Hashable, CaseIterable {
    case article, author
    /// Comments on the article that the request names.
    case comment
    /// The bookmarks of the signed-in user.
    case bookmark

    /// The types that are requested by default.
    public static let content: Set<SyncKind> = [.article, .author]
}

extension SyncChange: Equatable where Content: Equatable {}

/// A page of changes, and where the next one begins.
///
/// ```swift
/// let page = try await backend.send(FetchChangesRequest(since: token))
/// token = page.next
/// let isCurrent = !page.more
/// ```
public struct ChangePage<Content: Sendable & Identifiable>: Sendable
where Content.ID == Article.ID {
    /// In the order in which the things last changed: each comes once, in its last state.
    public var changes: [SyncChange<Content>]
    /// The token of the next page, to be kept with the copy. It does not expire.
    public var next: String
    /// True if more changes follow at once.
    public var more: Bool

    public init(changes: [SyncChange<Content>], next: String, more: Bool) {
        self.changes = changes
        self.next = next
        self.more = more
    }
}

extension ChangePage: Equatable where Content: Equatable {}

extension SyncChange: JSONRepresentable, ResponseItem, Decodable, Encodable
where Content: JSONRepresentable {
    /// `{"type": "article", "action": "put", "id": "…", "revision": 7, "article": {…}}`, or with
    /// the action `delete` and without the article. `fields` chooses among the attributes of
    /// articles.
    public static var format: JSONCodec<SyncChange> {
        let content = Content.format
        let shape = Members.shape
        return JSONCodec(
            schema: Members.schema,
            read: { value, reader in shape.read(value, &reader).flatMap { $0.change(&reader) } },
            scan: { parser in
                var reader = JSONReader(.lenient)
                guard let members = shape.scan(&parser) else { return nil }
                return members.change(&reader)
            },
            write: { change, plan, writer in
                writer.object { change.writeMembers(content, plan, to: &$0) }
            },
            fields: content.fields, plan: content.plan)
    }

    /// Writes the members in the order of the codec, without a copy of the article.
    private func writeMembers(
        _ content: JSONCodec<Content>, _ plan: FieldPlan?, to writer: inout JSONWriter
    ) {
        var members = AttributeWriter(nil)
        func begin(
            _ kind: StaticString, _ writer: inout JSONWriter, revision: Int,
            _ id: (inout [UInt8]) -> Void
        ) {
            members.write(kind, to: &writer) { $0.string(id) }
            members.write("\"revision\":", to: &writer) { $0.integer(revision) }
        }
        switch self {
        case .putArticle(let article, let revision):
            begin(#""type":"article","action":"put","id":"#, &writer, revision: revision) {
                article.id.write(to: &$0)
            }
            members.write("\"article\":", to: &writer) { content.write(article, plan, &$0) }
        case .deleteArticle(let id, let revision):
            begin(#""type":"article","action":"delete","id":"#, &writer, revision: revision) {
                id.write(to: &$0)
            }
        case .putAuthor(let author):
            begin(#""type":"author","action":"put","id":"#, &writer, revision: author.revision) {
                author.id.write(to: &$0)
            }
            members.write("\"author\":", to: &writer) { Author.format.write(author, nil, &$0) }
        case .deleteAuthor(let id, let revision):
            begin(#""type":"author","action":"delete","id":"#, &writer, revision: revision) {
                id.write(to: &$0)
            }
        case .putComment(let comment):
            begin(#""type":"comment","action":"put","id":"#, &writer, revision: comment.revision) {
                comment.id.write(to: &$0)
            }
            members.write("\"comment\":", to: &writer) {
                ArticleComment.format.write(comment, nil, &$0)
            }
        case .deleteComment(let id, let revision):
            begin(#""type":"comment","action":"delete","id":"#, &writer, revision: revision) {
                id.write(to: &$0)
            }
        case .putBookmark(let bookmark):
            begin(
                #""type":"bookmark","action":"put","id":"#, &writer, revision: bookmark.revision
            ) { bookmark.id.write(to: &$0) }
            members.write("\"bookmark\":", to: &writer) {
                Bookmark.format.write(bookmark, nil, &$0)
            }
        case .deleteBookmark(let id, let revision):
            begin(#""type":"bookmark","action":"delete","id":"#, &writer, revision: revision) {
                id.write(to: &$0)
            }
        case .unknown(let type):
            members.write("\"type\":", to: &writer) { $0.string(type) }
            members.write("\"action\":", to: &writer) { $0.string("unknown") }
            members.write("\"id\":", to: &writer) { $0.string("unknown") }
            members.write("\"revision\":", to: &writer) { $0.integer(0) }
        }
    }

    /// The members of the JSON object.
    private struct Members: Sendable {
        var type: String
        var action: String
        var id: String
        var revision: Int
        var article: Content?
        var author: Author?
        var comment: ArticleComment?
        var bookmark: Bookmark?

        static var shape: ObjectCodec<Members> {
            ObjectCodec(
                Members.init,
                .required("type", \.type, .text(.line(1...100))),
                .required("action", \.action, .text(.line(1...100))),
                .required("id", \.id, .text(.line(1...200))),
                .defaulted("revision", to: 0, \.revision, .integer(0...Int.max)),
                .optional("article", { @Sendable in $0.article }, Content.format),
                .optional("author", { @Sendable in $0.author }, Author.format),
                .optional("comment", { @Sendable in $0.comment }, ArticleComment.format),
                .optional("bookmark", { @Sendable in $0.bookmark }, Bookmark.format))
        }

        /// The schema of the changes that this version writes; it also reads those of newer
        /// versions.
        static var schema: JSONSchema {
            let format = Content.format.schema
            let properties = shape.properties.map { property in
                var property = property
                switch property.name {
                case "type": property.schema = .choice(SyncKind.allCases.map(\.rawValue))
                case "action": property.schema = .choice(["put", "delete"])
                case "id":
                    property.schema = JSONCodec<Article.ID>.identifier().schema
                case "revision": property.presence = .required
                default: break
                }
                return property
            }
            let object = JSONSchema.object(properties)
            return format.named("Change").map { .named($0, object) } ?? object
        }

        /// Returns the change, or `nil` with a report of the fault.
        func change(_ reader: inout JSONReader) -> SyncChange? {
            switch (type, action) {
            case ("article", "put"):
                if let article { return .putArticle(article, revision: revision) }
                return reader.reading(.name("article")) { Self.missing(&$0) }
            case ("article", "delete"):
                if let id = Article.ID(id) { return .deleteArticle(id, revision: revision) }
            case ("author", "put"):
                if let author { return .putAuthor(author) }
                return reader.reading(.name("author")) { Self.missing(&$0) }
            case ("author", "delete"):
                if let id = Author.ID(id) { return .deleteAuthor(id, revision: revision) }
            case ("comment", "put"):
                if let comment { return .putComment(comment) }
                return reader.reading(.name("comment")) { Self.missing(&$0) }
            case ("comment", "delete"):
                if let id = ArticleComment.ID(id) { return .deleteComment(id, revision: revision) }
            case ("bookmark", "put"):
                if let bookmark { return .putBookmark(bookmark) }
                return reader.reading(.name("bookmark")) { Self.missing(&$0) }
            case ("bookmark", "delete"):
                if let id = Article.ID(id) { return .deleteBookmark(id, revision: revision) }
            default: return .unknown(type: type)
            }
            return reader.reading(.name("id")) {
                $0.report(.invalid(expected: "an id", found: "\"\(id.excerpt)\""))
                return nil
            }
        }

        private static func missing(_ reader: inout JSONReader) -> SyncChange? {
            reader.report(.missing)
            return nil
        }
    }
}

extension ChangePage: JSONRepresentable, ResponseItem, Decodable, Encodable
where Content: JSONRepresentable {
    /// `{"changes": […], "next": "<token>", "more": false}`
    public static var format: JSONCodec<ChangePage> {
        let changes = JSONCodec.array(
            of: SyncChange<Content>.format, limit: ArticleLimits.changePage.upperBound)
        let shape = ObjectCodec<ChangePage>(
            named: Content.format.schema.named("ChangePage"), ChangePage.init,
            .required("changes", { @Sendable in $0.changes }, changes),
            .required("next", { @Sendable in $0.next }, .text(.syncToken)),
            .required("more", { @Sendable in $0.more }, .boolean))
        return JSONCodec(
            schema: shape.schema, read: shape.read, scan: { shape.scan(&$0) },
            write: { page, plan, writer in
                let choices = plan.map { FieldPlan(choices: [.some($0), .all, .all]) }
                shape.write(page, choices, to: &writer)
            },
            check: { shape.check($0, &$1) }, fields: changes.fields, plan: changes.plan)
    }
}

extension TextCodec where Value == String {
    /// A token of a change page: `<epoch>.<sealed>`.
    static var syncToken: TextCodec { .token(1...500) }
}
