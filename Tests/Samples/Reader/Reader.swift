import ArticleAPI
import ArticleClient
import ArticleModels
import Glibc

/// Articles of a backend in a terminal: `reader URL [KEY]`.
///
/// Arrows move, Enter opens an article and Escape leaves it; `/` filters the list by a tag while it
/// is typed, `e` edits the title of what is open, `c` shows its comments, `b` bookmarks it or takes
/// that back; `a` adds a comment, `s` signs in, `o` signs out, `r` loads anew, `q` ends.
@main @MainActor final class Reader {
    private enum Field: Hashable {
        case tag, title, comment, name
        case password(of: String)

        var label: String { if case .password = self { "password" } else { "\(self)" } }
    }
    private enum Screen {
        case list
        case article(Article, top: Int)
        case comments(Article, [Comment], top: Int)
    }

    private let backend: BackendService
    private let search: LatestWins
    private lazy var terminal = Terminal { [self] in take($0) }
    private var screen = Screen.list
    /// The list; `first` is empty unless it was searched for.
    private var first: [Article] = []
    private var rest: PagedList<FetchArticlesRequest>?
    private var selected = 0
    private var status = "loading …"
    private var typing: (field: Field, text: String)?
    private var bookmarked: Set<Article.ID> = []

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let baseURL = arguments.first.flatMap({ BaseURL($0) }) else {
            return print("usage: reader URL [KEY]")
        }
        let backend = BackendService(
            configuration: BackendConfiguration(baseURL: baseURL),
            auth: BackendAuth(token: arguments.dropFirst().first))
        await Reader(backend).reload()
        // Everything else happens when somebody types.
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    private init(_ backend: BackendService) {
        self.backend = backend
        search = LatestWins(backend, pause: .milliseconds(150))
    }

    // MARK: The list

    private var articles: [Article] {
        let ids = Set(first.map(\.id))
        return first + (rest?.state.items ?? []).filter { !ids.contains($0.id) }
    }

    private func show(_ found: [Article], _ request: FetchArticlesRequest?, _ note: String) {
        (first, selected, status) = (found, 0, note)
        rest = request.map { request in
            PagedList(backend, request) { [unowned self] _, list in
                if case .failed(let error, _) = list.phase { report(error) }
                draw()
            }
        }
        draw()
    }

    private func reload() async {
        show([], FetchArticlesRequest(limit: 20), "")
        await loadMore()
    }

    private func loadMore() async { await rest?.more() }

    /// Articles with the tag as far as it is typed; only what was typed last counts.
    private func filter(by tag: String) async {
        guard !tag.isEmpty else { return search.clear() }
        var request = FetchArticlesRequest(tag: tag, limit: 20)
        await tell {
            let page = try await search.send(request)
            request.cursor = page.next
            show(page.items, page.next == nil ? nil : request, "tag \(tag)")
        }
    }

    // MARK: One article

    /// Shows what is known, then the copy with its text, if there is one, then what stands.
    private func open(_ article: Article) async {
        screen = .article(article, top: 0)
        draw()
        await tell {
            for try await reply in backend.replies(to: FetchArticleRequest(key: .id(article.id))) {
                replace(reply.item, reply.source == .cached ? "from a copy" : "")
            }
        }
    }

    /// Shows the edit at once, and takes it back where the backend rejects it.
    private func save(_ edited: Article, instead before: Article) async {
        let changes = Article.Changes(from: before, to: edited)
        guard !changes.isEmpty else { return draw() }
        replace(before.applying(changes), "saving …")
        do throws(BackendError) {
            let saved = try await backend.send(UpdateArticleRequest(before, changes: changes))
            replace(saved, "saved as revision \(saved.revision)")
        } catch {
            let fault = error.problem?.faults(at: "/title").first.map { "The title \($0)." }
            replace(before, fault ?? error.localizedDescription)
        }
    }

    private func replace(_ article: Article, _ note: String) {
        if let place = first.firstIndex(where: { $0.id == article.id }) { first[place] = article }
        rest?.update(article)
        if case .article(let open, let top) = screen, open.id == article.id {
            screen = .article(article, top: top)
        }
        status = note
        draw()
    }

    // MARK: The user

    private func signIn(_ name: String, _ password: String) async {
        await tell {
            let user = try await backend.signIn(name: name, password: password, device: "reader")
            let bookmarks = try await backend.send(FetchBookmarksRequest(limit: 100)).items
            bookmarked = Set(bookmarks.map(\.articleID))
            status = "signed in as \(user.displayName)"
            draw()
        }
    }

    private func signOut() async {
        let isConfirmed = await backend.signOut()
        bookmarked = []
        status = isConfirmed ? "signed out" : "signed out here; the server does not respond"
        draw()
    }

    private func toggleBookmark(of article: Article.ID) async {
        await tell {
            if bookmarked.contains(article) {
                try await backend.send(DeleteBookmarkRequest(articleID: article))
                bookmarked.remove(article)
                status = "no longer bookmarked"
            } else {
                try await backend.send(PutBookmarkRequest(articleID: article))
                bookmarked.insert(article)
                status = "bookmarked"
            }
            draw()
        }
    }

    private func showComments(on article: Article, _ note: String? = nil) async {
        await tell {
            let request = FetchCommentsRequest(articleID: article.id, limit: 100)
            let comments = try await backend.send(request).items
            screen = .comments(article, comments, top: 0)
            status = note ?? "\(comments.count) comments"
            draw()
        }
    }

