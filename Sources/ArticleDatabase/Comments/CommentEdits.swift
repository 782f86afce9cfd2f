public import ArticleAPI
public import ArticleStore

/// Writing, changing and deleting comments.
extension SQLStore {
    public func commentContext(
        of content: CommentContent, as id: ArticleComment.ID, at time: Timestamp
    ) async throws(StoreError) -> CommentContext {
        try await read { (state) throws(StoreError) in
            try state.place(of: content, as: id, at: time).commentContext
        }
    }

    public func edition(
        of id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer
    ) async throws(StoreError) -> CommentEdition {
        try await read { (state) throws(StoreError) in
            try state.edition(of: state.editable(id, expecting: expectation, viewer), viewer)
        }
    }

    public func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, under rules: CommentRules, by edit: Edit
    ) async throws(StoreError) -> ArticleComment {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let comment = try step.createComment(id, content, under: rules, at: edit.time)
            try step.keep(.comment(comment, isNew: true), of: edit)
            return comment
        }
    }

    public func updateComment(
        _ id: ArticleComment.ID, _ changes: ArticleComment.Changes, html: BodyHTML?,
        under rules: CommentRules,
        expecting expectation: Precondition, as viewer: CommentViewer, by edit: Edit
    ) async throws(StoreError) -> ArticleComment {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let before = try step.state.editable(id, expecting: expectation, viewer)
            let after = try rules.changed(
                step.state.edition(of: before, viewer), by: changes, as: viewer, at: edit.time)
            let comment = try step.update(before, to: after, html: html, at: edit.time)
            try step.keep(.comment(comment, isNew: false), of: edit)
            return comment
        }
    }

    public func deleteComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        by edit: Edit
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            try step.deleteComment(id, expecting: expectation, as: viewer, at: edit.time)
            try step.keep(.nothing, of: edit)
        }
    }
}

extension SQL {
    static let recentComments: StaticString = """
        SELECT created_at FROM comments WHERE writer = ?1 AND created_at BETWEEN ?2 AND ?3
        ORDER BY created_at DESC LIMIT 1000
        """
    static let sameComment: StaticString = """
        SELECT 1 FROM comments
        WHERE writer = ?1 AND created_at BETWEEN ?2 AND ?3 AND article = ?4 AND body = ?5 LIMIT 1
        """
    fileprivate static let insertComment: StaticString = """
        INSERT INTO comments (id, article, parent, writer, state, body, created_at, updated_at,
            revision, visible_replies, sight)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10) ON CONFLICT (id) DO NOTHING
        """
    /// HTML of another text is removed.
    static let updateComment: StaticString = """
        UPDATE comments SET writer = ?2, state = ?3, body = ?4, updated_at = ?5, revision = ?6,
            visible_replies = ?7, sight = ?8, renderer = CASE WHEN body = ?4 THEN renderer END,
            html = CASE WHEN body = ?4 THEN html END
        WHERE number = ?1
        """
    static let countVisible: StaticString = """
        INSERT INTO comment_counts (article, visible) VALUES (?1, 1)
        ON CONFLICT (article) DO UPDATE SET visible = comment_counts.visible + 1
        """
    static let uncountVisible: StaticString =
        "UPDATE comment_counts SET visible = visible - 1 WHERE article = ?1"
}

/// The place of a new comment.
private struct CommentTarget {
    let article: Int64
    let writer: Int64
    let parent: Int64?
    let commentContext: CommentContext
}

extension Snapshot {
    private static let hour: Int64 = 60 * 60 * 1_000
    private static let minute: Int64 = 60 * 1_000

