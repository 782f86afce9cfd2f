import ArticleAPI
import ArticleClient
import ArticleOffline

/// What is on the screen.
enum Screen {
    case list(selected: Int)
    case found(selected: Int)
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
    /// What to search for.
    case words
    case password(of: String)

    var label: String {
        switch self {
        case .password: "password"
        case .newTitle: "new title"
        case .words: "search"
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
    var articles: [CachedArticle] = []
    var found = SearchPage<Article>(items: [])
    /// What was searched for before, the newest first.
    var recent: [String] = []
    /// The open article; `nil` while nothing is known of it.
    var article: CachedArticle?
    var comments: [ArticleComment] = []
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
    /// The lines from the top, and how the last one begins.
    func lines(
        of screen: Screen, on size: (rows: Int, columns: Int)
    ) -> (lines: [String], first: String) {
        switch screen {
        case .list(let selected):
            (listLines(selected: selected, rows: size.rows), "\(articles.count) articles")
        case .found(let selected):
            (foundLines(selected: selected, rows: size.rows), "\(found.items.count) found")
        case .article(_, let top):
            (Array(articleLines(columns: size.columns).dropFirst(top)), "")
        case .comments(_, let top):
            (Array(commentLines(columns: size.columns).dropFirst(top)), "")
        }
    }

    /// The screen from which the article was opened.
    func screen(with id: Article.ID) -> Screen {
        if let place = found.items.firstIndex(where: { $0.id == id }) {
            return .found(selected: place)
        }
        return .list(selected: articles.firstIndex { $0.id == id } ?? 0)
    }

    func listLines(selected: Int, rows: Int) -> [String] {
        let top = max(0, selected - rows + 4)
        return articles.enumerated().dropFirst(top).map { index, cached in
            let names = cached.article.authors.map(\.name).joined(separator: ", ")
            let mark = cached.pending.map { " [\($0.label)]" } ?? ""
            return
                "\(index == selected ? "▸" : " ") \(cached.article.title)\(mark)  — \(names)"
        }
    }

    /// Titles with their excerpts, and brackets around what matches.
    func foundLines(selected: Int, rows: Int) -> [String] {
        let corrected = found.correctedTo.map { ["Nothing was found. Searched for: \($0)"] } ?? []
        let lines = found.items.enumerated().flatMap { index, hit in
            [
                "\(index == selected ? "▸" : " ") \(Self.marked(hit.title))",
                "    \(Self.marked(hit.excerpt))",
            ]
        }
        return corrected + lines.dropFirst(max(0, 2 * selected - rows + 5))
    }

    private static func marked(_ pieces: [SearchPiece]) -> String {
        pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined().replacing("\n", with: " ")
    }

    /// What was searched for before these words; `nil` if that was the first.
    func recent(before text: String) -> String? {
        let place = recent.firstIndex(of: text).map { $0 + 1 } ?? 0
        return recent.indices.contains(place) ? recent[place] : nil
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
