import ArticleAPI
import ArticleClient
import ArticleImportExport
import ArticleServices
import BroadsheetCommandLine

/// One run of `sync`: brings a folder to the state that the caller sees.
///
/// 1. Files that are missing or were changed locally are found.
/// 2. The changes since the token are applied, page by page.
/// 3. Files that could not be brought up to date that way are written from the article itself.
/// 4. Files that no article claims are removed.
///
/// The state is saved from time to time and at the end.
struct SyncRun {
    /// The results of a run.
    struct Report: Sendable, Equatable {
        var written = 0
        var removed = 0
        var unchanged = 0
        /// Files that differ because they were changed locally, or were not written by `sync`.
        var kept = 0
    }

    private let backend: BackendService
    private let filter: FetchChangesRequest
    private let force: Bool
    /// Called with each file that is kept, and why.
    private let reportKept: (String) -> Void
    private var place: SyncFileWriter
    private var written: Set<Article.ID> = []
    private var removed = 0

    /// Files that are rewritten at a time when an author is renamed.
    private static let renamedFiles = 64
    /// Lines of the journal after which the state is saved, at the least.
    private static let journalLines = 1_000

    /// - Parameters:
    ///   - server: the base URL, which the state belongs to.
    ///   - filter: the articles of the folder.
    ///   - force: true to overwrite local changes.
    init(
        _ folder: SyncFolder, backend: BackendService, server: String,
        filter: FetchChangesRequest, force: Bool,
        reportKept: @escaping (String) -> Void = { _ in }
    ) throws(CommandFailure) {
        self.backend = backend
        var filter = filter
        filter.tags = Set(filter.tags).sorted()
        filter.fields = FrontMatter.articleFields
        filter.since = nil
        filter.limit = nil
        let text = Self.text(of: filter)
        filter.limit = ArticleLimits.changePage.upperBound
        self.filter = filter
        self.force = force
        self.reportKept = reportKept
        var state = try folder.state() ?? SyncState(server: server, filter: text)
        if state.server != server || state.filter != text {
            state = state.restarted(server: server, filter: text)
        }
        state.recover(try folder.journal())
        place = SyncFileWriter(folder, state, force: force)
    }

    /// The filter as in an address.
    private static func text(of filter: FetchChangesRequest) -> String {
        let target = RequestPrinter.target(of: filter)
        return target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    }

    mutating func run() async throws(CommandFailure) -> Report {
        try place.examine()
        try await follow()
        try await refresh()
        removed = try place.removeOrphans()
        if place.isDirty { try place.save() }
        for (name, reason) in place.kept.sorted(by: { $0.key < $1.key }) {
            reportKept("\(name): \(reason)")
        }
        let articles = place.state.articles.count
        return Report(
            written: written.count, removed: removed,
            unchanged: max(0, articles - written.count - place.keptArticles),
            kept: place.kept.count)
    }

    // MARK: Changes

    private mutating func follow() async throws(CommandFailure) {
        let token = place.state.token
        var steps = backend.changes(since: token, matching: filter).makeAsyncIterator()
        while let step = try await next(&steps) {
            switch step {
            case .restart:
                place.restart()
            case .page(let page):
                try apply(page)
                if page.next != place.state.token || !page.changes.isEmpty {
                    place.isDirty = true
                }
                place.state.token = page.next
                guard place.state.articles.count <= SyncState.limit else {
                    throw CommandFailure(
                        .dataError, "more than \(SyncState.limit) articles match the filter")
                }
                let isLong =
                    place.folder.journalLines > max(Self.journalLines, place.state.files.count / 2)
                if page.more, isLong { try place.save() }
            }
        }
    }

    /// Returns the next step; the steps applied before a failure are saved.
    private mutating func next(
        _ steps: inout BackendChanges.Iterator
    ) async throws(CommandFailure) -> SyncStep? {
        do throws(BackendError) {
            return try await steps.next(isolation: nil)
        } catch {
            if place.isDirty { try place.save() }
            throw CommandFailure(error)
        }
    }

    private mutating func apply(_ page: ChangePage<Article>) throws(CommandFailure) {
        var renamed: Set<Author.ID> = []
        var articles: [Article.ID: Article] = [:]
        for change in page.changes {
            switch change {
            case .putArticle(let article, _):
                for author in article.authors where place.state.names.note(author) == .name {
                    renamed.insert(author.id)
                }
                articles[article.id] = article
            case .deleteArticle(let id, _):
                articles[id] = nil
                place.state.articles[id] = nil
            case .putAuthor(let author):
                if place.state.names.note(author) == .name { renamed.insert(author.id) }
            case .deleteAuthor(let id, _): place.state.names.forget(id)
            case .putComment, .deleteComment, .putBookmark, .deleteBookmark, .unknown: continue
            }
        }
        let names = place.state.names
        let named = articles.sorted { $0.key < $1.key }.map { names.naming($0.value) }
        written.formUnion(try place.put(named))
        if !renamed.isEmpty { try rename(renamed, except: Set(articles.keys)) }
    }

    /// Replaces the names of authors in the files that have them.
    private mutating func rename(
        _ authors: Set<Author.ID>, except done: Set<Article.ID>
    ) throws(CommandFailure) {
        var ids = place.state.articles.filter { id, entry in
            !done.contains(id) && !authors.isDisjoint(with: entry.authors)
        }.keys.sorted()[...]
        // Terminates because each round takes some of the articles.
        while !ids.isEmpty {
            written.formUnion(try place.rename(ids.prefix(Self.renamedFiles)))
            ids = ids.dropFirst(Self.renamedFiles)
        }
    }

    // MARK: Single articles

    /// Writes the files that no page has brought up to date.
    private mutating func refresh() async throws(CommandFailure) {
        for id in place.state.articles.filter({ $0.value.isStale }).keys.sorted() {
            guard let entry = place.state.articles[id], try !place.isBlocked(id, entry) else {
                continue
            }
            place.isDirty = true
            if let article = try await article(id) {
                for author in article.authors { _ = place.state.names.note(author) }
                written.formUnion(try place.put([place.state.names.naming(article)]))
            } else {
                place.state.articles[id] = nil
            }
        }
    }

    /// The article; `nil` if the caller no longer sees it.
    private mutating func article(_ id: Article.ID) async throws(CommandFailure) -> Article? {
        let request = FetchArticleRequest(key: .id(id), fields: FrontMatter.articleFields)
        do throws(BackendError) {
            return try await backend.send(request)
        } catch {
            if error.problem?.kind == .notFound { return nil }
            try place.save()
            throw CommandFailure(error)
        }
    }
}
