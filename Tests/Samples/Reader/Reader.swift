import ArticleAPI
import ArticleClient
import ArticleOffline
import Glibc

/// Articles of a backend in a terminal, with and without a network: `reader URL [KEY [FOLDER]]`.
///
/// Arrows move, Enter opens an article and Escape leaves it; `/` filters the list by a tag while it
/// is typed, and `?` searches while words are typed (the up arrow brings earlier ones). `n` begins
/// an article, `e` edits the title of what is open, `u` undoes that and `U` does it again, `d`
/// deletes; `m` and `t` decide a conflict. `f` turns the network off and on. `c` shows comments and
/// `a` adds one, `b` bookmarks or takes that back; `s` signs in, `o` signs out, `q` ends.
@main @MainActor final class Reader {
    private let backend: BackendService
    private let airplane: Airplane
    private let folder: String?
    private var library: Library
    private lazy var terminal = Terminal { [self] in take($0) }
    private var screen = Screen.list(selected: 0)
    private var mode = Mode.reading
    private var contents = Contents()
    private var query = ArticleQuery()
    private var limit = 20
    /// The edits of the open article since it was opened.
    private var history: EditHistory<Article>?
    /// The comments on the open article, while they are shown.
    private var comments: PagedList<FetchCommentsRequest>?
    private var listing: Task<Void, Never>?
    private var reading: Task<Void, Never>?
    private var following: [Task<Void, Never>] = []

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let baseURL = arguments.first.flatMap({ BaseURL($0) }) else {
            return print("usage: reader URL [KEY [FOLDER]]")
        }
        let key = arguments.dropFirst().first.flatMap { $0.isEmpty ? nil : $0 }
        let reader = try Reader(baseURL, key, in: arguments.dropFirst(2).first)
        reader.follow()
        // Everything else happens when somebody types, or when something has changed.
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    private init(_ baseURL: BaseURL, _ key: String?, in folder: String?) throws {
        airplane = Airplane(SocketTransport())
        let auth = BackendAuth()
        // The key's files are its own: what it may see, others may not.
        if let key { try auth.signIn(Credentials(token: key, account: "key")) }
        backend = BackendService(
            configuration: BackendConfiguration(baseURL: baseURL), transport: airplane, auth: auth)
        self.folder = folder
        library = try Library(backend, of: key.map { _ in "key" }, in: folder, airplane)
    }

    // MARK: From the store to the screen

    /// Shows what the library has, and what becomes of it.
    private func follow() {
        library.start()
        list()
        following = [
            Task { [states = library.offline.mirror.states] in
                for await state in states { change { $0.mirror = state } }
            },
            Task { [states = library.offline.outbox.states] in
                for await state in states { show(state) }
            },
            Task { [recent = library.offline.store.recentSearches()] in
                for await searches in recent { change { $0.recent = searches.queries } }
            },
        ]
    }

    private func show(_ state: OutboxState) {
        change { $0.writes = state.entries }
        // The edit was taken back, and its user has to know why.
        for entry in state.rejections {
            guard case .rejected(let problem) = entry.status else { continue }
            act(message(of: problem)) {
                try await self.library.offline.outbox.discard(entry.number)
            }
        }
    }

    private func list() {
        listing?.cancel()
        listing = Task { [lists = library.offline.store.articles(matching: query, limit: limit)] in
            for await list in lists { change { $0.articles = list } }
        }
    }

    private func open(_ id: Article.ID) {
        screen = .article(id, top: 0)
        history = nil
        contents.article = contents.articles.first { $0.id == id }
        reading?.cancel()
        reading = Task { [updates = library.offline.store.article(id)] in
            for await article in updates { change { $0.article = article } }
        }
        guard contents.article?.known.contains("body") != true else { return }
        act { try await self.library.offline.backend.send(FetchArticleRequest(key: .id(id))) }
    }

    private func change(_ body: (inout Contents) -> Void) {
        body(&contents)
        draw()
    }

    /// Takes an action, whose result comes by way of the store; what went wrong is noted.
    private func act(
        _ note: String? = nil, _ work: @escaping @MainActor () async throws -> Void
    ) {
        Task {
            do {
                try await work()
                change { if let note { $0.note = note } }
            } catch { report(error) }
        }
    }

