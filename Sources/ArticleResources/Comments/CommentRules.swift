public import ArticleAPI
package import ArticleServiceCore
package import ArticleStore

/// The permission to write, change and moderate comments, and its limits.
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
    ) throws(ServiceError) -> ArticleComment.Status {
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
    private func checkRate(_ times: [Timestamp], at now: Timestamp) throws(ServiceError) {
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

    /// Rejects a policy for an article that is less strict than the present one, except by editors:
    /// an author must not let comments through that editors want to approve.
    ///
    /// - Parameters:
    ///   - wanted: the requested policy; `nil` for that of the server, like `current`.
    package func check(
        _ wanted: CommentPolicy?, replacing current: CommentPolicy? = nil, by caller: Principal
    ) throws(ServiceError) {
        let present = current ?? policy
        guard caller.audience != .editors, wanted != current,
            (wanted ?? policy).strictness < present.strictness
        else { return }
        throw .invalidValue(
            "/comments",
            "must be stricter than the current policy, which is `\(present.name)`; only editors "
                + "can relax it")
    }

    /// The comment with the changes, as far as the caller may make them.
    func changed(
        _ edition: CommentEdition, by changes: ArticleComment.Changes, caller: Principal,
        at now: Timestamp
    ) throws(ServiceError) -> ArticleComment {
        var comment = edition.comment
        let isEditor = caller.audience == .editors
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
            guard isEditor else {
                throw .forbidden(needed: .editor, has: caller.role ?? .reader)
            }
            guard status == .visible || status == .hidden else {
                throw .invalidValue("/status", "can only be set to `visible` or `hidden`")
            }
            comment.status = status
        }
        return comment
    }

    /// Rejects the deletion of comments of others, except by editors.
    func checkDeletion(
        _ edition: CommentEdition, by caller: Principal
    ) throws(ServiceError) {
        guard edition.isOwn || caller.audience == .editors else { throw .notTheWriter }
    }

    /// Rejects a text in which there is nothing to read.
    static func checkText(_ body: String) throws(ServiceError) {
        let isBlank = body.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
        guard !isBlank else { throw .invalidValue("/body", "does not contain any text") }
    }
}

extension CommentPolicy {
    fileprivate var strictness: Int {
        switch self {
        case .open: 0
        case .moderated: 1
        case .closed: 2
        // Servers reject it before.
        case .unknown: -1
        }
    }
}
