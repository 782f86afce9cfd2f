import ArticleAPI
import ArticleStore

/// The logs of readers' additions to articles, if a query is for them: the comments on an article,
/// and a user's bookmarks.
///
/// A reader with an account has two logs of comments, which are read as one: that of the public and
/// that of the reader's own comments. A change that is in both is taken from the latter.
struct ReaderLogs {
    let logs: [ChangeLog]
    private let state: Snapshot
    private let viewer: CommentViewer

    init(of query: ChangeQuery, in state: Snapshot) throws(StoreError) {
        self.state = state
        viewer = query.viewer
        var logs: [ChangeLog] = []
        var user: TransitionAudience?
        if let id = query.user, let number = try state.userNumber(id) {
            user = .owner(id, number: number)
            if query.kinds.contains(.bookmark) { logs.append(.bookmarks(of: number)) }
        }
        guard !query.kinds.contains(.bookmark) || user != nil else { throw .notFound }
        if query.kinds.contains(.comment) {
            guard let id = query.article, let article = try state.stored(.id(id)),
                article.isVisible(to: viewer.audience)
            else { throw .notFound }
            let isEditor = viewer.audience == .editors
            let audiences: [TransitionAudience?] = isEditor ? [.editors] : [user, .everyone]
            for case let audience? in audiences {
                logs.append(.comments(on: article.number, for: audience))
            }
        }
        self.logs = logs
    }

    private static let deletionBytes = 128
    private static let bookmarkBytes = 256

    /// Returns the client's change, and its size; `nil` if there is none.
    func change(
        _ transition: Transition, in log: ChangeLog
    ) throws(StoreError) -> (change: SyncChange<Article>, bytes: Int)? {
        switch log {
        case .content: return nil
        case .comments(_, let audience):
            let stored = try state.storedComment(number: transition.subject)
            // The own log has it, perhaps with a later number.
            if audience == .everyone, stored.isOwn(viewer) { return nil }
            guard !transition.isDeparture else {
                return (
                    .deleteComment(stored.id, revision: transition.revision), Self.deletionBytes
                )
            }
            return (.putComment(try state.present(stored, to: viewer)), stored.bytes)
        case .bookmarks(let user):
            guard !transition.isDeparture else {
                let subject = try state.subject(.bookmark, number: transition.subject)
                guard case .bookmark(let id) = subject else { return nil }
                return (.deleteBookmark(id, revision: transition.revision), Self.deletionBytes)
            }
            guard let bookmark = try state.bookmark(of: transition.subject, for: user) else {
                throw .corrupt("the bookmark of article \(transition.subject) is missing")
            }
            return (.putBookmark(bookmark), Self.bookmarkBytes)
        }
    }
}
