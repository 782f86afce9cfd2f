/// A reader's comment on an article, or on another comment.
///
/// ```swift
/// let draft = ArticleComment.Draft(body: "What about *rye*?")
/// let comment = try await backend.send(
///     CreateCommentRequest(articleID: id, comment: draft))
/// ```
public struct ArticleComment: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<ArticleComment>

    public var id: ID
    public var articleID: Article.ID
    /// The comment that this one replies to; a reply has no replies itself.
    public var parentID: ID?
    /// The writer, by id and display name. `nil` if the account was deleted, and where only a
    /// placeholder is left of the comment.
    public var author: User?
    /// Markdown, 1 to 10,000 characters. Empty where only a place is left: of a deleted comment,
    /// and for readers of one that is not visible but has visible replies.
    public var body: String
    /// The body as HTML without scripts; `nil` if it was not requested.
    public var bodyHTML: String?
    public var status: Status
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new comment; incremented by each change.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `2-x1y2z3`. Read-only;
    /// `nil` in a comment that was not served by a backend.
    public var version: String?

    public init(
        id: ID, articleID: Article.ID, parentID: ID? = nil, author: User? = nil, body: String,
        bodyHTML: String? = nil, status: Status = .visible, createdAt: Timestamp,
        updatedAt: Timestamp, revision: Int = 1, version: String? = nil
    ) {
        self.id = id
        self.articleID = articleID
        self.parentID = parentID
        self.author = author
        self.body = body
        self.bodyHTML = bodyHTML
        self.status = status
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
    }

    /// The state of a comment, which decides who sees it.
    public enum Status: Sendable, Hashable {
        /// Everyone who sees the article.
        case visible
        /// Its writer and editors, one of whom has to approve it.
        case pending
        /// Editors.
        case hidden
        /// Its text is gone.
        case deleted
        /// A value of a newer server that this version does not know; servers reject it.
        case unknown(String)
    }

    /// A new comment; the backend sets everything else.
    public struct Draft: Sendable, Hashable {
        /// A UUIDv7 chosen by the client, so that a repeated POST cannot create two comments.
        public var id: ID?
        public var parentID: ID?
        public var body: String

        public init(id: ID? = nil, parentID: ID? = nil, body: String) {
            self.id = id
            self.parentID = parentID
            self.body = body
        }
    }

    /// A merge patch (RFC 7396): its writer changes the body, an editor the status.
    public struct Changes: Sendable, Hashable {
        public var body: Change<String>
        /// Editors can set `visible` and `hidden`.
        public var status: Change<Status>

        public init(body: Change<String> = .keep, status: Change<Status> = .keep) {
            self.body = body
            self.status = status
        }
    }
}

/// The order of a list of comments; ties are broken by id, in the same direction. See
/// ``FetchCommentsRequest``.
public enum CommentSort: String, Sendable, Hashable, CaseIterable {
    case oldest, newest
}

/// The policy for readers' comments on an article.
///
/// ```swift
/// let changes = Article.Changes(comments: .set(.moderated))
/// let saved = try await backend.send(UpdateArticleRequest(article, changes: changes))
/// ```
public enum CommentPolicy: Sendable, Hashable {
    /// New comments are visible at once.
    case open
    /// An editor has to approve new and edited comments.
    case moderated
    /// There are no new comments; existing ones remain.
    case closed
    /// A value of a newer server that this version does not know; servers reject it.
    case unknown(String)
}

extension ArticleComment: JSONModel {
    public static let shape = ObjectCodec(
        named: "Comment", Self.init,
        .required("id", \.id, .identifier()),
        .required("articleID", \.articleID, .identifier()),
        .optional("parentID", \.parentID, .identifier()),
        .optional("author", \.author, User.format),
        .required("body", \.body, .text(.lines(0...ArticleLimits.comment.upperBound))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))),
        .required("status", \.status, .text(.commentStatus)),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension ArticleComment.Draft: JSONModel {
    public static let shape = ObjectCodec(
        named: "CommentDraft", Self.init,
        .optional("id", \.id, .identifier()),
        .optional("parentID", \.parentID, .identifier()),
        .required("body", \.body, .text(.lines(ArticleLimits.comment))))
}

extension ArticleComment.Changes: JSONModel {
    public static let shape = ObjectCodec(
        named: "CommentChanges", Self.init,
        .change("body", \.body, .text(.lines(ArticleLimits.comment))),
        .change("status", \.status, .text(.commentStatus)))
}

/// The selected attributes of a comment; all except the id may be absent. See ``PartialRequest``.
public struct PartialComment: Sendable, Hashable, Identifiable {
    public var id: ArticleComment.ID
    public var articleID: Article.ID?
    public var parentID: ArticleComment.ID?
    public var author: PartialUser?
    public var body: String?
    public var bodyHTML: String?
    public var status: ArticleComment.Status?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    public var revision: Int?
    public var version: String?
}

/// The selected attributes of a comment's author. See ``PartialRequest``.
public struct PartialUser: Sendable, Hashable, Identifiable {
    public var id: User.ID
    public var displayName: String?
}

extension PartialComment: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialComment", Self.init,
        .required("id", \.id, .identifier()),
        .optional("articleID", \.articleID, .identifier()),
        .optional("parentID", \.parentID, .identifier()),
        .optional("author", \.author, PartialUser.format),
        .optional("body", \.body, .text(.lines(0...ArticleLimits.comment.upperBound))),
        .optional(
            "bodyHTML", \.bodyHTML, .text(.lines(limitBytes: ArticleLimits.bodyHTMLBytes))),
        .optional("status", \.status, .text(.commentStatus)),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension PartialUser: JSONModel {
    public static let shape = ObjectCodec(
        named: "PartialUser", Self.init,
        .required("id", \.id, .identifier()),
        .optional("displayName", \.displayName, .text(.displayName)))
}

extension ArticleComment.Status {
    static let known: [ArticleComment.Status] = [.visible, .pending, .hidden, .deleted]

    init(name: String) { self = Self.known.first { $0.name == name } ?? .unknown(name) }

    /// The name on the wire.
    package var name: String {
        switch self {
        case .visible: "visible"
        case .pending: "pending"
        case .hidden: "hidden"
        case .deleted: "deleted"
        case .unknown(let name): name
        }
    }
}

extension CommentPolicy {
    static let known: [CommentPolicy] = [.open, .moderated, .closed]

    package init(name: String) { self = Self.known.first { $0.name == name } ?? .unknown(name) }

    /// The name on the wire.
    package var name: String {
        switch self {
        case .open: "open"
        case .moderated: "moderated"
        case .closed: "closed"
        case .unknown(let name): name
        }
    }
}

extension TextCodec where Value == ArticleComment.Status {
    /// The status of a comment; backends reject an unknown one.
    public static var commentStatus: TextCodec {
        let names = ArticleComment.Status.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("CommentStatus", .choice(names)),
            parse: { ArticleComment.Status(name: $0) }, print: \.name,
            fault: { status in
                guard case .unknown = status else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}

extension TextCodec where Value == CommentPolicy {
    /// The policy for readers' comments; backends reject an unknown value.
    public static var commentPolicy: TextCodec {
        let names = CommentPolicy.known.map(\.name)
        return TextCodec(
            "one of \(names.joined(separator: ", "))", .named("CommentPolicy", .choice(names)),
            parse: { CommentPolicy(name: $0) }, print: \.name,
            fault: { policy in
                guard case .unknown = policy else { return nil }
                return "must be one of \(names.joined(separator: ", "))"
            })
    }
}
