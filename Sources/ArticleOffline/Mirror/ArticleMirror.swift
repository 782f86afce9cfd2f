public import ArticleAPI
public import ArticleClient

/// Follows a backend into a store: its articles that match a filter, now and as they change.
///
/// ```swift
/// let mirror = ArticleMirror(
///     store: store, backend: backend, name: "baking",
///     filter: FetchChangesRequest(tags: ["baking"]))
/// let following = Task { try await mirror.run() }
/// for await state in mirror.states where state == .live { break }
/// following.cancel()
/// ```
///
/// The store keeps, under the mirror's name, the list of its articles and their token; each page is
/// stored together with its token or not at all. So `run` goes on where the last one was
/// interrupted, in this launch of the app or in an earlier one. If the backend rejects the token,
/// or the filter has changed, it starts again: the articles shown stay until the new snapshot is
/// complete, and those that are no longer in it are then removed, except those that are pinned or
/// have unsent writes.
///
/// It is polite to devices and networks: before each request, a closure of the app returns the
/// permitted uses of the network, and `suspend` closes the connection while the app is in the
/// background. Safe to use from any thread. Nothing runs unless `run` or `catchUp` does.
public final class ArticleMirror: Sendable {
    public let name: String
    private let store: ModelStore
    private let backend: BackendService
    private let filter: FetchChangesRequest
    /// The text of the filter in the store.
    private let filterText: String
    private let allowance: @Sendable () -> NetworkPolicy
    private let progress = Locked(MirrorProgress())
    private let notices = ChangeNotifier<MirrorTopic>()
    private let networkObserver = Locked(0)

    /// - Parameters:
    ///   - store: the store of the articles; its account must be that of the session.
    ///   - backend: the backend to follow.
    ///   - name: the name of the mirror in the store, across launches. Mirrors that are in use at
    ///     the same time have different names.
    ///   - filter: the articles to keep, and their attributes; its `since` is ignored. Its `limit`
    ///     is the size of a page, by default 100 changes.
    ///   - allowance: is called before each request, on any thread.
    public init(
        store: ModelStore, backend: BackendService, name: String,
        filter: FetchChangesRequest = FetchChangesRequest(),
        allowance: @escaping @Sendable () -> NetworkPolicy = { .unrestricted }
    ) {
        self.store = store
        self.backend = backend
        self.name = name
        var filter = filter
        filter.since = nil
        self.filter = filter
        // Pages of another size continue the same token.
        filter.limit = nil
        filterText = RequestPrinter.target(of: filter)
        self.allowance = allowance
        let number = backend.observeNetwork { [weak self] in self?.conditionsChanged() }
        networkObserver.withLock { $0 = number }
    }

    deinit {
        backend.stopObservingNetwork(networkObserver.withLock { $0 })
        notices.end()
    }

    // MARK: State

    /// The present state of the mirror.
    public var state: State { progress.withLock { $0.state } }

    /// The state of the mirror, and then each change. Slow consumers get the newest state only. The
    /// sequence ends when the mirror is released.
    public var states: StoreUpdates<State> {
        StoreUpdates(notices, of: .state) { [progress] in progress.withLock { .some($0.state) } }
    }

    /// Changes the progress and announces a new state.
    private func update<Value: Sendable>(_ change: (inout MirrorProgress) -> Value) -> Value {
        let (value, isNew) = progress.withLock { progress in
            let former = progress.state
            let value = change(&progress)
            return (value, progress.state != former)
        }
        if isNew { notices.post(CollectionOfOne(.state)) }
        return value
    }

    // MARK: Following

    /// Fetches the changes so far and then follows every change, until the task is cancelled.
    ///
    /// Failures of the network and of the backend are repeated after growing delays.
    ///
    /// - Throws: `cancelled` and `signedOut`, errors that a repetition cannot fix, and errors of
    ///   the store except `full`: it then waits for `conditionsChanged`.
    public func run() async throws(OfflineError) {
        review()
        update { $0.begin(.run) }
        defer { update { $0.end(.run) } }
        // Ends with an error: that of the task's cancellation, at the latest.
        while true {
            let conditions = progress.withLock { $0.conditions }
            do throws(OfflineError) { _ = try await follow(.run) } catch {
                guard error == .full else { throw error }
                try await wait(forChangesOf: conditions)
            }
        }
    }

