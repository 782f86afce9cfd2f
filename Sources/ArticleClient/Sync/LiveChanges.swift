public import ArticleAPI

/// The changes since a token was given out, and then every change as it happens.
///
/// ```swift
/// let live = backend.liveChanges(from: token)
/// for try await step in live {
///     if case .page(let page) = step, !page.more { show(page) }
/// }
/// ```
///
/// Changes that arrive together are a page, up to the filter's `limit`, whose `next` is the token
/// to keep. `more` is true until the backend has sent everything that had already happened; then
/// comes a page with `more` false, even if it is empty, and from then on each page has `more`
/// false.
///
/// The sequence has no end: it reconnects by the token of the last step, with growing random
/// delays, and reports each interruption to the observers as `BackendEvent.Kind.retried`. Where a
/// proxy lets no stream through, it requests a page about every 30 s, and tries a stream again
/// after 10 min. Every change comes once, in order. A rejected token is a ``SyncStep/restart``,
/// and the steps after it are a new snapshot. It throws `cancelled` when its task is cancelled,
/// `signedOut` when the session ends in which iteration began, and errors that a repetition cannot
/// fix; after an error, the same iterator can go on.
///
/// An app in the background suspends it, which closes the connection: `suspend` and `resume` apply
/// to all copies and iterators. Safe to use from any thread; iterate on any actor.
public struct LiveChanges: AsyncSequence, Sendable {
    public typealias Element = SyncStep
    public typealias Failure = BackendError

    fileprivate let service: BackendService
    fileprivate let request: FetchChangesRequest
    fileprivate let options: RequestOptions
    /// `nil` if the activities of iterators are not reported.
    var reporter: LiveReporter?
    fileprivate let gate: SuspensionGate

    /// Closes the connection and requests nothing, until `resume`.
    ///
    /// While a step is being handled, the connection is closed with the next one's request.
    public func suspend() { gate.suspend() }

    /// Connects again at once, by the token of the last step.
    public func resume() { gate.resume() }

    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private var follower: LiveFollower

        fileprivate init(changes: LiveChanges) {
            follower = LiveFollower(
                changes.service, changes.request, changes.options, changes.gate,
                changes.reporter)
        }

        public mutating func next() async throws(BackendError) -> SyncStep? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> SyncStep? {
            try await follower.next(isolation: actor)
        }
    }
}

extension BackendService {
    /// Returns the changes since the token was given out, and then every change as it happens.
    ///
    /// - Parameters:
    ///   - token: the token that is kept with the copy; `nil` for the snapshot,
    ///     `FetchChangesRequest.now` for future changes only.
    ///   - filter: the articles of the copy, and their attributes; its `since` is ignored. A token
    ///     only continues the filter that it was given out for.
    ///   - options: apply to each request. Without a `streamStallTimeout`, a stream that is silent
    ///     for 45 s counts as interrupted.
    public func liveChanges(
        from token: String?, matching filter: FetchChangesRequest = FetchChangesRequest(),
        options: RequestOptions = .init()
    ) -> LiveChanges {
        var request = filter
        request.since = token
        return LiveChanges(
            service: self, request: request, options: options,
            gate: SuspensionGate(network.changes))
    }
}
