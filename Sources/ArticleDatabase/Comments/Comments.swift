public import ArticleAPI
public import ArticleStore

/// Comments: their rows, and lists of them.
extension SQLStore {
    public func comments(
        _ query: CommentQuery
    ) async throws(StoreError) -> Slice<ArticleComment, CommentPosition> {
        try await read { (state) throws(StoreError) in try state.comments(query) }
    }

    public func comment(
        _ id: ArticleComment.ID, visibleTo viewer: CommentViewer
    ) async throws(StoreError) -> ArticleComment {
        try await read { (state) throws(StoreError) in
            let stored = try state.comment(id, visibleTo: viewer)
            return try state.present(stored, to: viewer)
        }
    }

    public func commentCounts(of articles: [Article.ID]) async throws(StoreError) -> [Int] {
        try await read { (state) throws(StoreError) in
            var counts: [Int] = []
            for id in articles { counts.append(try state.commentCount(of: id)) }
            return counts
        }
    }
}

extension SQL {
    // The first two statements return the columns of `StoredComment`.
    static let comment: StaticString = """
        SELECT comments.number, comments.id, comments.article, articles.id, comments.parent,
            parents.id, comments.writer, users.id, users.display_name, comments.state,
            comments.body, comments.created_at, comments.updated_at, comments.revision,
            comments.visible_replies, articles.state, articles.owner
        FROM comments JOIN articles ON articles.number = comments.article
        LEFT JOIN comments AS parents ON parents.number = comments.parent
        LEFT JOIN users ON users.number = comments.writer
        WHERE comments.id = ?1
        """
    static let commentByNumber: StaticString = """
        SELECT comments.number, comments.id, comments.article, articles.id, comments.parent,
            parents.id, comments.writer, users.id, users.display_name, comments.state,
            comments.body, comments.created_at, comments.updated_at, comments.revision,
            comments.visible_replies, articles.state, articles.owner
        FROM comments JOIN articles ON articles.number = comments.article
        LEFT JOIN comments AS parents ON parents.number = comments.parent
        LEFT JOIN users ON users.number = comments.writer
        WHERE comments.number = ?1
        """
    static let commentCount: StaticString = """
        SELECT visible FROM comment_counts JOIN articles ON articles.number = article
        WHERE articles.id = ?1
        """
    // Lists return the numbers of comments. Parameters 1 and 2 are where the page begins.
    static let oldestForEveryone: StaticString = """
        SELECT number, created_at, id FROM comments
        WHERE article = ?3 AND sight = 2 AND (created_at, id) > (?1, ?2)
        UNION ALL
        SELECT number, created_at, id FROM comments
        WHERE article = ?3 AND writer = ?4 AND state = 1 AND sight = 1
            AND (created_at, id) > (?1, ?2)
        ORDER BY created_at, id
        """
    static let newestForEveryone: StaticString = """
        SELECT number, created_at, id FROM comments
        WHERE article = ?3 AND sight = 2 AND (created_at, id) < (?1, ?2)
        UNION ALL
        SELECT number, created_at, id FROM comments
        WHERE article = ?3 AND writer = ?4 AND state = 1 AND sight = 1
            AND (created_at, id) < (?1, ?2)
        ORDER BY created_at DESC, id DESC
        """
    static let oldestForEditors: StaticString = """
        SELECT number FROM comments
        WHERE article = ?3 AND sight > 0 AND (created_at, id) > (?1, ?2)
        ORDER BY created_at, id
        """
    static let newestForEditors: StaticString = """
        SELECT number FROM comments
        WHERE article = ?3 AND sight > 0 AND (created_at, id) < (?1, ?2)
        ORDER BY created_at DESC, id DESC
        """
    static let oldestComments: StaticString = """
        SELECT number FROM comments WHERE (created_at, id) > (?1, ?2) ORDER BY created_at, id
        """
    static let newestComments: StaticString = """
        SELECT number FROM comments WHERE (created_at, id) < (?1, ?2)
        ORDER BY created_at DESC, id DESC
        """
    static let oldestByWriter: StaticString = """
        SELECT number FROM comments WHERE writer = ?3 AND (created_at, id) > (?1, ?2)
        ORDER BY created_at, id
        """
    static let newestByWriter: StaticString = """
        SELECT number FROM comments WHERE writer = ?3 AND (created_at, id) < (?1, ?2)
        ORDER BY created_at DESC, id DESC
        """
    static let oldestInState: StaticString = """
        SELECT number FROM comments WHERE state = ?3 AND (created_at, id) > (?1, ?2)
        ORDER BY created_at, id
        """
    static let newestInState: StaticString = """
        SELECT number FROM comments WHERE state = ?3 AND (created_at, id) < (?1, ?2)
        ORDER BY created_at DESC, id DESC
        """
}