    /// Fetches the changes so far, once, as for a refresh in the background.
    ///
    /// It is repeated as often as the configuration of the backend allows.
    ///
    /// - Parameter isForUser: true if the user has asked for it, so that even a constrained network
    ///   may be used.
    /// - Returns: true if the store is current; `false` if the network may not be used.
    @discardableResult
    public func catchUp(isForUser: Bool = false) async throws(OfflineError) -> Bool {
        guard mayRequest(.catchUp, isForUser) else { return false }
        update { $0.begin(.catchUp) }
        defer { update { $0.end(.catchUp) } }
        do throws(OfflineError) {
            // Another call that stores pages at the same time can only come first while there are
            // any.
            while try await !follow(.catchUp, isForUser: isForUser) {}
            return true
        } catch {
            guard error == .backend(.cancelled), !Task.isCancelled else { throw error }
            return false
        }
    }

    /// Follows from the position of the store.
    ///
    /// - Returns: true if the store is current; `false` if another call has stored a page, so that
    ///   this one has to begin again.
    private func follow(
        _ mode: MirrorProgress.Mode, isForUser: Bool = false
    ) async throws(OfflineError) -> Bool {
        var place = try await store.beginMirror(name, filter: filterText)
        update { $0.isAt(place, mode) }
        let live = backend.liveChanges(
            from: place.token, matching: filter, onlyAs: SessionOwner(store.place.account),
            report: { (activity) throws(BackendError) in
                try self.note(activity, mode, isForUser)
            })
        let number = mode == .run ? update { $0.follow(live) } : nil
        defer { if let number { update { $0.unfollow(number) } } }
        var steps = live.makeAsyncIterator()
        var wasCurrent = false
        while let step = try await next(of: &steps) {
            guard let next = try await apply(step, at: place, mode, tidies: !wasCurrent) else {
                return false
            }
            place = next
            guard case .page(let page) = step, !page.more else {
                wasCurrent = false
                update { $0.isAt(next, mode) }
                if case .page = step { await countArticles(mode, isForUser) }
                continue
            }
            wasCurrent = true
            update { $0.isCurrent(mode) }
            if mode == .catchUp { return true }
        }
        return true
    }

