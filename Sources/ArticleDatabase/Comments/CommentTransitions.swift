import ArticleAPI
import ArticleStore

/// The changes of comments, by article and audience.
extension SQL {
    static let setCommentTransition: StaticString = """
        INSERT INTO comment_transitions (article, audience, sequence, comment, revision,
            is_departure)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (comment, audience) DO UPDATE SET sequence = excluded.sequence,
            revision = excluded.revision, is_departure = excluded.is_departure
        """
    static let removeCommentTransition: StaticString =
        "DELETE FROM comment_transitions WHERE comment = ?1 AND audience = ?2"
    static let lastCommentOfUser: StaticString = """
        SELECT number FROM comments WHERE writer = ?1 ORDER BY created_at DESC LIMIT 1
        """
    static let commentsOfUser: StaticString =
        "SELECT number FROM comments WHERE writer = ?1 ORDER BY created_at LIMIT ?2"
}

extension WriteStep {
    /// Gives a change of a comment its number, and records its meaning for each audience.
    func recordTransitions(
        of comment: StoredComment, after before: StoredComment?, renaming user: User.ID?
    ) throws(StoreError) {
        let sequence = try recordChange(
            of: .comment(comment.id, on: comment.articleID), number: comment.number,
            revision: comment.revision, isDeletion: comment.state == .deleted,
            isPublic: comment.sight == 2 || before?.sight == 2, renaming: user)
        func record(_ audience: Int64, was: Bool, isNow: Bool) throws(StoreError) {
            guard was || isNow else { return }
            let row = try connection.statement(SQL.setCommentTransition)
            try row.bind(1, comment.article)
            try row.bind(2, audience)
            try row.bind(3, sequence)
            try row.bind(4, comment.number)
            try row.bind(5, comment.revision)
            try row.bind(6, isNow ? 0 : 1)
            try row.run()
        }
        let (was, isNow) = (before?.sight ?? 0, comment.sight)
        try record(
            TransitionAudience.everyone.number, was: was == 2, isNow: isNow == 2)
        try record(TransitionAudience.editors.number, was: was > 0, isNow: isNow > 0)
        guard let writer = comment.writer else { return }
        try record(
            TransitionAudience.number(ofUser: writer), was: before?.isSeenByWriter ?? false,
            isNow: comment.isSeenByWriter)
    }

    // MARK: Users

    /// Records a new display name, which changes the user's comments. It gets one number, that of
    /// the last comment: clients take names from the latest response.
    func recordRename(ofUser number: Int64, _ id: User.ID) throws(StoreError) {
        let row = try connection.statement(SQL.lastCommentOfUser)
        try row.bind(1, number)
        guard try row.step() else { return }
        let comment = try state.storedComment(number: row.integer(0))
        _ = try write(comment, after: comment, renaming: id)
    }

    /// Takes the writer from up to `limit` comments of a user, or also their text; `false` if this
    /// was the rest of them.
    func forgetComments(
        ofUser number: Int64, _ disposal: User.CommentDisposal, limit: Int
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.commentsOfUser)
        try row.bind(1, number)
        try row.bind(2, limit)
        var numbers: [Int64] = []
        while try row.step() { numbers.append(row.integer(0)) }
        for number in numbers {
            let before = try state.storedComment(number: number)
            try forget(before, disposal)
        }
        return numbers.count == limit
    }

    private func forget(
        _ before: StoredComment, _ disposal: User.CommentDisposal
    ) throws(StoreError) {
        guard let writer = before.writer else { return }
        var after = before
        after.writer = nil
        after.author = nil
        if disposal == .delete {
            after.state = .deleted
            after.body = ""
        }
        _ = try write(after, after: before)
        // The number of the user may be reused.
        let row = try connection.statement(SQL.removeCommentTransition)
        try row.bind(1, before.number)
        try row.bind(2, TransitionAudience.number(ofUser: writer))
        try row.run()
    }
}

extension StoredComment {
    fileprivate var isSeenByWriter: Bool { sight == 2 || state == .pending }
}