    private func report(_ error: any Error) {
        if let message = message(of: error) { change { $0.note = message } }
    }

    // MARK: Writing

    private func create(_ title: String) {
        act("created") {
            try await self.library.offline.outbox.create(
                Article.Draft(title: title, status: .published))
        }
    }

    private func retitle(_ title: String) {
        guard let article = contents.article?.article else { return }
        let history =
            history
            ?? EditHistory(article) { [unowned self] old, new in send(old, new) }
        self.history = history
        history.edit { $0.title = title }
    }

    /// Sends what turns one state of the open article into another.
    private func send(_ old: Article, _ new: Article) {
        guard let article = contents.article?.article else { return }
        act("edited") {
            try await self.library.offline.outbox.update(article, .init(from: old, to: new))
        }
    }

    private func delete() {
        guard let article = contents.article?.article else { return }
        screen = .list(selected: 0)
        act("deleted") { try await self.library.offline.outbox.delete(article) }
    }

    private func decide(_ decision: OutboxQueue.Decision) {
        guard let entry = contents.conflict?.entry else { return }
        history = nil
        act { try await self.library.offline.outbox.resolve(entry.number, decision) }
    }

    private func toggleAirplane() {
        airplane.toggle()
        act {
            self.contents.isInAirplane = self.airplane.isOn
            self.library.networkChanged()
        }
    }

    // MARK: The user

    /// Shows the library of another account.
    private func change(to account: String?) throws {
        for task in following + [listing, reading].compactMap(\.self) { task.cancel() }
        library.stop()
        library = try Library(backend, of: account, in: folder, airplane)
        contents = Contents(isInAirplane: airplane.isOn)
        follow()
        if case .article(let id, _) = screen { open(id) }
    }

    private func signIn(_ name: String, _ password: String) {
        act {
            let user = try await self.backend.signIn(
                name: name, password: password, device: "reader")
            try self.change(to: user.id.description)
            let bookmarks = try await self.backend.send(FetchBookmarksRequest(limit: 100)).items
            self.contents.bookmarked = Set(bookmarks.map(\.articleID))
            self.change { $0.note = "signed in as \(user.displayName)" }
        }
    }

    private func signOut() {
        act {
            let isConfirmed = await self.backend.signOut()
            try self.change(to: nil)
            self.change {
                $0.note =
                    isConfirmed ? "signed out" : "signed out here; the server does not respond"
            }
        }
    }

    private func toggleBookmark(of id: Article.ID) {
        let isBookmarked = contents.bookmarked.contains(id)
        act(isBookmarked ? "no longer bookmarked" : "bookmarked") {
            if isBookmarked {
                try await self.backend.send(DeleteBookmarkRequest(articleID: id))
                self.contents.bookmarked.remove(id)
            } else {
                try await self.backend.send(PutBookmarkRequest(articleID: id))
                self.contents.bookmarked.insert(id)
            }
        }
    }

    private func showComments(on id: Article.ID) {
        screen = .comments(on: id, top: 0)
        contents.comments = []
        let comments = PagedList(
            backend, FetchCommentsRequest(articleID: id, limit: 20)
        ) { [unowned self] _, list in
            if case .failed(let error, _) = list.phase { report(error) }
            change { $0.comments = list.items }
        }
        self.comments = comments
        Task { await comments.refresh() }
    }

    private func add(_ text: String, on id: Article.ID) {
        act {
            let comment = try await self.backend.send(
                CreateCommentRequest(articleID: id, comment: .init(body: text)))
            let isVisible = comment.status == .visible
            self.change { $0.note = isVisible ? "added" : "waits for approval" }
            await self.comments?.refresh()
        }
    }

    // MARK: Searching

    /// Searches while words are typed.
    private func search(_ text: String) {
        screen = .found(selected: 0)
        act {
            let found = try await self.library.search(text)
            self.change {
                $0.found = found.page
                $0.note = found.isOffline ? "offline: only what is on this machine" : ""
            }
        }
    }

    private func leaveSearch() {
        search("")
        screen = .list(selected: 0)
    }

    // MARK: Keys

    private func take(_ keys: [Key]) {
        if keys.isEmpty { end() }
        for key in keys {
            switch mode {
            case .typing(let field, let text): type(key, into: field, text)
            case .reading: obey(key)
            }
        }
        draw()
    }

