public import ArticleAPI

/// Stores readers' comments on articles.
///
/// A comment is only found by those who see its article, and by its own visibility: it has no
/// changes of its own when the article leaves their sight. Each method is one atomic step, and a
/// write is durable when it returns. Safe to use from any thread.
///
/// ```swift
/// let content = CommentContent(
///     article: article.id, body: "What about rye?", writer: user.id)
/// let comment = try await store.createComment(
///     .init(at: time), content, under: CommentRules(), by: edit)
/// let viewer = CommentViewer(audience: .everyone, user: user.id)
/// let page = try await store.comments(CommentQuery(on: article.id, viewer: viewer))
/// ```
public protocol CommentRepository: Sendable {
    /// One page of comments, limited in items, bytes and examined rows. Throws `.notFound` if the
    /// viewer does not see the article.
    func comments(
        _ query: CommentQuery
    ) async throws(StoreError) -> Slice<ArticleComment, CommentPosition>

    func comment(
        _ id: ArticleComment.ID, visibleTo viewer: CommentViewer
    ) async throws(StoreError) -> ArticleComment

    /// The numbers of visible comments on these articles. They are stored, so that this does not
    /// read the comments.
    func commentCounts(of articles: [Article.ID]) async throws(StoreError) -> [Int]

    /// Returns the facts that decide about a new comment, for checks before it is rendered.
    ///
    /// Throws like `createComment`.
    func commentContext(
        of content: CommentContent, as id: ArticleComment.ID, at time: Timestamp
    ) async throws(StoreError) -> CommentContext

    /// A comment as `updateComment` would find it now.
    ///
    /// Throws like `updateComment`.
    func edition(
        of id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer
    ) async throws(StoreError) -> CommentEdition

    /// The stored HTML of these comments by the renderer; `nil` for those that it has not rendered.
    func bodyHTML(
        of comments: [ArticleComment], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?]

    /// Stores the HTML of a comment, unless its text has changed since. This is not a change of
    /// the comment.
    func keepBodyHTML(_ html: BodyHTML, of comment: ArticleComment) async throws(StoreError)

    /// Adds a comment with the status that the rules give it.
    ///
    /// Throws `.notFound` if the writer does not see the article or does not exist, `.idTaken`, or
    /// the error of the rules.
    func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, under rules: CommentRules, by edit: Edit
    ) async throws(StoreError) -> ArticleComment

    /// Changes body and status of a comment as far as the rules let the viewer. If anything differs
    /// afterwards, this creates a revision.
    ///
    /// `html` is the rendered new body; with `nil`, it is rendered when it is first read.
    ///
    /// Throws `.notFound` for a comment that the viewer does not see, and for a deleted one.
    func updateComment(
        _ id: ArticleComment.ID, _ changes: ArticleComment.Changes, html: BodyHTML?,
        under rules: CommentRules,
        expecting expectation: Precondition, as viewer: CommentViewer, by edit: Edit
    ) async throws(StoreError) -> ArticleComment

    /// Deletes the text of the viewer's own comment, or of any if the viewer is an editor. Its
    /// place remains in lists while it has visible replies.
    ///
    /// Throws `.notFound` for a comment that the viewer neither sees nor wrote, and for a deleted
    /// one; `.notTheWriter` for one of another user.
    func deleteComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit
    ) async throws(StoreError)
}

/// The reader or writer of comments. See ``CommentRepository``.
public struct CommentViewer: Sendable, Hashable {
    /// Editors see all comments; everyone else sees visible ones, and their own pending ones.
    public var audience: Audience
    /// `nil` for an anonymous reader.
    public var user: User.ID?

    public init(audience: Audience, user: User.ID? = nil) {
        self.audience = audience
        self.user = user
    }
}

/// A query for a page of comments. See ``CommentRepository``.
public struct CommentQuery: Sendable, Hashable {
    /// `nil` for those on all articles, for editors.
    public var article: Article.ID?
    public var viewer: CommentViewer
    /// Only in a query for all articles; `nil` for all.
    public var status: ArticleComment.Status?
    /// Only in a query for all articles; `nil` for those of all users.
    public var writer: User.ID?
    public var sort: CommentSort
    /// The position before the page; `nil` for the first page.
    public var after: CommentPosition?
    /// 1 to 100.
    public var limit: Int

    /// The comments on an article.
    public init(
        on article: Article.ID, viewer: CommentViewer, sort: CommentSort = .oldest,
        after: CommentPosition? = nil, limit: Int = 20
    ) {
        self.article = article
        self.viewer = viewer
        self.sort = sort
        self.after = after
        self.limit = limit
    }

    /// The comments on all articles that editors see.
    public init(
        status: ArticleComment.Status?, by writer: User.ID? = nil, sort: CommentSort = .oldest,
        after: CommentPosition? = nil, limit: Int = 20
    ) {
        viewer = CommentViewer(audience: .editors)
        self.status = status
        self.writer = writer
        self.sort = sort
        self.after = after
        self.limit = limit
    }
}

/// A place in a list of comments. See ``CommentRepository``.
public struct CommentPosition: Sendable, Hashable {
    public var createdAt: Timestamp
    public var id: ArticleComment.ID

    public init(createdAt: Timestamp, id: ArticleComment.ID) {
        self.createdAt = createdAt
        self.id = id
    }
}