    fileprivate func place(
        of content: CommentContent, as id: ArticleComment.ID, at time: Timestamp
    ) throws(StoreError) -> CommentTarget {
        guard let article = try stored(.id(content.article)),
            article.isVisible(to: content.audience),
            let writer = try userNumber(content.writer)
        else { throw .notFound }
        guard try storedComment(id) == nil else { throw .idTaken }
        let parent = try parent(of: content, on: article.number)
        let commentContext = CommentContext(
            policy: article.revision.content.comments?.policy,
            isParentUnusable: content.parent != nil && parent == nil,
            recent: try recent(by: writer, at: time),
            isRepetition: try isRepetition(content, on: article.number, by: writer, at: time))
        return CommentTarget(
            article: article.number, writer: writer, parent: parent?.number,
            commentContext: commentContext)
    }

    /// The comment that a new one replies to; `nil` if it cannot have this reply.
    private func parent(
        of content: CommentContent, on article: Int64
    ) throws(StoreError) -> StoredComment? {
        guard let id = content.parent, let parent = try storedComment(id),
            parent.article == article, parent.parent == nil, parent.state == .visible
        else { return nil }
        return parent
    }

    /// Those of a minute after the time are also recent: they were committed first, while this one
    /// waited, or come from a machine whose clock is ahead. Later ones are no limit, as a clock may
    /// have been set back.
    private func recent(by writer: Int64, at time: Timestamp) throws(StoreError) -> [Timestamp] {
        let row = try connection.statement(SQL.recentComments)
        try row.bind(1, writer)
        try row.bind(2, time.milliseconds - Self.hour + 1)
        try row.bind(3, time.milliseconds + Self.minute)
        var times: [Timestamp] = []
        while try row.step() { times.append(row.time(0)) }
        return times
    }

    private func isRepetition(
        _ content: CommentContent, on article: Int64, by writer: Int64, at time: Timestamp
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.sameComment)
        try row.bind(1, writer)
        try row.bind(2, time.milliseconds - Self.minute + 1)
        try row.bind(3, time.milliseconds + Self.minute)
        try row.bind(4, article)
        try row.bind(5, content.body)
        return try row.step()
    }

    /// A comment that the viewer may try to change.
    fileprivate func editable(
        _ id: ArticleComment.ID, expecting expectation: Precondition, _ viewer: CommentViewer
    ) throws(StoreError) -> StoredComment {
        let comment = try comment(id, visibleTo: viewer)
        // The placeholder of a comment among its replies cannot be edited.
        guard comment.state != .deleted, comment.isWhole(to: viewer) else { throw .notFound }
        try expectation.check(comment.version, in: self)
        return comment
    }

    fileprivate func edition(
        of comment: StoredComment, _ viewer: CommentViewer
    ) throws(StoreError) -> CommentEdition {
        let article = try stored(number: comment.article)
        return CommentEdition(
            comment: try present(comment), isOwn: comment.isOwn(viewer),
            policy: article.revision.content.comments?.policy)
    }
}

