import ArticleAPI
import ArticleStore

/// The removal of the rest of articles that were deleted long ago, which takes several commits
/// each: everything but their rows (`removeContent(ofDeleted:)`), also from the logs of changes.
extension SQLStore {
    /// One step of it, which sets the walk's next phase.
    func dropArticles(
        _ rules: RetentionRules, at time: Timestamp, after position: ArticlePosition?,
        _ walk: inout RetentionProgress
    ) async throws(StoreError) {
        walk.phase = .histories(after: 0)
        guard let kept = rules.deletedMilliseconds else { return }
        let end = time.advanced(byMilliseconds: -kept)
        let found = try await read { (state) throws(StoreError) in
            try state.deletedArticle(after: position, before: end)
        }
        guard let found else { return }
        let outcome = try await submitAsLeader { (step) throws(StoreError) in
            try step.drop(found.number, deletedBefore: end)
        }
        if outcome == .isDropped { walk.articles += 1 }
        walk.phase = .deleted(after: outcome == .isPostponed ? found.position : position)
    }
}

extension SQL {
    fileprivate static let deletedAfter: StaticString = """
        SELECT number, deleted_at, id FROM articles
        WHERE deleted_at < ?1 AND (deleted_at, id) > (?2, ?3) ORDER BY deleted_at, id LIMIT 1
        """
    fileprivate static let lastChangeOfArticle: StaticString =
        "SELECT coalesce(max(sequence), 0) FROM changes WHERE kind = ?1 AND subject = ?2"
    fileprivate static let formerRevisions: StaticString = """
        SELECT number, owner FROM revisions
        WHERE row > ?1 << 20 AND row < (?1 << 20 | ?2) ORDER BY row LIMIT ?3
        """
    fileprivate static let raiseFloor: StaticString = """
        INSERT INTO floors (audience, sequence, mark)
        SELECT audience, sequence,
            (SELECT mark FROM changes WHERE changes.sequence = transitions.sequence)
        FROM transitions WHERE audience = ?1 AND kind = 0 AND subject = ?2
        ON CONFLICT (audience) DO UPDATE SET sequence = excluded.sequence, mark = excluded.mark
        WHERE excluded.sequence > floors.sequence
        """
    fileprivate static let removeTransition: StaticString =
        "DELETE FROM transitions WHERE audience = ?1 AND kind = 0 AND subject = ?2"
    fileprivate static let changesOfSubject: StaticString = """
        SELECT sequence FROM changes WHERE kind = ?1 AND subject = ?2 ORDER BY sequence LIMIT ?3
        """
    fileprivate static let removeChange: StaticString = "DELETE FROM changes WHERE sequence = ?1"
    fileprivate static let setDropped: StaticString =
        "UPDATE retention SET dropped = ?1 WHERE dropped < ?1"
    fileprivate static let threads: StaticString = """
        SELECT number, state FROM comments WHERE article = ?1 AND parent IS NULL
        ORDER BY number LIMIT ?2
        """
    fileprivate static let replies: StaticString =
        "SELECT number, state FROM comments WHERE parent = ?1"
    fileprivate static let removeCommentWrites: StaticString =
        "DELETE FROM kept_writes WHERE comment = ?1"
    fileprivate static let removeCommentTransitions: StaticString =
        "DELETE FROM comment_transitions WHERE comment = ?1"
    fileprivate static let removeComment: StaticString = "DELETE FROM comments WHERE number = ?1"
    fileprivate static let uncountComment: StaticString =
        "UPDATE comment_counts SET visible = visible - 1 WHERE article = ?1"
    fileprivate static let floor: StaticString =
        "SELECT sequence FROM floors WHERE audience = ?1"
}

extension Snapshot {
    /// The number up to which a client must have followed the changes, as later ones were removed;
    /// 0 if none were.
    func floor(of query: ChangeQuery) throws(StoreError) -> Int64 {
        guard !query.kinds.isDisjoint(with: SyncKind.content) else { return 0 }
        var floor: Int64 = 0
        for audience in try AudienceLogs(of: query.audience, in: self).logs {
            let row = try connection.statement(SQL.floor)
            try row.bind(1, audience.number)
            if try row.step() { floor = max(floor, row.integer(0)) }
        }
        return floor
    }

    fileprivate func deletedArticle(
        after position: ArticlePosition?, before end: Timestamp
    ) throws(StoreError) -> (number: Int64, position: ArticlePosition)? {
        let row = try connection.statement(SQL.deletedAfter)
        try row.bind(1, end)
        try row.bind(2, position?.key ?? .min)
        if let position { try row.bind(3, position.id) } else { try row.bind(3, [UInt8]()) }
        guard try row.step() else { return nil }
        return (
            row.integer(0), ArticlePosition(key: row.integer(1), id: try row.identifier(2))
        )
    }
}

/// The result of a step with a deleted article.
private enum DropOutcome {
    case isDropped, hasMore
    /// It was restored, or is part of the last change: its turn comes later.
    case isPostponed
}

extension WriteStep {
    /// The number of bookmarks, changes and threads of comments that a step removes.
    private static let rowsPerStep = 100

