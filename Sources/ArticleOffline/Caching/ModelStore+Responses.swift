package import ArticleAPI
public import ArticleClient
import BroadsheetHTTP

extension BackendService {
    /// The same service with a store of models as its memory. It shares connections, cached
    /// responses and credentials with the other one.
    ///
    /// Whatever sends requests with it, lists and operations, too, remembers them: a response is in
    /// the store, and announced, before it is returned. If the store fails, the response is
    /// returned nevertheless, and the store reports it. Responses to another account are not
    /// stored: the session in which a request was made has to be that of the store's account.
    ///
    /// With `.cached` and `.orCached(after:)`, items are made of everything that the store knows,
    /// with unsent writes: an article that came in a list, or over a mirror, needs no request of
    /// its own. For lists, and for items that the store does not keep, a cached response is used if
    /// the store does not know everything that is requested. A reply from the store has the source
    /// `cached` and no header fields.
    ///
    /// ```swift
    /// let remembering = BackendService(backend, memory: store)
    /// let article = try await remembering.send(FetchArticleRequest(key: .id(id)))
    /// let offline = RequestOptions(freshness: .cached)
    /// let same = try await remembering.send(FetchArticleRequest(key: .id(id)), options: offline)
    /// ```
    public init(_ service: BackendService, memory: ModelStore) {
        self = service.with(memory)
    }
}

/// The memory of a service, for requests that are ``CacheableRequest``s.
extension ModelStore: ResponseMemory {
    package nonisolated func merge<Request: BackendAPIRequest>(
        _ outcome: Result<BackendReply<Request.Item>, BackendError>, of request: Request,
        by owner: SessionOwner, sentAt time: Timestamp
    ) async {
        guard let cached = request as? any CacheableRequest else { return }
        do throws(OfflineError) {
            if owner == self.owner {
                try await merge(outcome, of: cached, sentAt: time)
            } else if case .success = outcome {
                throw .otherAccount
            }
        } catch { report(.notStored(error)) }
    }

    private nonisolated func merge<Item, Request: CacheableRequest>(
        _ outcome: Result<BackendReply<Item>, BackendError>, of request: Request,
        sentAt time: Timestamp
    ) async throws(OfflineError) {
        switch outcome {
        case .success(let reply):
            guard let item = reply.item as? Request.Item else { return }
            let seenAt = time.advanced(byMilliseconds: -reply.age.milliseconds)
            try await merge { request.updates(in: item, seenAt: seenAt) }
        case .failure(let error) where error.isMissing:
            try await merge(try await request.updatesForMissing(in: self, seenAt: time))
        case .failure: break
        }
    }

    package nonisolated func reply<Request: BackendAPIRequest>(
        to request: Request, for owner: SessionOwner
    ) async -> BackendReply<Request.Item>? {
        guard owner == self.owner, let cached = request as? any CacheableRequest else {
            return nil
        }
        do throws(OfflineError) {
            guard let found = try await known(cached), let item = found.item as? Request.Item
            else { return nil }
            let age = max(0, time().milliseconds - found.seenAt.milliseconds)
            return BackendReply(cached: item, age: .milliseconds(age))
        } catch {
            report(.notRead(error))
            return nil
        }
    }

    private nonisolated func known<Request: CacheableRequest>(
        _ request: Request
    ) async throws(OfflineError) -> CachedItem<any Sendable>? {
        try await request.cached(in: self).map { CachedItem($0.item, seenAt: $0.seenAt) }
    }

    package nonisolated func allowsCachedResponse<Request: BackendAPIRequest>(
        to request: Request, for owner: SessionOwner
    ) -> Bool {
        guard owner == self.owner, let cached = request as? any CacheableRequest else {
            return true
        }
        return cached.usesCachedResponses
    }

    private nonisolated var owner: SessionOwner { SessionOwner(place.account) }
}

extension BackendError {
    /// True if the backend does not have what was requested. Only responses of the backend itself
    /// say so: a network in which one has to sign in first also responds with 404. A problem of
    /// the contract has a meaning of its own, such as 410 for changes from another history.
    fileprivate var isMissing: Bool {
        guard let problem else { return false }
        return problem.kind.map { $0 == .notFound } ?? [404, 410].contains(problem.status)
    }
}
