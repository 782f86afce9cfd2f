public import ArticleAPI
public import ArticleClient
import ArticleSearch

/// Keeps the attributes of models from responses, by type and id, in memory and in a file: of
/// articles and everything else of the contract, and of each ``StorableModel`` of your own.
///
/// Merging keeps the newest value of each attribute, whatever the order of responses: a list does
/// not take away a body that an earlier response had. A change is announced once, after it was
/// stored; observers are not kept alive, and keep alive nothing but the values they have received.
/// Each call is one atomic step, also against other processes that have the same file.
///
/// ```swift
/// let store = try ModelStore(.file(path, of: "ada"))
/// try await store.merge([.facts(ModelFacts(article, knowing: .inArticles, seenAt: now))])
/// let baking = ArticleQuery(tags: ["baking"])
/// let newest = try await store.loadArticles(matching: baking, limit: 20)
/// ```
///
/// It is bounded in bytes (``Limits``). A file that is damaged is set aside and replaced by a new
/// one, which it reports. An actor: use it from anywhere; its calls block its own executor while
/// they read or write the file.
public actor ModelStore {
    public nonisolated let place: Location
    package nonisolated let environment: ClientEnvironment
    package nonisolated let notices = ChangeNotifier<StoreTopic>()
    private nonisolated let didReport: @Sendable (StoreEvent) -> Void
    private nonisolated let clock = MonotonicWallClock()
    let engine: StoreEngine

    /// Opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - place: the location of the models, and their account.
    ///   - limits: the limits of the models that are kept.
    ///   - environment: the clock.
    ///   - didReport: called for each event, on any thread.
    public init(
        _ place: Location, limits: Limits = Limits(), environment: ClientEnvironment = .system,
        didReport: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) throws(OfflineError) {
        self.place = place
        self.environment = environment
        self.didReport = didReport
        engine = try StoreEngine(place, limits, report: didReport)
    }

    deinit { notices.end() }

    // MARK: Merging

    /// Merges the updates of a response: all of them, or none.
    public func merge(_ updates: [ModelUpdate]) throws(OfflineError) {
        try commit(StoreChanges(updates: updates))
    }

    /// Performs changes of models and of the outbox in one transaction.
    package func commit(_ changes: StoreChanges) throws(OfflineError) {
        try announcing { () throws(OfflineError) in try engine.commit(changes, at: time()) }
    }

    /// Looks for changes that other processes have written, and announces them. Call it when the
    /// app becomes active, if an extension has the same file.
    public func refresh() throws(OfflineError) {
        try announcing { () throws(OfflineError) in
            try engine.read { () throws(OfflineError) in }
        }
    }

    /// Merges the updates of a response, which are computed on this actor.
    package func merge(_ updates: @Sendable () -> [ModelUpdate]) throws(OfflineError) {
        try merge(updates())
    }

    /// Returns the present time, for requests that are sent now. Of two calls, the later one gets
    /// the later time.
    package nonisolated func time() -> Timestamp { clock.time(environment) }

    /// Notifies observers of changes, even if the work has failed.
    private func announcing<Result>(
        _ work: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        defer {
            if let changed = engine.takeChanges() {
                notices.post(changed)
            } else {
                notices.postAll()
            }
        }
        return try work()
    }

    func reading<Result>(
        _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        try announcing { () throws(OfflineError) in try engine.read(body) }
    }

    func writing<Result>(
        isFlushed: Bool = false, _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result {
        try announcing { () throws(OfflineError) in
            try engine.write(isFlushed: isFlushed, body)
        }
    }

    // MARK: Reading

    /// Returns the known article; `nil` if it is not whole, or was deleted.
    public func loadArticle(_ id: Article.ID) throws(OfflineError) -> CachedArticle? {
        try reading { () throws(OfflineError) in try engine.article(id) }
    }

    /// The article with this slug; former slugs are not known.
    public func loadArticle(slug: String) throws(OfflineError) -> CachedArticle? {
        try reading { () throws(OfflineError) in
            guard let id = try engine.id(ofSlug: slug) else { return nil }
            return try engine.article(id)
        }
    }

    /// The first articles of a list, as far as they are known.
    public func loadArticles(
        matching query: ArticleQuery = ArticleQuery(), order: ArticleSort = .newestFirst,
        limit: Int = 100
    ) throws(OfflineError) -> [CachedArticle] {
        try reading { () throws(OfflineError) in
            try engine.articles(matching: query, order: order, limit: max(limit, 0))
        }
    }

    /// The comments on an article that are known, with those that its user has not sent yet.
    public func loadComments(
        on article: Article.ID, order: CommentSort = .oldest, limit: Int = 100
    ) throws(OfflineError) -> [CachedComment] {
        try reading { () throws(OfflineError) in
            try engine.shownComments(on: article, order: order, limit: max(limit, 0))
        }
    }

    // MARK: Searching

    /// Returns the best of the known articles in which the words of a query occur, found as
    /// backends do it: without a network, and with unsent writes.
    ///
    /// Of articles whose body is not known, the rest is searched. The first search of a file reads
    /// all articles, and takes longer; other calls need not wait for that. The index is kept in the
    /// file, so that the first search after a launch reads those that have changed since. If the
    /// task is cancelled, the page has the articles found until then.
    ///
    /// - Parameters:
    ///   - text: any text, as it was typed.
    ///   - filter: the articles to search; of any status by default.
    ///   - limit: the number of articles.
    /// - Returns: one page, after which there is none.
    public func search(
        _ text: String, matching filter: ArticleQuery = ArticleQuery(), limit: Int = 20
    ) async throws(OfflineError) -> SearchPage<CachedArticle> {
        let query = SearchQuery(text)
        guard !query.required.isEmpty, limit > 0 else { return SearchPage(items: []) }
        var search = StoreSearch(query, matching: filter, limit: limit)
        while !Task.isCancelled {
            let isDone = try reading { () throws(OfflineError) in try engine.step(&search) }
            if isDone { break }
            await Task.yield()
        }
        return search.page
    }

    // MARK: Pins

    /// Keeps an article, however long it was not seen; also one that is not known yet.
    public func pin(_ id: Article.ID) throws(OfflineError) { try setPin(id, true) }

    /// Keeps it no longer than others.
    public func unpin(_ id: Article.ID) throws(OfflineError) { try setPin(id, false) }

    private func setPin(_ id: Article.ID, _ isPinned: Bool) throws(OfflineError) {
        try writing { () throws(OfflineError) in
            let hasChanged =
                isPinned
                ? try PinTable.add(id, in: engine.connection)
                : try PinTable.remove(id, from: engine.connection)
            guard hasChanged else { return }
            engine.note(ModelKey(Article.self, id))
        }
    }

    // MARK: Mirrors

    /// Returns the position of a mirror; `nil` if there is none of this name.
    package func mirror(_ name: String) throws(OfflineError) -> StoredMirror? {
        try reading { () throws(OfflineError) in try engine.mirror(name) }
    }

    /// Begins a mirror, or continues it. With another filter than before it starts again.
    package func beginMirror(
        _ name: String, filter: String
    ) throws(OfflineError) -> StoredMirror {
        try writing { () throws(OfflineError) in
            try engine.beginMirror(name, filter: filter, at: time())
            guard let mirror = try engine.mirror(name) else {
                throw .damaged("a mirror has no row")
            }
            return mirror
        }
    }

    /// Discards the mirror's token. Its articles remain until a new snapshot is complete.
    ///
    /// - Parameters:
    ///   - name: the name of the mirror.
    ///   - position: its required position; `nil` for any.
    /// - Returns: `false` if it is at another one; then nothing has changed.
    @discardableResult
    package func restartMirror(
        _ name: String, from position: MirrorPosition? = nil
    ) throws(OfflineError) -> Bool {
        try writing { () throws(OfflineError) in
            try engine.restartMirror(name, from: position, at: time())
        }
    }

    /// Ends a mirror. Its articles stay until there are too many.
    public func removeMirror(_ name: String) throws(OfflineError) {
        try writing { () throws(OfflineError) in try engine.removeMirror(name) }
    }

    /// Stores a page of changes with the token after it, in one transaction.
    ///
    /// - Returns: `false` if the mirror is not at the page's beginning: another page was stored, it
    ///   was ended, or the file was damaged and replaced. Then nothing was stored. Also if the page
    ///   lacks a confirmed write of the outbox: the mirror then needs a new snapshot.
    /// - Throws: `full` if the page does not fit into the limit.
    package func apply(_ page: MirrorPage, to name: String) throws(OfflineError) -> Bool {
        try writing { () throws(OfflineError) in
            try engine.apply(page, to: name, at: time())
        }
    }

    // MARK: The outbox

    /// The entries of the outbox, in the order of their numbers.
    package func loadWrites() throws(OfflineError) -> [StoredWrite] {
        try reading { () throws(OfflineError) in
            var writes: [StoredWrite] = []
            try OutboxTable.forEach(in: engine.connection) { writes.append($0) }
            return writes
        }
    }

    // MARK: Events and sizes

    /// The size of all models and kept responses, in bytes.
    public func size() throws(OfflineError) -> Int {
        try reading { () throws(OfflineError) in try engine.totalBytes() }
    }

    /// Reports an event of those who use the store.
    package nonisolated func report(_ event: StoreEvent) { didReport(event) }
}

/// An event in a store that was not requested. See ``ModelStore``.
public enum StoreEvent: Sendable, Hashable {
    /// The file was damaged. It was renamed to `<path>.damaged`, and a new one was begun;
    /// `savedWrites` unsent writes could still be read, and are in the new one.
    case damaged(path: String, reason: String, savedWrites: Int)
    /// A response was not stored. Its request has succeeded nevertheless.
    case notStored(OfflineError)
    /// The store could not be read for its observers; the values that they show remain.
    case notRead(OfflineError)
}
