import ArticleAPI
import ArticleClient
import ArticleModels
import ArticleOffline

/// What is on the screen.
enum Screen {
    case list(selected: Int)
    case article(Article.ID, top: Int)
    case comments(on: Article.ID, top: Int)
}

/// What keys do.
enum Mode {
    case reading
    case typing(Field, String)
}

/// What can be typed.
enum Field: Hashable {
    case tag, title, newTitle, comment, name
    case password(of: String)

    var label: String {
        switch self {
        case .password: "password"
        case .newTitle: "new title"
        case .tag, .title, .comment, .name: "\(self)"
        }
    }

    /// What is shown of the text: of a password only its length.
    func shown(_ text: String) -> String {
        if case .password = self { String(repeating: "•", count: text.count) } else { text }
    }
}

/// What screens show. The store, the mirror and the outbox change it; nothing else does.
struct Contents {
    var articles: [RememberedArticle] = []
    /// The open article; `nil` while nothing is known of it.
    var article: RememberedArticle?
    var comments: [Comment] = []
    var bookmarked: Set<Article.ID> = []
    var mirror = ArticleMirror.State.idle
    var writes: [OutboxEntry] = []
    var isInAirplane = false
    /// The result of the last action.
    var note = ""

    /// The conflict about the open article, if there is one.
    var conflict: (entry: OutboxEntry, theirs: Article?)? {
        for entry in writes where entry.article == article?.id {
            if case .conflict(let theirs) = entry.status { return (entry, theirs) }
        }
        return nil
    }
}

// MARK: Lines

@MainActor extension Contents {
    func listLines(selected: Int, rows: Int) -> [String] {
        let top = max(0, selected - rows + 4)
        return articles.enumerated().dropFirst(top).map { index, remembered in
            let names = remembered.article.authors.map(\.name).joined(separator: ", ")
            let mark = remembered.pending.map { " [\($0.label)]" } ?? ""
            return
                "\(index == selected ? "▸" : " ") \(remembered.article.title)\(mark)  — \(names)"
        }
    }

    func articleLines(columns: Int) -> [String] {
        guard let article = article?.article else { return ["this article is gone"] }
        let star = bookmarked.contains(article.id) ? " · ★" : ""
        let mark = self.article?.pending.map { " · \($0.label)" } ?? ""
        let facts =
            "\(article.readingMinutes) min · revision \(article.revision)\(star)\(mark)"
        let text = article.summary + "\n\n" + (article.body ?? "loading …")
        return [article.title, facts] + conflictLines + [""] + Terminal.wrapped(text, columns)
    }

    private var conflictLines: [String] {
        guard let (entry, theirs) = conflict else { return [] }
        let mine = [entry].overlay(on: entry.base)?.title
        return [
            "Someone else has changed this article.",
            "m keeps yours:   \(mine ?? "(deleted)")",
            "t takes theirs:  \(theirs?.title ?? "(deleted)")",
        ]
    }

    func commentLines(columns: Int) -> [String] {
        let text = comments.map { comment in
            let mark = comment.parentID == nil ? "" : "↳ "
            let name = comment.author?.displayName ?? "a deleted user"
            let body = comment.body.isEmpty ? "[\(comment.status)]" : comment.body
            return "\(mark)\(name): \(body)"
        }
        return [article?.article.title ?? "", "\(comments.count) comments", ""]
            + Terminal.wrapped(text.joined(separator: "\n\n"), columns)
    }

    /// The last line: where the mirror is, what waits to be sent, and what the last action gave.
    func status(after first: String = "") -> String {
        let unsent = writes.count { if case .rejected = $0.status { false } else { true } }
        let parts = [
            first, isInAirplane ? "✈" : mirror.label, unsent > 0 ? "\(unsent) unsent" : "", note,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }
}

extension ArticleMirror.State {
    fileprivate var label: String {
        switch self {
        case .idle: ""
        case .initial(let fraction): fraction.map { "\(Int($0 * 100)) %" } ?? "loading …"
        case .catchingUp: "catching up"
        case .live: "live"
        case .waiting(_, let error): error.localizedDescription
        case .paused: "paused"
        case .full: "full"
        }
    }
}

extension OutboxEntry.Status {
    fileprivate var label: String {
        switch self {
        case .waiting: "unsent"
        case .sending: "sending"
        case .conflict: "conflict"
        case .needsConfirmation: "unconfirmed"
        case .rejected: "rejected"
        }
    }
}