/// A new comment. See ``CommentRepository``.
public struct CommentContent: Sendable, Hashable {
    public var article: Article.ID
    /// The comment that this one replies to.
    public var parent: ArticleComment.ID?
    public var body: String
    /// The rendered body; `nil` to render it when it is first read.
    public var bodyHTML: BodyHTML?
    public var writer: User.ID
    /// The audience that the writer belongs to.
    public var audience: Audience

    public init(
        article: Article.ID, parent: ArticleComment.ID? = nil, body: String,
        bodyHTML: BodyHTML? = nil,
        writer: User.ID, audience: Audience = .everyone
    ) {
        self.article = article
        self.parent = parent
        self.body = body
        self.bodyHTML = bodyHTML
        self.writer = writer
        self.audience = audience
    }
}

/// The facts that decide about the acceptance of a new comment. See ``CommentRepository``.
public struct CommentContext: Sendable, Hashable {
    /// That of the article; `nil` if it has none.
    public var policy: CommentPolicy?
    /// True if the comment replies to something other than a visible comment on the same article
    /// that is not a reply.
    public var isParentUnusable: Bool
    /// The times of the writer's last comments within an hour, the newest first; at most 1,000.
    /// Some may be up to a minute later than this one.
    public var recent: [Timestamp]
    /// True if the writer wrote the same text on the same article within a minute.
    public var isRepetition: Bool

    public init(
        policy: CommentPolicy?, isParentUnusable: Bool, recent: [Timestamp], isRepetition: Bool
    ) {
        self.policy = policy
        self.isParentUnusable = isParentUnusable
        self.recent = recent
        self.isRepetition = isRepetition
    }
}

/// A comment that is about to be changed. See ``CommentRepository``.
public struct CommentEdition: Sendable, Hashable {
    public var comment: ArticleComment
    /// True if the viewer wrote it.
    public var isOwn: Bool
    /// That of the article; `nil` if it has none.
    public var policy: CommentPolicy?

    public init(comment: ArticleComment, isOwn: Bool, policy: CommentPolicy?) {
        self.comment = comment
        self.isOwn = isOwn
        self.policy = policy
    }
}

/// The permission to write, change and moderate comments, and its limits. See
/// ``CommentRepository``.
public struct CommentRules: Sendable, Hashable {
    /// For articles without a policy of their own.
    public var policy = CommentPolicy.open
    /// The time for which writers may change their comments.
    public var editSeconds = 900
    /// Maximum numbers of comments of one user.
    public var commentsPerMinute = 10
    public var commentsPerHour = 100
    /// Maximum number of changes of their text by one user.
    public var editsPerMinute = 30

    private static let minute: Int64 = 60 * 1_000
    private static let hour: Int64 = 60 * 60 * 1_000

    public init() {}

    /// Returns the status of a new comment.
    ///
    /// - Parameter isEditor: true if the writer moderates, and so needs no approval.
    package func status(
        of commentContext: CommentContext, byEditor isEditor: Bool, at now: Timestamp
    ) throws(StoreError) -> ArticleComment.Status {
        let policy = commentContext.policy ?? policy
        guard policy != .closed else { throw .commentsClosed }
        try checkRate(commentContext.recent, at: now)
        guard !commentContext.isParentUnusable else {
            throw .invalidValue(
                "/parentID", "is not a comment on this article that can be replied to")
        }
        guard !commentContext.isRepetition else { throw .repeatedComment }
        return policy == .moderated && !isEditor ? .pending : .visible
    }

    /// - Parameter times: those of the writer's last comments, the newest first.
    private func checkRate(_ times: [Timestamp], at now: Timestamp) throws(StoreError) {
        let limits = [(commentsPerMinute, Self.minute), (commentsPerHour, Self.hour)]
        var waiting: Int64 = 0
        for (count, duration) in limits where times.count >= count {
            let end = times[count - 1].milliseconds + duration
            waiting = max(waiting, end - now.milliseconds)
        }
        guard waiting <= 0 else {
            throw .tooManyComments(retryAfterSeconds: Int((waiting + 999) / 1_000))
        }
    }

    /// The comment with the changes, as far as the viewer may make them.
    package func changed(
        _ edition: CommentEdition, by changes: ArticleComment.Changes, as viewer: CommentViewer,
        at now: Timestamp
    ) throws(StoreError) -> ArticleComment {
        var comment = edition.comment
        let isEditor = viewer.audience == .editors
        guard edition.isOwn || isEditor else { throw .notTheWriter }
        switch changes.body {
        case .keep: break
        case .clear: throw .invalidValue("/body", "cannot be null")
        case .set(let body):
            guard edition.isOwn else { throw .notTheWriter }
            let end = comment.createdAt.advanced(byMilliseconds: Int64(editSeconds) * 1_000)
            guard now < end else { throw .editTimeOver(seconds: editSeconds) }
            // Otherwise what nobody has approved could replace what somebody has, also in a thread
            // that was closed since.
            if body != comment.body, comment.status == .visible, !isEditor,
                (edition.policy ?? policy) != .open
            {
                comment.status = .pending
            }
            comment.body = body
        }
        switch changes.status {
        case .keep: break
        case .clear: throw .invalidValue("/status", "cannot be null")
        case .set(let status):
            guard isEditor else { throw .notEditor }
            guard status == .visible || status == .hidden else {
                throw .invalidValue("/status", "can only be set to `visible` or `hidden`")
            }
            comment.status = status
        }
        return comment
    }

    /// Rejects a text in which there is nothing to read.
    package static func checkText(_ body: String) throws(StoreError) {
        let isBlank = body.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
        guard !isBlank else { throw .invalidValue("/body", "does not contain any text") }
    }
}
