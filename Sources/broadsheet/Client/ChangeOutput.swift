import ArticleAPI
import BroadsheetCommandLine

/// One line for each change: text for people, JSON for programs.
struct ChangeOutput {
    private let isJSON: Bool

    init(_ session: Session) { isJSON = session.isJSON }

    func show(
        _ change: SyncChange<Article>, token: String, at time: Timestamp
    ) throws(CommandFailure) {
        try Console.print(
            isJSON ? Self.json(change, token: token) : Self.text(change, at: time))
    }

    /// Returns the time of day, the action, its subject, the new revision, and the title.
    static func text(_ change: SyncChange<Article>, at time: Timestamp) -> String {
        let parts: [String] =
            switch change {
            case .putArticle(let article, let revision):
                ["changed", "article", article.slug, "\(revision)", article.title]
            case .deleteArticle(let id, let revision):
                ["removed", "article", "\(id)", "\(revision)"]
            case .putAuthor(let author):
                ["changed", "author", "\(author.id)", "\(author.revision)", author.name]
            case .deleteAuthor(let id, let revision):
                ["removed", "author", "\(id)", "\(revision)"]
            case .putComment(let comment):
                ["changed", "comment", "\(comment.id)", "\(comment.revision)", comment.body]
            case .deleteComment(let id, let revision):
                ["removed", "comment", "\(id)", "\(revision)"]
            case .putBookmark(let bookmark):
                ["changed", "bookmark", "\(bookmark.id)", "\(bookmark.revision)"]
            case .deleteBookmark(let id, let revision):
                ["removed", "bookmark", "\(id)", "\(revision)"]
            case .unknown(let type): ["changed", type]
            }
        return TerminalText.escapedLine(([LocalTime.clock(time)] + parts).joined(separator: "  "))
    }

    /// The change as in the API, with the token at which it was sent.
    static func json(_ change: SyncChange<Article>, token: String) -> String {
        var writer = JSONWriter()
        writer.string(token)
        let object = String(decoding: change.json().dropLast(), as: UTF8.self)
        return object + ",\"token\":" + String(decoding: writer.bytes, as: UTF8.self) + "}"
    }
}
