import ArticleAPI
import BroadsheetCommandLine

/// The output of the commands for comments and bookmarks.
struct CommentOutput {
    private let session: Session

    init(_ session: Session) { self.session = session }

    func show(_ page: Page<ArticleComment>) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(page) }
        var table = Table("id", "status", "time", "author", "text")
        for comment in page.items {
            // A reply follows a mark, and the text is one line.
            let text = comment.body.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            table.add(
                comment.id.description, comment.status.name, "\(comment.createdAt)",
                comment.author?.displayName ?? "-", (comment.parentID == nil ? "" : "↳ ") + text)
        }
        try session.show(table, next: page.next)
    }

    /// Reports an action on a comment.
    func confirm(_ action: String, _ comment: ArticleComment) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(comment) }
        try Console.print("\(action) \(comment.id), \(comment.status.name)")
    }

    /// - Parameter titles: those of the articles that are known.
    func show(_ page: Page<Bookmark>, titles: [Article.ID: String]) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(page) }
        var table = Table("article", "read", "since", "title")
        for bookmark in page.items {
            let percent = bookmark.position.map { "\(Int(($0 * 100).rounded())) %" }
            table.add(
                bookmark.articleID.description, percent ?? "-",
                String("\(bookmark.createdAt)".prefix(10)), titles[bookmark.articleID] ?? "-")
        }
        try session.show(table, next: page.next)
    }

    func confirm(_ bookmark: Bookmark) throws(CommandFailure) {
        if session.isJSON { return try session.showJSON(bookmark) }
        try Console.print("bookmarked \(bookmark.articleID)")
    }
}