extension WriteStep {
    fileprivate func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, under rules: CommentRules,
        at time: Timestamp
    ) throws(StoreError) -> ArticleComment {
        let place = try state.place(of: content, as: id, at: time)
        let status = try rules.status(
            of: place.commentContext, byEditor: content.audience == .editors, at: time)
        let comment = ArticleComment(
            id: id, articleID: content.article, body: content.body, status: status,
            createdAt: time, updatedAt: time)
        guard
            let number = try insert(
                comment, on: place.article, to: place.parent, by: place.writer)
        else { throw .idTaken }
        if let html = content.bodyHTML { try keep(html, ofComment: number) }
        let stored = try state.storedComment(number: number)
        try record(stored, after: nil)
        return try state.present(stored)
    }

    /// Returns the number of the new row; `nil` if the id is taken.
    func insert(
        _ comment: ArticleComment, on article: Int64, to parent: Int64?, by writer: Int64?
    ) throws(StoreError) -> Int64? {
        let state = try CommentState(comment.status)
        let row = try connection.statement(SQL.insertComment)
        try row.bind(1, comment.id)
        try row.bind(2, article)
        try row.bind(3, parent)
        try row.bind(4, writer)
        try row.bind(5, state.rawValue)
        try row.bind(6, comment.body)
        try row.bind(7, comment.createdAt)
        try row.bind(8, comment.updatedAt)
        try row.bind(9, comment.revision)
        try row.bind(10, state.sight(visibleReplies: 0))
        return try row.insertUnlessTaken()
    }

    fileprivate func update(
        _ before: StoredComment, to changed: ArticleComment, html: BodyHTML?, at time: Timestamp
    ) throws(StoreError) -> ArticleComment {
        var after = before
        after.body = changed.body
        after.state = try CommentState(changed.status)
        guard after.body != before.body || after.state != before.state else {
            return try state.present(before)
        }
        if after.body != before.body { after.updatedAt = max(time, before.updatedAt) }
        let stored = try write(after, after: before)
        if let html, after.body != before.body { try keep(html, ofComment: stored.number) }
        return try state.present(stored)
    }

    fileprivate func deleteComment(
        _ id: ArticleComment.ID, expecting expectation: Precondition, as viewer: CommentViewer,
        at time: Timestamp
    ) throws(StoreError) {
        guard let before = try state.storedComment(id), before.state != .deleted,
            before.isOwn(viewer) || before.isVisible(to: viewer) && before.isWhole(to: viewer)
        else { throw .notFound }
        try expectation.check(before.version, in: state)
        guard before.isOwn(viewer) || viewer.audience == .editors else { throw .notTheWriter }
        try delete(before, at: time)
    }

    func delete(_ comment: StoredComment, at time: Timestamp) throws(StoreError) {
        var after = comment
        after.state = .deleted
        after.body = ""
        after.updatedAt = max(time, comment.updatedAt)
        _ = try write(after, after: comment)
    }

    /// Stores a new revision of a comment with its consequences, and returns it.
    ///
    /// - Parameters:
    ///   - changed: its new state, with the former revision.
    ///   - before: its former state.
    ///   - user: the writer, if it is a new name of theirs that changes the comment.
    func write(
        _ changed: StoredComment, after before: StoredComment, renaming user: User.ID? = nil
    ) throws(StoreError) -> StoredComment {
        var comment = changed
        comment.revision = before.revision + 1
        try set(comment)
        if comment.state == .deleted { try removeKeptText(ofComment: comment.number) }
        try record(comment, after: before, renaming: user)
        return comment
    }

    private func set(_ comment: StoredComment) throws(StoreError) {
        let row = try connection.statement(SQL.updateComment)
        try row.bind(1, comment.number)
        try row.bind(2, comment.writer)
        try row.bind(3, comment.state.rawValue)
        try row.bind(4, comment.body)
        try row.bind(5, comment.updatedAt)
        try row.bind(6, comment.revision)
        try row.bind(7, comment.visibleReplies)
        try row.bind(8, comment.sight)
        try row.run()
    }

    /// Records the change of a stored comment, and its consequences: the counter of its article and
    /// that of its parent, which appears or departs with its first and last visible reply if it is
    /// not visible itself.
    ///
    /// - Parameters:
    ///   - comment: its present state.
    ///   - before: its former state; `nil` if it is new.
    ///   - user: the writer, if it is a new name of theirs that changes the comment.
    ///   - isRestored: true if the parent already has the revision that this leads to.
    func record(
        _ comment: StoredComment, after before: StoredComment?, renaming user: User.ID? = nil,
        isRestored: Bool = false
    ) throws(StoreError) {
        try recordTransitions(of: comment, after: before, renaming: user)
        let (was, isNow) = (before?.state == .visible, comment.state == .visible)
        guard was != isNow else { return }
        let count = try connection.statement(isNow ? SQL.countVisible : SQL.uncountVisible)
        try count.bind(1, comment.article)
        try count.run()
        guard let number = comment.parent else { return }
        let old = try state.storedComment(number: number)
        var parent = old
        parent.visibleReplies += isNow ? 1 : -1
        if parent.sight != old.sight, !isRestored {
            _ = try write(parent, after: old)
        } else {
            try set(parent)
            guard parent.sight != old.sight else { return }
            try recordTransitions(of: parent, after: old, renaming: nil)
        }
    }
}