    private func next(
        of steps: inout LiveChanges.Iterator
    ) async throws(OfflineError) -> SyncStep? {
        do throws(BackendError) { return try await steps.next(isolation: #isolation) } catch {
            throw .backend(error)
        }
    }

    /// Stores a step with its token.
    ///
    /// - Parameters:
    ///   - step: the step that has arrived.
    ///   - place: the required position of the store.
    ///   - mode: the call that it is for.
    ///   - tidies: true if a last page removes articles that the backend no longer shows.
    /// - Returns: the new position of the store; `nil` if it was at another one.
    private func apply(
        _ step: SyncStep, at place: StoredMirror, _ mode: MirrorProgress.Mode, tidies: Bool
    ) async throws(OfflineError) -> StoredMirror? {
        let now = now
        let times = progress.withLock { $0.times(mode, now: now) }
        do throws(OfflineError) {
            let position = MirrorPosition(place)
            var next = place
            switch step {
            case .restart:
                (next.token, next.isComplete, next.members) = (nil, false, 0)
                return try await store.restartMirror(name, from: position) ? next : nil
            case .page(let page):
                let query = ArticleQuery(filter)
                var stored = MirrorPage(
                    page, knowing: filter.fields.map { AttributeSet($0) } ?? .inLists,
                    isFiltered: !query.matchesEverything, seenAt: times.seen)
                stored.position = position
                stored.requestedAt = times.requested
                if tidies, !page.more, hasArticles {
                    stored.whole = MirrorPage.Whole(query: query, asOf: times.requested)
                }
                next.token = page.next
                if !page.more { next.isComplete = true }
                next.members += page.changes.count { $0.isArticle }
                return try await store.apply(stored, to: name) ? next : nil
            }
        } catch {
            if error == .full { update { $0.isFull(mode) } }
            throw error
        }
    }

    /// Requests the number of articles in the snapshot. It does without if that fails.
    private func countArticles(_ mode: MirrorProgress.Mode, _ isForUser: Bool) async {
        guard hasArticles, mayRequest(mode, isForUser),
            progress.withLock({ $0.takeCount() })
        else { return }
        let request = FetchArticlesRequest(
            limit: 1, tags: filter.tags, author: filter.author, language: filter.language,
            status: filter.status, source: filter.source, publishedAfter: filter.publishedAfter,
            publishedBefore: filter.publishedBefore, count: .exact)
        guard let count = try? await backend.send(request).count, count.isExact else { return }
        update { $0.count(count.value, mode) }
    }

    /// - Throws: `cancelled` if the request may not be sent, and the error if `catchUp` has tried
    ///   often enough.
    private func note(
        _ activity: LiveActivity, _ mode: MirrorProgress.Mode, _ isForUser: Bool
    ) throws(BackendError) {
        let now = now
        switch activity {
        case .requesting:
            // The changes that `run` follows were suspended.
            guard mayRequest(mode, isForUser) else {
                guard mode == .run else { throw .cancelled }
                return
            }
            update { $0.willRequest(mode, at: now) }
        case .streaming: update { $0.isStreaming(mode) }
        case .polling: update { $0.isCurrent(mode) }
        case .waiting(let delay, let error):
            let time = now.advanced(byMilliseconds: delay.milliseconds)
            let failures = update { $0.willWait(mode, until: time, because: error) }
            guard mode == .run || failures < backend.configuration.retries.attempts else {
                throw error
            }
        }
    }

    private var hasArticles: Bool { filter.types?.contains(.article) != false }

    private var now: Timestamp {
        Timestamp(milliseconds: backend.environment.wallSeconds() * 1_000)
    }

    private func mayRequest(_ mode: MirrorProgress.Mode, _ isForUser: Bool) -> Bool {
        switch mode {
        case .run: review()
        case .catchUp: isForUser || allowance() != .constrained
        }
    }

    // MARK: Conditions

    /// Calls the closure again, because its conditions have changed, or there is more room in the
    /// store: `run` then stops requesting, or goes on at once. It need not be called for the
    /// network: `BackendService.networkDidChange` does this, and ends delays.
    public func conditionsChanged() {
        review()
        for waiter in progress.withLock({ $0.changeConditions() }) { waiter.yield() }
    }

    /// Closes the connection, and lets `run` request nothing until `resume`.
    public func suspend() {
        progress.withLock { $0.isSuspended = true }
        review()
    }

    /// Lets `run` go on at once.
    public func resume() {
        progress.withLock { $0.isSuspended = false }
        conditionsChanged()
    }

    /// Suspends or resumes the changes that `run` follows.
    ///
    /// - Returns: true if it may send requests.
    @discardableResult
    private func review() -> Bool {
        let allowed = allowance()
        // Ends when no other thread has decided otherwise meanwhile.
        while true {
            let (reason, followed) = update { progress in
                progress.pause(because: progress.isSuspended ? .suspended : allowed.pauseReason)
                return (progress.pause, Array(progress.followed.values))
            }
            for live in followed { if reason == nil { live.resume() } else { live.suspend() } }
            if progress.withLock({ $0.pause }) == reason { return reason == nil }
        }
    }

    /// Waits for `conditionsChanged`, unless it was called since this number was read.
    private func wait(forChangesOf conditions: Int) async throws(OfflineError) {
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = progress.withLock { $0.wait(continuation, forChangesOf: conditions) }
        guard let number else { return }
        defer { progress.withLock { $0.stopWaiting(number) } }
        for await _ in wakes { return }
        throw .backend(.cancelled)
    }
}

/// The topics that a mirror announces.
enum MirrorTopic { case state }

extension NetworkPolicy {
    /// The reason why `run` requests nothing; `nil` if it may.
    fileprivate var pauseReason: ArticleMirror.PauseReason? {
        switch self {
        case .unrestricted: nil
        case .lowPower: .lowPower
        case .constrained: .constrained
        }
    }
}

extension SyncChange {
    /// True for an article, and false for a deletion.
    fileprivate var isArticle: Bool { if case .putArticle = self { true } else { false } }
}