    private func type(_ key: Key, into field: Field, _ text: String) {
        switch key {
        case .text(let more): mode = .typing(field, text + more)
        case .backspace: mode = .typing(field, String(text.dropLast()))
        case .enter:
            mode = .reading
            enter(text, into: field)
        case .escape:
            mode = .reading
            if field == .tag { filter(by: "") }
            if field == .words { leaveSearch() }
        case .up where field == .words:
            mode = .typing(field, contents.recent(before: text) ?? text)
        case .up, .down: return
        }
        guard case .typing(_, let text) = mode else { return }
        if field == .tag { filter(by: text) }
        if field == .words { search(text) }
    }

    private func filter(by tag: String) {
        query = ArticleQuery(tags: tag.isEmpty ? [] : [tag])
        limit = 20
        screen = .list(selected: 0)
        list()
    }

    private func enter(_ text: String, into field: Field) {
        switch (field, screen) {
        case (.title, _): retitle(text)
        case (.newTitle, _): create(text)
        case (.name, _): mode = .typing(.password(of: text), "")
        case (.password(let name), _): signIn(name, text)
        case (.comment, .comments(let id, _)): add(text, on: id)
        case (.words, _):
            act { try await self.library.offline.store.changeRecentSearches { $0.add(text) } }
        default: break
        }
    }

    private func obey(_ key: Key) {
        switch (screen, key) {
        case (_, .text("q")): end()
        case (_, .text("f")): toggleAirplane()
        case (_, .text("s")): mode = .typing(.name, "")
        case (_, .text("?")):
            search("")
            mode = .typing(.words, "")
        case (_, .text("o")): signOut()
        case (.list(let selected), _): obey(key, inList: selected)
        case (.found(let selected), _): obey(key, inFound: selected)
        case (.article(let id, let top), _): obey(key, in: id, top)
        case (.comments(let id, let top), .up): screen = .comments(on: id, top: max(0, top - 1))
        case (.comments(let id, let top), .down):
            screen = .comments(on: id, top: top + 1)
            Task { await comments?.more() }
        case (.comments, .text("a")): mode = .typing(.comment, "")
        case (.comments(let id, _), .escape): open(id)
        default: break
        }
    }

    private func obey(_ key: Key, inList selected: Int) {
        let articles = contents.articles
        switch key {
        case .up: screen = .list(selected: max(0, selected - 1))
        case .down:
            let next = min(max(0, articles.count - 1), selected + 1)
            screen = .list(selected: next)
            guard next > articles.count - 5, articles.count == limit else { return }
            limit += 20
            list()
        case .enter where articles.indices.contains(selected): open(articles[selected].id)
        case .text("/"): mode = .typing(.tag, "")
        case .text("n"): mode = .typing(.newTitle, "")
        default: break
        }
    }

    private func obey(_ key: Key, inFound selected: Int) {
        let hits = contents.found.items
        switch key {
        case .up: screen = .found(selected: max(0, selected - 1))
        case .down: screen = .found(selected: min(max(0, hits.count - 1), selected + 1))
        case .enter where hits.indices.contains(selected): open(hits[selected].id)
        case .escape: leaveSearch()
        default: break
        }
    }

    private func obey(_ key: Key, in id: Article.ID, _ top: Int) {
        switch key {
        case .up: screen = .article(id, top: max(0, top - 1))
        case .down: screen = .article(id, top: top + 1)
        case .text("e"): mode = .typing(.title, contents.article?.article.title ?? "")
        case .text("u"): history?.undo()
        case .text("U"): history?.redo()
        case .text("d"): delete()
        case .text("m"): decide(.keepMine)
        case .text("t"): decide(.keepTheirs)
        case .text("b"): toggleBookmark(of: id)
        case .text("c"): showComments(on: id)
        case .escape: screen = contents.screen(with: id)
        default: break
        }
    }

    private func end() -> Never {
        terminal.leave()
        exit(0)
    }

    // MARK: Showing

    private func draw() {
        let (lines, first) = contents.lines(of: screen, on: terminal.size)
        switch mode {
        case .reading: terminal.show(lines, status: contents.status(after: first))
        case .typing(let field, let text):
            terminal.show(lines, status: "\(field.label): \(field.shown(text))▏")
        }
    }
}