    private func add(_ text: String, on article: Article) async {
        await tell {
            let comment = try await backend.send(
                CreateCommentRequest(articleID: article.id, comment: .init(body: text)))
            let isVisible = comment.status == .visible
            await showComments(on: article, isVisible ? "added" : "waits for approval")
        }
    }

    // MARK: Typing

    private func take(_ keys: [Key]) {
        if keys.isEmpty { end() }
        for key in keys {
            if let (field, text) = typing { type(key, into: field, text) } else { obey(key) }
        }
        draw()
    }

    private func type(_ key: Key, into field: Field, _ text: String) {
        switch key {
        case .text(let more): typing = (field, text + more)
        case .backspace: typing = (field, String(text.dropLast()))
        case .enter:
            typing = nil
            enter(text, into: field)
        case .escape:
            typing = nil
            if field == .tag { Task { await reload() } }
        case .up, .down: return
        }
        if field == .tag, let text = typing?.text { Task { await filter(by: text) } }
    }

    private func enter(_ text: String, into field: Field) {
        switch (field, screen) {
        case (.title, .article(var article, _)):
            let before = article
            article.title = text
            Task { [article] in await save(article, instead: before) }
        case (.name, _): typing = (.password(of: text), "")
        case (.password(let name), _): Task { await signIn(name, text) }
        case (.comment, .comments(let article, _, _)): Task { await add(text, on: article) }
        default: break
        }
    }

    private func obey(_ key: Key) {
        switch (screen, key) {
        case (_, .text("q")): end()
        case (_, .text("s")): typing = (.name, "")
        case (_, .text("o")): Task { await signOut() }
        case (.list, .up): selected = max(0, selected - 1)
        case (.list, .down):
            selected = min(max(0, articles.count - 1), selected + 1)
            if selected > articles.count - 5 { Task { await loadMore() } }
        case (.list, .enter) where articles.indices.contains(selected):
            let article = articles[selected]
            Task { await open(article) }
        case (.list, .text("/")): typing = (.tag, "")
        case (.list, .text("r")): Task { await reload() }
        case (.article(let article, let top), .up): screen = .article(article, top: max(0, top - 1))
        case (.article(let article, let top), .down): screen = .article(article, top: top + 1)
        case (.article(let article, _), .text("e")): typing = (.title, article.title)
        case (.article(let article, _), .text("b")):
            Task { await toggleBookmark(of: article.id) }
        case (.article(let article, _), .text("c")): Task { await showComments(on: article) }
        case (.article, .escape): screen = .list
        case (.comments(let article, let comments, let top), .up):
            screen = .comments(article, comments, top: max(0, top - 1))
        case (.comments(let article, let comments, let top), .down):
            screen = .comments(article, comments, top: top + 1)
        case (.comments, .text("a")): typing = (.comment, "")
        case (.comments(let article, _, _), .escape): screen = .article(article, top: 0)
        default: break
        }
    }

    private func end() -> Never {
        terminal.leave()
        exit(0)
    }

    // MARK: Showing

    /// Does the work; what goes wrong stands in the last line, unless nobody wants to know.
    private func tell(_ work: () async throws -> Void) async {
        do { try await work() } catch {
            if let error = error as? BackendError { report(error) }
            draw()
        }
    }

    private func report(_ error: BackendError) {
        guard !error.isStopped else { return }
        // The backend says why: a wrong password, or nobody is signed in.
        let isUnauthorized = if case .unauthorized = error { true } else { false }
        status = (isUnauthorized ? error.failureReason : nil) ?? error.localizedDescription
    }

    /// What is typed; a password only by its length.
    private var typed: String? {
        guard let (field, text) = typing else { return nil }
        if case .password = field {
            return "\(field.label): \(String(repeating: "•", count: text.count))▏"
        }
        return "\(field.label): \(text)▏"
    }

    private func draw() {
        let (rows, columns) = terminal.size
        switch screen {
        case .list:
            let top = max(0, selected - rows + 4)
            let lines = articles.enumerated().dropFirst(top).map { index, article in
                let names = article.authors.map(\.name).joined(separator: ", ")
                return "\(index == selected ? "▸" : " ") \(article.title)  — \(names)"
            }
            terminal.show(lines, status: typed ?? "\(articles.count) articles  \(status)")
        case .article(let article, let top):
            let star = bookmarked.contains(article.id) ? " · ★" : ""
            let facts = "\(article.readingMinutes) min · revision \(article.revision)\(star)"
            let text = article.summary + "\n\n" + (article.body ?? "loading …")
            let lines = Terminal.wrapped(text, columns).dropFirst(top)
            terminal.show([article.title, facts, ""] + lines, status: typed ?? status)
        case .comments(let article, let comments, let top):
            let text = comments.map { comment in
                let mark = comment.parentID == nil ? "" : "↳ "
                let name = comment.author?.displayName ?? "a deleted user"
                let body = comment.body.isEmpty ? "[\(comment.status)]" : comment.body
                return "\(mark)\(name): \(body)"
            }
            let lines = Terminal.wrapped(text.joined(separator: "\n\n"), columns).dropFirst(top)
            terminal.show([article.title, ""] + lines, status: typed ?? status)
        }
    }
}
