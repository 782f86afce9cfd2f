import ArticleStore

/// A log of changes: the last transitions of subjects of some kinds for an audience, in the order
/// of their numbers.
enum ChangeLog: Hashable {
    /// Articles and authors.
    case content(TransitionAudience)
    /// The comments on the article with this row. The log of a user has the user's own comments.
    case comments(on: Int64, for: TransitionAudience)
    /// The bookmarks of the user with this row.
    case bookmarks(of: Int64)
}

extension SQL {
    static let commentTransitionsAfter: StaticString = """
        SELECT sequence, 2, comment, revision, is_departure FROM comment_transitions
        WHERE audience = ?1 AND article = ?3 AND sequence > ?2 ORDER BY sequence
        """
    static let lastCommentTransition: StaticString = """
        SELECT coalesce(max(sequence), 0) FROM comment_transitions
        WHERE audience = ?1 AND article = ?3
        """
    static let bookmarkTransitionsAfter: StaticString = """
        SELECT sequence, 3, article, revision, is_departure FROM bookmark_transitions
        WHERE "user" = ?1 AND sequence > ?2 ORDER BY sequence
        """
    static let lastBookmarkTransition: StaticString = """
        SELECT coalesce(max(sequence), 0) FROM bookmark_transitions WHERE "user" = ?1
        """
}

extension ChangeLog {
    /// The number of the last transition; 0 if there is none.
    func lastSequence(in state: Snapshot) throws(StoreError) -> Int64 {
        let row =
            switch self {
            case .content: try state.connection.statement(SQL.lastTransition)
            case .comments: try state.connection.statement(SQL.lastCommentTransition)
            case .bookmarks: try state.connection.statement(SQL.lastBookmarkTransition)
            }
        try bind(row)
        return try row.step() ? row.integer(0) : 0
    }

    /// The columns of the transitions after a number.
    fileprivate func rows(
        after sequence: Int64, in state: Snapshot
    ) throws(StoreError) -> Statement {
        let row =
            switch self {
            case .content where state.ahead == nil:
                try state.connection.statement(SQL.articleTransitionsAfter)
            case .content: try state.connection.statement(SQL.transitionsAfter)
            case .comments: try state.connection.statement(SQL.commentTransitionsAfter)
            case .bookmarks: try state.connection.statement(SQL.bookmarkTransitionsAfter)
            }
        try bind(row)
        try row.bind(2, sequence)
        return row
    }

    private func bind(_ row: borrowing Statement) throws(StoreError) {
        switch self {
        case .content(let audience): try row.bind(1, audience.number)
        case .comments(let article, let audience):
            try row.bind(1, audience.number)
            try row.bind(3, article)
        case .bookmarks(let user): try row.bind(1, user)
        }
    }
}

/// Walks over one log.
final class LogCursor {
    let log: ChangeLog
    /// The current one; `nil` at the end.
    private(set) var transition: Transition?
    private let rows: Statement
    /// True if the rows are read with their articles, as SQLite does.
    private let hasArticles: Bool

    /// Starts after this number.
    init(
        over log: ChangeLog, after sequence: Int64, in state: Snapshot
    ) throws(StoreError) {
        self.log = log
        if case .content = log { hasArticles = state.ahead == nil } else { hasArticles = false }
        rows = try log.rows(after: sequence, in: state)
        try advance()
    }

    func advance() throws(StoreError) {
        transition = try rows.step() ? Transition(rows) : nil
    }

    /// The article of the current transition, if it is one's and was read with it.
    func article() throws(StoreError) -> StoredArticle? {
        guard hasArticles, !rows.isNull(Transition.columns + StoredArticle.numberColumn) else {
            return nil
        }
        return try StoredArticle(rows, from: Transition.columns)
    }

    /// The numbers of the articles of the next transitions, as far as they have been read.
    func upcomingArticles(_ limit: Int) -> [Int64] {
        let articles = rows.upcoming(limit).filter {
            $0.integer(1) == SubjectKind.article.rawValue && $0.integer(4) == 0
        }
        return articles.map { $0.integer(2) }
    }

    /// The walk whose current transition comes first; `nil` at the end of all.
    static func first(of walks: [LogCursor]) -> LogCursor? {
        var first: LogCursor?
        for walk in walks {
            guard let sequence = walk.transition?.sequence else { continue }
            if let other = first?.transition?.sequence, other <= sequence { continue }
            first = walk
        }
        return first
    }
}
