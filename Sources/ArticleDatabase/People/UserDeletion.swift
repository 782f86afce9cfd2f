public import ArticleAPI
public import ArticleStore

/// The deletion of users, with their data: in several commits, which are continued after any
/// interruption.
extension SQLStore {
    public func beginDeletion(
        of id: UserRecord.ID, expecting revision: Int?, comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.beginDeletion(of: id, expecting: revision, comments, at: time)
        }
    }

    public func finishDeletion(
        of id: UserRecord.ID, at time: Timestamp
    ) async throws(StoreError) {
        var isDeleted = false
        while !isDeleted {
            isDeleted = try await submit { (step) throws(StoreError) in
                try step.deleteMore(of: id, at: time)
            }
        }
    }

    public func unfinishedDeletions() async throws(StoreError) -> [UserRecord.ID] {
        try await read { (state) throws(StoreError) in try state.unfinishedDeletions() }
    }
}

extension SQL {
    static let beginDeletion: StaticString =
        """
        UPDATE users SET deletion = CASE WHEN deletion > ?2 THEN deletion ELSE ?2 END
        WHERE number = ?1
        """
    static let deletion: StaticString = "SELECT number, deletion FROM users WHERE id = ?1"
    static let unfinishedDeletions: StaticString =
        "SELECT id FROM users WHERE deletion >= 0 LIMIT 100"
    static let removeSomeTransitions: StaticString = """
        DELETE FROM transitions WHERE audience = ?1 AND sequence IN (
            SELECT sequence FROM transitions WHERE audience = ?1 LIMIT ?2)
        """
    static let deleteUser: StaticString = "DELETE FROM users WHERE number = ?1"
}

extension Snapshot {
    fileprivate func unfinishedDeletions() throws(StoreError) -> [UserRecord.ID] {
        let row = try connection.statement(SQL.unfinishedDeletions)
        var ids: [UserRecord.ID] = []
        while try row.step() { ids.append(try row.identifier(0)) }
        return ids
    }
}

extension WriteStep {
    /// Writes other than this one wait for a step, so that each has few comments.
    private static let commentsPerStep = 200
    /// The number of other rows that are removed in one commit.
    private static let forgottenPerCommit = 5_000

    fileprivate func beginDeletion(
        of id: UserRecord.ID, expecting revision: Int?, _ disposal: User.CommentDisposal,
        at time: Timestamp
    ) throws(StoreError) {
        let user = try user(id, expecting: revision)
        var record = user.record
        record.isDisabled = true
        record.accessEpoch += 1
        record.revision += 1
        record.updatedAt = max(time, record.updatedAt)
        try update(user.number, to: record)
        try endSessions(of: user.number, id, except: nil)
        let row = try connection.statement(SQL.beginDeletion)
        try row.bind(1, user.number)
        try row.bind(2, disposal == .delete ? 1 : 0)
        try row.run()
    }

    /// Deletes the user, unless too much depends on it for one commit: then a part of this is
    /// removed, and the result is `false`.
    fileprivate func deleteMore(
        of id: UserRecord.ID, at time: Timestamp
    ) throws(StoreError) -> Bool {
        let found = try connection.statement(SQL.deletion)
        try found.bind(1, id)
        guard try found.step(), let deletion = found.optionalInteger(1) else { return true }
        let number = found.integer(0)
        let disposal: User.CommentDisposal = deletion == 1 ? .delete : .keep
        guard
            try !forgetComments(ofUser: number, disposal, limit: Self.commentsPerStep),
            try disown(id, at: time), try forgetTransitions(ofUser: number),
            try removeWrites(ofUser: id, limit: Self.forgottenPerCommit)
        else { return false }
        try forgetBookmarks(ofUser: number)
        try endSessions(of: number, id, except: nil)
        try forgetInvited(number)
        try forgetIdentities(of: number)
        try forgetActorName(id)
        let row = try connection.statement(SQL.deleteUser)
        try row.bind(1, number)
        try row.run()
        return true
    }

    /// Removes the log of an owner, as another user may get the number, and the transitions of
    /// removed bookmarks; `false` if there may be more of it.
    private func forgetTransitions(ofUser number: Int64) throws(StoreError) -> Bool {
        guard try forgetBookmarkRemovals(ofUser: number, limit: Self.forgottenPerCommit)
        else { return false }
        let row = try connection.statement(SQL.removeSomeTransitions)
        try row.bind(1, TransitionAudience.number(ofUser: number))
        try row.bind(2, Self.forgottenPerCommit)
        try row.run()
        return connection.changedRows < Self.forgottenPerCommit
    }
}
