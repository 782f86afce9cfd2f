public import ArticleAPI

/// Stores readers' comments on articles.
///
/// A comment is only found by those who see its article, and by its own visibility: it has no
/// changes of its own when the article leaves their sight. Each method is one atomic step, and a
/// write is durable when it returns. Safe to use from any thread; the closures of writes run on the
/// thread that writes, and must be quick.
///
/// ```swift
/// let content = CommentContent(
///     article: article.id, body: "What about rye?", writer: user.id)
/// let comment = try await store.createComment(.init(at: time), content, by: edit) {
///     commentContext in
///     commentContext.policy == .moderated ? .pending : .visible
/// }
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

    /// A comment as `updateComment` would pass it to its closure now.
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

    /// Adds a comment with the status that `decide` gives it.
    ///
    /// Throws `.notFound` if the writer does not see the article or does not exist, `.idTaken`, or
    /// `.rejected` with the error of `decide`.
    func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, by edit: Edit,
        _ decide: @escaping @Sendable (CommentContext) throws -> ArticleComment.Status
    ) async throws(StoreError) -> ArticleComment

    /// Changes body and status of a comment to those of the result of `change`, which gets the
    /// whole comment. If anything differs afterwards, this creates a revision.
    ///
    /// `html` is the rendered new body; with `nil`, it is rendered when it is first read.
    ///
    /// Throws `.notFound` for a comment that the viewer does not see, and for a deleted one.
    func updateComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit, html: BodyHTML?,
        _ change: @escaping @Sendable (CommentEdition) throws -> ArticleComment
    ) async throws(StoreError) -> ArticleComment

    /// Deletes the text of a comment after `check`. Its place remains in lists while it has visible
    /// replies.
    ///
    /// Throws `.notFound` for a comment that the viewer neither sees nor wrote, and for a deleted
    /// one.
    func deleteComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit, _ check: @escaping @Sendable (CommentEdition) throws -> Void
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
