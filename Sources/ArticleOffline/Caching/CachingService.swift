public import ArticleAPI
public import ArticleClient
import BroadsheetHTTP

/// Sends requests and merges their responses into a store of models.
///
/// It sends as ``BackendService`` does. A response is in the store, and announced, before it is
/// returned. If the store fails, the response is returned nevertheless, and the store reports it.
/// Responses to another account are not stored: the session in which a request was made has to be
/// that of the store's account.
///
/// ```swift
/// let service = CachingService(backend, store: store)
/// let article = try await service.send(FetchArticleRequest(key: .id(id)))
/// let offline = RequestOptions(freshness: .cached)
/// let same = try await service.send(FetchArticleRequest(key: .id(id)), options: offline)
/// ```
///
/// With `.cached` and `.orCached(after:)`, items are made of everything that the store knows,
/// with unsent writes: an article that came in a list, or over a mirror, needs no request of its
/// own. For lists, and for items that the store does not keep, a cached response is used if the
/// store does not know everything that is requested. A value; use it from any actor.
public struct CachingService: Sendable {
    public let backend: BackendService
    public let store: ModelStore

    public init(_ backend: BackendService, store: ModelStore) {
        self.backend = backend
        self.store = store
    }

    /// Sends the request, stores its response's updates, and returns its item.
    @discardableResult
    public func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        try await reply(to: request, options: options).item
    }

    /// As `send`, with metadata of the response. A reply from the store has the source `cached` and
    /// no header fields.
    public func reply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        var options = options
        switch options.freshness {
        case .cached:
            return try await copy(of: request, options)
        case .orCached(let wait):
            options.freshness = .revalidated
            let session = try await backend.session()
            return try await backend.outcome(after: wait) { [options] in
                await exchange(request, options, in: session)
            } orElse: { error in
                options.freshness = .cached
                return try? await copy(of: request, options, because: error)
            }.get()
        case .revalidated, .reloaded: return try await exchange(request, options)
        }
    }

    /// Returns the known item at once, if it is complete, and then the backend's reply.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: the options of the second reply; the first never uses the network.
    public func replies<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions = .init()
    ) -> CachedReplies<Request> {
        CachedReplies(service: self, request: request, options: options)
    }

    // MARK: With the network

    private func exchange<Request: BackendAPIRequest>(
        _ request: Request, _ options: RequestOptions
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        let session = try await backend.session()
        return try await exchange(request, options, in: session).get()
    }

    private func exchange<Request: BackendAPIRequest>(
        _ request: Request, _ options: RequestOptions, in session: Session
    ) async -> Result<BackendReply<Request.Item>, BackendError> {
        let time = store.time()
        let result = await backend.outcome(of: request, options: options, in: session)
        guard let cached = request as? any CacheableRequest else { return result }
        do throws(ModelStoreError) {
            if session.account == owner {
                try await cache(result, of: cached, seenAt: time)
            } else if case .success = result {
                throw .otherAccount
            }
        } catch { store.report(.notStored(error)) }
        return result
    }

    /// - Parameter reason: the error instead of which the copy is used; `nil` if nothing was sent.
    private func copy<Request: BackendAPIRequest>(
        of request: Request, _ options: RequestOptions, because reason: BackendError? = nil
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        if let known = await cached(request, because: reason) { return known }
        guard usesCachedResponse(to: request) else { throw .notCached }
        return try await exchange(request, options).stale(because: reason)
    }

    private var owner: SessionOwner { SessionOwner(store.place.account) }

    private func cache<Item, Request: CacheableRequest>(
        _ result: Result<BackendReply<Item>, BackendError>, of request: Request,
        seenAt time: Timestamp
    ) async throws(ModelStoreError) {
        switch result {
        case .success(let reply):
            guard let item = reply.item as? Request.Item else { return }
            let seenAt = time.advanced(byMilliseconds: -reply.age.wholeMilliseconds)
            try await store.merge { request.updates(in: item, seenAt: seenAt) }
        // Only responses of the backend itself: a network in which one has to sign in first also
        // responds with 404.
        case .failure(let error) where error.problem?.kind == .notFound:
            try await store.merge(try await request.updatesForMissing(in: store, seenAt: time))
        case .failure: break
        }
    }

    // MARK: Without it

    /// The item from the store, if it has all that the request asks for.
    fileprivate func cached<Request: BackendAPIRequest>(
        _ request: Request, because reason: BackendError? = nil
    ) async -> BackendReply<Request.Item>? {
        guard backend.owner == owner, let asked = request as? any CacheableRequest else {
            return nil
        }
        do throws(ModelStoreError) {
            guard let found = try await known(asked),
                let item = found.item as? Request.Item
            else { return nil }
            let age = max(0, store.time().milliseconds - found.seenAt.milliseconds)
            return BackendReply(cached: item, age: .milliseconds(age), because: reason)
        } catch {
            store.report(.notRead(error))
            return nil
        }
    }

    /// Returns true if there may be a cached response that is not older than the store's knowledge.
    private func usesCachedResponse<Request: BackendAPIRequest>(to request: Request) -> Bool {
        guard backend.owner == owner, let asked = request as? any CacheableRequest else {
            return true
        }
        return asked.usesCachedResponses
    }

    private func known<Request: CacheableRequest>(
        _ request: Request
    ) async throws(ModelStoreError) -> CachedItem<any Sendable>? {
        try await request.cached(in: store).map { CachedItem($0.item, seenAt: $0.seenAt) }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// The known item at once, and then the backend's reply.
///
/// ```swift
/// for try await reply in service.replies(to: FetchArticleRequest(key: .id(id))) {
///     titles.append(reply.item.title)
/// }
/// ```
///
/// The sequence has one or two replies. If the request to the backend fails, it throws the error
/// after the first. Leaving the loop or cancelling its task cancels the request. A value; iterate
/// on any actor.
public struct CachedReplies<Request: BackendAPIRequest>: AsyncSequence, Sendable {
    public typealias Element = BackendReply<Request.Item>
    public typealias Failure = BackendError

    fileprivate let service: CachingService
    fileprivate let request: Request
    fileprivate let options: RequestOptions

    public func makeAsyncIterator() -> Iterator { Iterator(replies: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private enum Next { case known, reply, nothing }

        private let replies: CachedReplies
        private var next = Next.known

        fileprivate init(replies: CachedReplies) { self.replies = replies }

        public mutating func next() async throws(BackendError) -> BackendReply<Request.Item>? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> BackendReply<Request.Item>? {
            if next == .known {
                next = .reply
                if let known = await replies.service.cached(replies.request) { return known }
            }
            guard next == .reply else { return nil }
            next = .nothing
            var options = replies.options
            if options.freshness == .cached { options.freshness = .revalidated }
            return try await replies.service.reply(to: replies.request, options: options)
        }
    }
}