/// The column `state` of comments.
enum CommentState: Int64 {
    case visible, pending, hidden, deleted

    init(_ status: ArticleComment.Status) throws(StoreError) {
        switch status {
        case .visible: self = .visible
        case .pending: self = .pending
        case .hidden: self = .hidden
        case .deleted: self = .deleted
        case .unknown(let name): throw .conflict("the status \(name) is unknown")
        }
    }

    /// The column `sight`: 2 if the public's lists have it, 1 if only those of editors do.
    func sight(visibleReplies: Int) -> Int {
        if self == .visible || visibleReplies > 0 { return 2 }
        return self == .deleted ? 0 : 1
    }

    var status: ArticleComment.Status {
        switch self {
        case .visible: .visible
        case .pending: .pending
        case .hidden: .hidden
        case .deleted: .deleted
        }
    }
}

/// A comment's row, joined with its article and its writer.
struct StoredComment {
    let number: Int64
    let id: ArticleComment.ID
    let article: Int64
    let articleID: Article.ID
    let parent: Int64?
    let parentID: ArticleComment.ID?
    var writer: Int64?
    var author: User?
    var state: CommentState
    var body: String
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var revision: Int
    var visibleReplies: Int
    private let articleState: StoredState
    private let articleOwner: User.ID?

    /// Reads the columns of `SQL.comment`.
    init(_ row: borrowing Statement) throws(StoreError) {
        number = row.integer(0)
        id = try row.identifier(1)
        article = row.integer(2)
        articleID = try row.identifier(3)
        parent = row.optionalInteger(4)
        parentID = row.isNull(5) ? nil : try row.identifier(5)
        writer = row.optionalInteger(6)
        author = row.isNull(7) ? nil : User(id: try row.identifier(7), displayName: row.text(8))
        guard let state = CommentState(rawValue: row.integer(9)) else {
            throw .corrupt("a comment has the state \(row.integer(9))")
        }
        self.state = state
        body = row.text(10)
        createdAt = row.time(11)
        updatedAt = row.time(12)
        revision = Int(row.integer(13))
        visibleReplies = Int(row.integer(14))
        articleState = try StoredState(row.integer(15))
        articleOwner = try row.optionalIdentifier(16)
    }

    var sight: Int { state.sight(visibleReplies: visibleReplies) }

    /// An estimate of the size in a page in bytes.
    var bytes: Int { 512 + body.utf8.count }

    func isOwn(_ viewer: CommentViewer) -> Bool {
        viewer.user != nil && viewer.user == author?.id
    }

    func isVisible(to viewer: CommentViewer) -> Bool {
        viewer.audience.sees(articleState, ownedBy: articleOwner)
            && (viewer.audience == .editors || sight == 2 || isOwn(viewer) && state == .pending)
    }

    /// Returns true if the viewer sees the comment itself and not only its place among its replies.
    func isWhole(to viewer: CommentViewer) -> Bool {
        viewer.audience == .editors || state == .visible || isOwn(viewer) && state == .pending
    }
}

extension Snapshot {
    func storedComment(_ id: ArticleComment.ID) throws(StoreError) -> StoredComment? {
        let row = try connection.statement(SQL.comment)
        try row.bind(1, id)
        return try row.step() ? StoredComment(row) : nil
    }

    func storedComment(number: Int64) throws(StoreError) -> StoredComment {
        let row = try connection.statement(SQL.commentByNumber)
        try row.bind(1, number)
        guard try row.step() else { throw .corrupt("comment \(number) is missing") }
        return try StoredComment(row)
    }

