package import ArticleAPI

/// A store of models beside a service: it merges what responses say, and what it knows replaces
/// responses. It reports its own failures; they fail no request.
package protocol ResponseMemory: Sendable {
    /// The present time, as it orders what responses say.
    func time() -> Timestamp

    /// Merges what the outcome of a request says, and returns when that is stored.
    ///
    /// - Parameters:
    ///   - outcome: a reply of the backend, or a copy; or an error.
    ///   - request: the request.
    ///   - owner: the owner of the session in which the request was made.
    ///   - time: the time at which it was sent.
    func merge<Request: BackendAPIRequest>(
        _ outcome: Result<BackendReply<Request.Item>, BackendError>, of request: Request,
        by owner: SessionOwner, sentAt time: Timestamp
    ) async

    /// The item, if all is known that the request asks for.
    ///
    /// - Parameters:
    ///   - request: the request, which is not sent.
    ///   - owner: the owner of the present session.
    func reply<Request: BackendAPIRequest>(
        to request: Request, for owner: SessionOwner
    ) async -> BackendReply<Request.Item>?

    /// False if a cached response may be older than what is known.
    func allowsCachedResponse<Request: BackendAPIRequest>(
        to request: Request, for owner: SessionOwner
    ) -> Bool
}

/// Requests of a service with a memory.
extension BackendService {
    /// Sends the request and merges its response, or replies from the memory, as the freshness
    /// says.
    ///
    /// - Parameter session: the session in which the request was made; `nil` for the current one.
    func reply<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions, with memory: any ResponseMemory,
        in session: Session.ID?
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        var options = options
        let session = try await self.session(session)
        switch options.freshness {
        case .cached:
            return try await copy(of: request, options, memory, in: session)
        case .orCached(let wait):
            options.freshness = .revalidated
            return try await outcome(after: wait) { [options] in
                await exchange(request, options, memory, in: session)
            } orElse: { error in
                options.freshness = .cached
                return try? await copy(of: request, options, memory, in: session)
                    .stale(because: error)
            }.get()
        case .revalidated, .reloaded:
            return try await exchange(request, options, memory, in: session).get()
        }
    }

    private func exchange<Request: BackendAPIRequest>(
        _ request: Request, _ options: RequestOptions, _ memory: any ResponseMemory,
        in session: Session
    ) async -> Result<BackendReply<Request.Item>, BackendError> {
        let time = memory.time()
        let outcome: Result<BackendReply<Request.Item>, BackendError>
        do throws(BackendError) {
            outcome = .success(
                try await plainReply(to: request, options: options, in: session.id))
        } catch { outcome = .failure(error) }
        await memory.merge(outcome, of: request, by: session.account, sentAt: time)
        return outcome
    }

    /// The known item, or else a cached response.
    private func copy<Request: BackendAPIRequest>(
        of request: Request, _ options: RequestOptions, _ memory: any ResponseMemory,
        in session: Session
    ) async throws(BackendError) -> BackendReply<Request.Item> {
        if let known = await memory.reply(to: request, for: owner) { return known }
        guard memory.allowsCachedResponse(to: request, for: owner) else { throw .notCached }
        return try await exchange(request, options, memory, in: session).get()
    }
}
