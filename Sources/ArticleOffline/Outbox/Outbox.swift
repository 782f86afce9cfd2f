public import ArticleAPI
public import ArticleClient

/// Writes that reach the backend when the network allows, and show at once: edits of articles,
/// comments, bookmarks, and every other request that can be repeated.
///
/// When a function has returned, its write is stored and survives the end of the process at any
/// time. Each write is carried out once: it is sent with an `Idempotency-Key` and the version that
/// its user saw, and again after a lost response. The writes of one article are sent in their
/// order. They are only sent in sessions of the store's account. Of a bookmark, the last position
/// is sent.
///
/// The store's articles and lists already show them; rejected writes are taken back, and those that
/// conflict with the changes of another user wait in `states` for a decision.
///
/// A write that the backend has confirmed is done. If the backend's database is set back afterwards
/// and loses it, it is not sent again, since others may have changed the article in the meantime. A
/// mirror that contains the article notices the loss and fetches a new snapshot. A later write to
/// the article is then merged or becomes a conflict, as after any edit by another user.
///
/// ```swift
/// let outbox = Outbox(store: store, backend: backend)
/// let sending = Task { await outbox.run() }
/// try await outbox.update(article, .init(title: .set("Rye bread")))
/// try await outbox.send(
///     PutBookmarkRequest(articleID: article.id, place: .init(position: 0.4)))
/// let unsent = await outbox.state.entries.count
/// ```
///
/// An actor: use it from anywhere. A store has one outbox at a time.
public actor Outbox {
    nonisolated let store: ModelStore
    let backend: BackendService
    let environment: ClientEnvironment
    /// The most articles whose writes are being sent.
    let width: Int
    private let limit: Int
    let types: RequestTypes
    private nonisolated let notices = ChangeNotifier<OutboxTopic>()
    /// The stored writes; `nil` before they were read.
    private(set) var queue: OutboxQueue?
    private var unreadable = 0
    private(set) var pause: OutboxState.Pause? = .notRunning
    private var isChanging = false
    /// Those that wait until the present change is stored.
    private var changes: [CheckedContinuation<Void, Never>] = []
    /// Wakes up `run`; `nil` if it does not run.
    var alarm: AsyncStream<Void>.Continuation?
    /// The number of writes that are being sent.
    var flights = 0
    /// The number of times that the network has changed.
    private(set) var networkChangeCount = 0
    /// The time at which `run` wakes up by itself.
    var timer: Timestamp?

    /// - Parameters:
    ///   - store: keeps the writes; one of an account.
    ///   - backend: sends them.
    ///   - requests: types of your own that are sent, so that their responses reach the store.
    ///   - environment: clocks, and random numbers for delays.
    ///   - width: the most articles whose writes are sent at the same time.
    ///   - limit: the most writes that it keeps; further ones fail with `full`.
    public init(
        store: ModelStore, backend: BackendService,
        sending requests: [any RepeatableRequest.Type] = [],
        environment: ClientEnvironment = .system,
        width: Int = 4, limit: Int = 1_000
    ) {
        self.store = store
        self.backend = backend
        self.environment = environment
        self.width = max(width, 1)
        self.limit = limit
        types = RequestTypes(requests)
    }

    deinit { notices.end() }

    private enum OutboxTopic: Hashable { case state }

    /// True if `run` has nothing to do now: what is left waits for a time, a decision or a sign-in.
    var isSettled: Bool {
        get async {
            guard let queue = try? await load(), flights == 0 else { return false }
            switch pause {
            case .notRunning: return queue.entries.isEmpty
            case .signedOut, .storeFailed: return true
            case nil: return queue.sendable(at: now).isEmpty
            }
        }
    }

    // MARK: Writing

    /// Creates an article.
    ///
    /// - Returns: its id: that of the draft, or a new one.
    @discardableResult
    public func create(_ draft: Article.Draft) async throws(OfflineError) -> Article.ID {
        var draft = draft
        let id = draft.id ?? Article.ID(at: now)
        draft.id = id
        do throws(InvalidValue) { try draft.validate() } catch { throw .invalid(error) }
        try await add(.create(draft), to: id, base: nil)
        return id
    }

    /// Changes an article.
    ///
    /// - Parameters:
    ///   - article: the article as the user saw it, which the store has shown or a response had.
    ///   - changes: the changes to make.
    public func update(
        _ article: Article, _ changes: Article.Changes
    ) async throws(OfflineError) {
        do throws(InvalidValue) {
            try changes.validate()
            _ = try article.draft(applying: changes)
        } catch { throw .invalid(error) }
        try await add(.update(changes), to: article.id, base: article)
    }

    /// Deletes an article, as the user saw it.
    public func delete(_ article: Article) async throws(OfflineError) {
        try await add(.delete, to: article.id, base: article)
    }

    /// Stores a request, which is sent once as soon as that is possible.
    ///
    /// A comment without an id gets one. The store's comments show it, and entries have it
    /// (`OutboxEntry.request(as:)`). The backend's response goes to the store; a request that it
    /// rejects waits in `states` for `sendAgain` or `discard`.
    public func send<Request: RepeatableRequest>(_ request: Request) async throws(OfflineError) {
        var request = request
        if var creation = request as? CreateCommentRequest, creation.comment.id == nil {
            creation.comment.id = ArticleComment.ID(at: now)
            request = (creation as? Request) ?? request
        }
        let own = (request as? any IdempotentWriteRequest)?.idempotencyKey
        let pending = PendingRequest(request)
        do throws(RequestValidationError) {
            guard try pending.request(as: Request.self, key: own ?? "key") != nil else {
                preconditionFailure(
                    "programmer error: \(Request.self) cannot be read as it is printed")
            }
        } catch { throw .invalid(InvalidValue(error)) }
        try await add { queue, account, key, now in
            queue.add(pending, account: account, key: own ?? key, at: now)
        }
    }

    private func add(
        _ write: PendingWrite, to id: Article.ID, base: Article?
    ) async throws(OfflineError) {
        try await add { queue, account, key, now in
            queue.add(write, to: id, base: base, account: account, key: key, at: now)
        }
    }

    /// - Parameter body: gets the account, a new key and the present time.
    private func add(
        _ body: (inout OutboxQueue, String, String, Timestamp) -> OutboxQueue.Edit
    ) async throws(OfflineError) {
        guard let account = store.place.account else { throw .noAccount }
        let (key, now) = (newKey(), now)
        var isFull = false
        do throws(OfflineError) {
            try await change { queue in
                let edit = body(&queue, account, key, now)
                isFull = queue.entries.count > limit
                return isFull ? nil : edit
            }
        } catch { throw isFull ? .tooManyWrites : error }
    }

    // MARK: Decisions

    /// Resolves a conflict.
    public func resolve(
        _ number: Int, _ decision: OutboxQueue.Decision
    ) async throws(OfflineError) {
        let (key, now) = (newKey(), now)
        let id = Article.ID(at: now)
        try await change { queue in
            queue.resolve(number, decision, newKey: key, newID: id, at: now)
        }
    }

    /// Sends a write again that is too old to do so without its user, or that was rejected.
    public func sendAgain(_ number: Int) async throws(OfflineError) {
        let key = newKey()
        try await change { $0.sendAgain(number, newKey: key) }
    }

    /// Drops a write that is not being sent; with a creation also the later writes to the article.
    public func discard(_ number: Int) async throws(OfflineError) {
        try await change { $0.discard(number) }
    }

    /// Sends writes that wait for a later time at once.
    func networkDidChange() async {
        networkChangeCount += 1
        _ = try? await change { $0.hurry() }
    }

    // MARK: Observing

    /// The state of the unsent writes.
    public var state: OutboxState {
        get async {
            _ = try? await load()
            return currentState
        }
    }

    /// The state of the unsent writes, and then again after each change. It ends with the outbox.
    public nonisolated var states: StoreUpdates<OutboxState> {
        StoreUpdates(notices, of: .state) { [weak self] in
            guard let self else { return nil }
            return .some(await state)
        }
    }

    private var currentState: OutboxState {
        OutboxState(entries: queue?.entries ?? [], pause: pause, unreadable: unreadable)
    }

    func setPause(_ new: OutboxState.Pause?) {
        guard pause != new else { return }
        pause = new
        notices.post([.state])
    }

    // MARK: Changes

    var now: Timestamp { Timestamp(milliseconds: environment.wallSeconds() * 1_000) }

    /// A key that was never used.
    func newKey() -> String { Article.ID(at: now).description }

    /// The writes, which are read once.
    private func load() async throws(OfflineError) -> OutboxQueue {
        if let queue { return queue }
        let stored = try await store.loadWrites()
        // Another call may have read them meanwhile, and have changed them.
        if let queue { return queue }
        let entries = stored.compactMap { try? OutboxEntry(mapping: $0.entry) }
        unreadable = stored.count - entries.count
        let loaded = OutboxQueue(entries, after: stored.last?.number ?? 0)
        queue = loaded
        return loaded
    }

    /// Changes the writes. A change is stored before it is visible and before the next begins.
    @discardableResult
    func change(
        with updates: [ModelUpdate] = [], _ body: (inout OutboxQueue) -> OutboxQueue.Edit?
    ) async throws(OfflineError) -> OutboxQueue.Edit {
        await beginChange()
        defer { endChange() }
        var next = try await load()
        guard let edit = body(&next) else { throw .noSuchWrite }
        guard !edit.isEmpty || !updates.isEmpty else { return edit }
        try await store.commit(StoreChanges(edit, updates: updates))
        queue = next
        notices.post([.state])
        wake()
        return edit
    }

    /// Changes the writes in memory only: the stored ones are the same, less precisely.
    func changeInMemory(_ body: (inout OutboxQueue) -> OutboxQueue.Edit?) {
        guard var next = queue, body(&next) != nil else { return }
        queue = next
        notices.post([.state])
    }

    func wake() { alarm?.yield() }

    private func beginChange() async {
        guard isChanging else {
            isChanging = true
            return
        }
        await withCheckedContinuation { changes.append($0) }
    }

    private func endChange() {
        // The turn passes to the next one without becoming free.
        if changes.isEmpty { isChanging = false } else { changes.removeFirst().resume() }
    }
}
