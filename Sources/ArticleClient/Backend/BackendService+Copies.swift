import BroadsheetHTTP

/// Cached responses and shared exchanges: equal requests are sent once.
extension BackendService {
    func response(to call: Call) async -> Result<CallResponse, BackendError> {
        guard call.request.method.isSafe else { return await written(call) }
        let key = CacheKey(call.request, to: call.origin, by: call.session.owner)
        let freshness = call.options.freshness
        if freshness == .cached {
            return cache?.copy(for: key).map { .success(copied($0, call)) } ?? .failure(.notCached)
        }
        if freshness != .reloaded, let copy = cache?.copy(for: key),
            copy.isFresh(now: environment.now())
        {
            return .success(copied(copy, call))
        }
        let callKey = CallKey(
            cacheKey: key, session: call.session.id, isConditional: freshness != .reloaded)
        let outcome = await network.waiting { executor in
            await calls.outcome(for: callKey, call.stay, on: executor) {
                await fetched(call, key, for: $0)
            }
        }
        // Each waiter has its own deadline and its own freshness option.
        guard case .failure(let error) = outcome, freshness == .orCachedWhenOffline,
            error.isOffline, let copy = cache?.copy(for: key)
        else { return outcome }
        return .success(copied(copy, call))
    }

    /// A response from the cache without revalidation.
    private func copied(_ copy: CachedResponse, _ call: Call) -> CallResponse {
        let received = CallResponse(copy, isRevalidated: false, now: environment.now())
        network.notify(BackendEvent(.cached(age: received.age), call.request, to: call.origin))
        return received
    }

    /// Sends a write. Cached responses and exchanges from before it may be stale, even if it is
    /// unknown whether the write was carried out.
    private func written(_ call: Call) async -> Result<CallResponse, BackendError> {
        let outcome = await alone(call) {
            defer { forgetCopies() }
            return await exchanged(call).map(CallResponse.init)
        }
        forgetCopies()
        return outcome
    }

    private func forgetCopies() {
        cache?.expireAll()
        calls.seal()
    }

    /// The outcome of an unshared exchange, which ends when its caller stops waiting.
    func alone<Value: Sendable>(
        _ call: Call, _ work: @escaping @Sendable () async -> Result<Value, BackendError>
    ) async -> Result<Value, BackendError> {
        let flight = SharedTask<Value>(deadline: call.stay.deadline)
        return await network.waiting { executor in
            flight.start(on: executor, work)
            return await flight.join(call.stay) ?? .failure(.cancelled)
        }
    }

    private func fetched(
        _ call: Call, _ key: CacheKey, for waiters: SharedTask<CallResponse>
    ) async -> Result<CallResponse, BackendError> {
        guard let cache, call.request.method == .get else {
            return await exchanged(call, for: waiters).map(CallResponse.init)
        }
        let generation = cache.generation
        // Held until the end, because a 304 needs the bytes of the copy that was asked about.
        let copy = call.options.freshness == .reloaded ? nil : cache.copy(for: key)
        let conditional = copy?.etag.map(call.conditional) ?? call
        let outcome = await exchanged(conditional, for: waiters)
        let now = environment.now()
        switch outcome {
        case .success(let response) where response.status == .notModified:
            guard let copy else { return .failure(.transport(Self.uncalledFor)) }
            guard
                let confirmed = copy.confirmed(
                    by: response.fields, generation: generation, now: now)
            else {
                cache.remove(key)
                return .success(CallResponse(copy, isRevalidated: true, now: copy.confirmed))
            }
            auth.whileLasting(call.session) { cache.store(confirmed, for: key) }
            return .success(CallResponse(confirmed, isRevalidated: true, now: now))
        case .success(let response):
            let received = CallResponse(response)
            if response.status == .ok,
                let new = CachedResponse(
                    received.fields, received.bytes, generation: generation, now: now)
            {
                auth.whileLasting(call.session) { cache.store(new, for: key) }
            } else if response.status.code < 500, !Self.saysNothing.contains(response.status) {
                cache.remove(key)
            }
            return .success(received)
        case .failure(let error): return .failure(error)
        }
    }

    /// Errors that do not invalidate a cached response.
    private static let saysNothing: Set<HTTPStatus> = [
        .unauthorized, .requestTimeout, .tooManyRequests,
    ]

    private static var uncalledFor: TransportFailure {
        TransportFailure(.malformed, "the response is 304, but the request was not conditional")
    }
}