    /// Removes the article, or a part of it.
    fileprivate func drop(
        _ article: Int64, deletedBefore end: Timestamp
    ) throws(StoreError) -> DropOutcome {
        guard let stored = try state.storedUnlessEmpty(number: article),
            stored.state == .deleted, stored.revision.time < end,
            try isBeforeLastChange(.article, article)
        else { return .isPostponed }
        if try removeFormerRevisions(of: stored) { return .hasMore }
        switch try removeThreads(of: article) {
        case .hasMore: return .hasMore
        case .isPostponed: return .isPostponed
        case .isDropped: break
        }
        let bookmarks = try removeBookmarks(
            ofArticle: article, stored.id, limit: Self.rowsPerStep)
        if bookmarks == Self.rowsPerStep { return .hasMore }
        try removeTransitions(of: article, owner: stored.owner)
        // The last one stays as long as its revision.
        let changes = try changes(of: .article, article, limit: Self.rowsPerStep)
        if changes.count == Self.rowsPerStep {
            try remove(changes.dropLast())
            return .hasMore
        }
        try removeContent(ofDeleted: article)
        try remove(changes)
        return .isDropped
    }

    /// The number of the last change of all would be given to another one.
    private func isBeforeLastChange(
        _ kind: SubjectKind, _ subject: Int64
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.lastChangeOfArticle)
        try row.bind(1, kind.rawValue)
        try row.bind(2, subject)
        let last = try state.changeSequence()
        return try row.step() && row.integer(0) < last
    }

    /// Removes some of the revisions before the last one; `false` if there are none.
    private func removeFormerRevisions(of article: StoredArticle) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.formerRevisions)
        try row.bind(1, article.number)
        try row.bind(2, article.lastRevision)
        try row.bind(3, RetentionStepLimits.revisions)
        var (numbers, owners) = ([Int](), Set<UserRecord.ID>())
        while try row.step() {
            numbers.append(Int(row.integer(0)))
            if let owner: UserRecord.ID = try row.optionalIdentifier(1) { owners.insert(owner) }
        }
        for owner in owners where owner != article.owner {
            try removeTransition(of: article.number, fromLogOf: owner)
        }
        try removeRevisions(numbers, of: article.number)
        return !numbers.isEmpty
    }

    // MARK: Logs

    /// Removes the article from the logs of all who saw it.
    private func removeTransitions(
        of article: Int64, owner: UserRecord.ID?
    ) throws(StoreError) {
        for audience in [TransitionAudience.everyone, .editors] {
            try removeTransition(of: article, from: audience.number)
        }
        if let owner { try removeTransition(of: article, fromLogOf: owner) }
    }

    private func removeTransition(
        of article: Int64, fromLogOf owner: UserRecord.ID
    ) throws(StoreError) {
        guard let user = try state.userNumber(owner) else { return }
        try removeTransition(of: article, from: TransitionAudience.number(ofUser: user))
    }

    private func removeTransition(of article: Int64, from log: Int64) throws(StoreError) {
        for sql in [SQL.raiseFloor, SQL.removeTransition] {
            let row = try connection.statement(sql)
            try row.bind(1, log)
            try row.bind(2, article)
            try row.run()
        }
    }

    private func changes(
        of kind: SubjectKind, _ subject: Int64, limit: Int
    ) throws(StoreError) -> [Int64] {
        let row = try connection.statement(SQL.changesOfSubject)
        try row.bind(1, kind.rawValue)
        try row.bind(2, subject)
        try row.bind(3, limit)
        var sequences: [Int64] = []
        while try row.step() { sequences.append(row.integer(0)) }
        return sequences
    }

    private func remove(_ changes: some Collection<Int64>) throws(StoreError) {
        for sequence in changes { try run(SQL.removeChange, sequence) }
        if let last = changes.max() { try run(SQL.setDropped, last) }
    }

    // MARK: Comments

    /// Removes some threads of comments, each as a whole, so that counters of replies hold.
    private func removeThreads(of article: Int64) throws(StoreError) -> DropOutcome {
        let row = try connection.statement(SQL.threads)
        try row.bind(1, article)
        try row.bind(2, Self.rowsPerStep)
        var threads: [RemovedComment] = []
        while try row.step() { threads.append(RemovedComment(row)) }
        var removed = 0
        for thread in threads where removed < Self.rowsPerStep {
            let comments = try replies(to: thread.number) + [thread]
            for comment in comments where try !isBeforeLastChange(.comment, comment.number) {
                return .isPostponed
            }
            for comment in comments { try remove(comment, of: article) }
            removed += comments.count
        }
        return threads.isEmpty ? .isDropped : .hasMore
    }

    /// A comment that is removed.
    private struct RemovedComment {
        let number: Int64
        let isVisible: Bool

        init(_ row: borrowing Statement) {
            number = row.integer(0)
            isVisible = row.integer(1) == CommentState.visible.rawValue
        }
    }

    private func replies(to comment: Int64) throws(StoreError) -> [RemovedComment] {
        let row = try connection.statement(SQL.replies)
        try row.bind(1, comment)
        var replies: [RemovedComment] = []
        while try row.step() { replies.append(RemovedComment(row)) }
        return replies
    }

    private func remove(_ comment: RemovedComment, of article: Int64) throws(StoreError) {
        try run(SQL.removeCommentWrites, comment.number)
        try run(SQL.removeCommentTransitions, comment.number)
        try remove(changes(of: .comment, comment.number, limit: .max))
        try run(SQL.removeComment, comment.number)
        if comment.isVisible { try run(SQL.uncountComment, article) }
    }
}
