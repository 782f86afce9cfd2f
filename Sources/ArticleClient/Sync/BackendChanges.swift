public import ArticleAPI

/// One step by which a copy follows a backend: a page to apply, or the order to start again.
///
/// See ``BackendChanges`` and ``LiveChanges``.
public enum SyncStep: Sendable, Equatable {
    /// Changes to apply in order, and the token to keep with the result.
    case page(ChangePage<Article>)
    /// The token is no longer valid: the backend's history was replaced (410 `sync-reset`), or the
    /// token belongs to other filters or another role (400 `invalid-token`). Discard the copy; the
    /// pages that follow are those of a new snapshot.
    case restart
}

/// The changes since a token was given out, page after page, up to the present.
///
/// ```swift
/// let baking = FetchChangesRequest(tags: ["baking"])
/// for try await step in backend.changes(since: token, matching: baking) {
///     switch step {
///     case .page(let page): (changes, token) = (changes + page.changes, page.next)
///     case .restart: (changes, token) = ([], nil)
///     }
/// }
/// ```
///
/// Without a token it is the snapshot of the content that the caller sees. The sequence ends after
/// the page that leaves nothing more to fetch. It starts again by itself, and at most once: if the
/// backend also rejects the new snapshot's token, it throws that problem.
///
/// Each page is requested when the iterator needs it. After an error, the same iterator can request
/// the page again, and another sequence can continue at any token. A value; iterate on any actor,
/// any number of times.
public struct BackendChanges: AsyncSequence, Sendable {
    public typealias Element = SyncStep
    public typealias Failure = BackendError

    fileprivate let service: BackendService
    fileprivate let request: FetchChangesRequest
    fileprivate let options: RequestOptions

    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let service: BackendService
        private let options: RequestOptions
        /// The request for the next page; `nil` after the last one.
        private var request: FetchChangesRequest?
        private var tokens = RecentValues<String>()
        private var hasRestarted = false

        fileprivate init(changes: BackendChanges) {
            service = changes.service
            options = changes.options
            request = changes.request
        }

        public mutating func next() async throws(BackendError) -> SyncStep? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> SyncStep? {
            guard let asked = request else { return nil }
            let page: ChangePage<Article>
            do throws(BackendError) {
                page = try await service.send(asked, options: options)
            } catch {
                guard !hasRestarted, asked.isRejected(with: error) else { throw error }
                hasRestarted = true
                tokens = RecentValues()
                request?.since = nil
                return .restart
            }
            guard page.more else {
                request = nil
                return .page(page)
            }
            // A backend that returns to an earlier token would never end.
            guard page.next != asked.since, tokens.insert(page.next) else {
                request = nil
                throw .mapping(
                    .invalid(
                        path: "$.next", expected: "the token of a later page",
                        found: "the token of an earlier page"))
            }
            request?.since = page.next
            return .page(page)
        }
    }
}

extension FetchChangesRequest {
    /// Returns true if the backend rejects the token, so that the copy has to start again.
    func isRejected(with error: BackendError) -> Bool {
        guard let since, since != Self.now, let kind = error.problem?.kind else { return false }
        return kind == .syncReset || kind == .invalidToken
    }
}

extension BackendService {
    /// Returns the changes since the token was given out, for a copy that follows the backend.
    ///
    /// - Parameters:
    ///   - token: the token that is kept with the copy; `nil` for the snapshot.
    ///   - filter: the articles of the copy, and their attributes; its `since` is ignored. A token
    ///     only continues the filter that it was given out for.
    ///   - options: apply to each page.
    public func changes(
        since token: String?, matching filter: FetchChangesRequest = FetchChangesRequest(),
        options: RequestOptions = .init()
    ) -> BackendChanges {
        var request = filter
        request.since = token
        return BackendChanges(service: self, request: request, options: options)
    }
}