    func comment(
        _ id: ArticleComment.ID, visibleTo viewer: CommentViewer
    ) throws(StoreError) -> StoredComment {
        guard let stored = try storedComment(id), stored.isVisible(to: viewer) else {
            throw .notFound
        }
        return stored
    }

    /// The comment as the viewer sees it.
    func present(
        _ stored: StoredComment, to viewer: CommentViewer
    ) throws(StoreError) -> ArticleComment {
        var comment = try present(stored)
        if !stored.isWhole(to: viewer) {
            comment.author = nil
            comment.body = ""
        }
        return comment
    }

    /// The whole comment with its version.
    func present(_ stored: StoredComment) throws(StoreError) -> ArticleComment {
        ArticleComment(
            id: stored.id, articleID: stored.articleID, parentID: stored.parentID,
            author: stored.author, body: stored.body, status: stored.state.status,
            createdAt: stored.createdAt, updatedAt: stored.updatedAt, revision: stored.revision,
            version: try text(of: stored.version))
    }

    fileprivate func commentCount(of article: Article.ID) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.commentCount)
        try row.bind(1, article)
        return try row.step() ? Int(row.integer(0)) : 0
    }

    /// One page. Stops at the first limit: the number of items, their bytes, or the number of
    /// examined rows.
    fileprivate func comments(
        _ query: CommentQuery
    ) throws(StoreError) -> Slice<ArticleComment, CommentPosition> {
        let limit = min(max(query.limit, 1), 100)
        let row = try list(query)
        var page = Slice<ArticleComment, CommentPosition>(items: [], next: nil)
        var bytes = 0
        var examined = 0
        var frontier = query.after
        var last = query.after
        while try row.step() {
            guard examined < limits.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            examined += 1
            let stored = try storedComment(number: row.integer(0))
            frontier = CommentPosition(createdAt: stored.createdAt, id: stored.id)
            guard stored.isVisible(to: query.viewer),
                query.status.map({ $0 == stored.state.status }) ?? true
            else { continue }
            bytes += stored.bytes
            guard page.items.count < limit,
                page.items.isEmpty || bytes <= limits.bytesPerPage
            else {
                page.next = last
                return page
            }
            page.items.append(try present(stored, to: query.viewer))
            last = frontier
        }
        return page
    }

    /// The statement that returns the numbers of the comments after the query's position.
    private func list(_ query: CommentQuery) throws(StoreError) -> Statement {
        let isUp = query.sort == .oldest
        let row: Statement
        if let id = query.article {
            guard let article = try stored(.id(id)), article.isVisible(to: query.viewer.audience)
            else { throw .notFound }
            switch query.viewer.audience {
            case .everyone, .author:
                row = try connection.statement(
                    isUp ? SQL.oldestForEveryone : SQL.newestForEveryone)
                let writer: Int64? =
                    if let user = query.viewer.user {
                        try userNumber(user)
                    } else {
                        nil
                    }
                try row.bind(4, writer)
            case .editors:
                row = try connection.statement(
                    isUp ? SQL.oldestForEditors : SQL.newestForEditors)
            }
            try row.bind(3, article.number)
        } else if let writer = query.writer {
            row = try connection.statement(isUp ? SQL.oldestByWriter : SQL.newestByWriter)
            // Nobody wrote the comments of a user who does not exist.
            try row.bind(3, try userNumber(writer))
        } else if let status = query.status {
            row = try connection.statement(isUp ? SQL.oldestInState : SQL.newestInState)
            try row.bind(3, CommentState(status).rawValue)
        } else {
            row = try connection.statement(isUp ? SQL.oldestComments : SQL.newestComments)
        }
        if let after = query.after {
            try row.bind(1, after.createdAt)
            try row.bind(2, after.id)
        } else {
            try row.bind(1, isUp ? Int64.min : .max)
            try row.bind(2, [UInt8]())
        }
        return row
    }
}

extension StoredComment {
    var version: VersionedRevision<ArticleComment> {
        VersionedRevision(
            id: id, revision: revision, time: updatedAt, state: state.rawValue,
            subject: (.comment, number))
    }
}
