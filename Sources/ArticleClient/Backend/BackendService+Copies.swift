import HTTP

/// Copies and shared exchanges: what is asked for twice is fetched once.
extension BackendService {
    func answer(to call: Call) async -> Result<Answer, BackendError> {
        guard call.request.method.isSafe else { return await written(call) }
        let key = CacheKey(call.request, to: call.origin, token: auth.token)
        if call.options.freshness != .reloaded, let copy = cache?.copy(for: key),
            copy.isFresh(now: environment.now())
        {
            return .success(Answer(copy, isRevalidated: false, now: environment.now()))
        }
        let callKey = CallKey(
            cacheKey: key, freshness: call.options.freshness, timeout: call.options.timeout,
            method: call.request.method)
        return await calls.outcome(for: callKey, on: network.executor) {
            await fetched(call, key)
        }
    }

    /// What a write changed, no copy and no exchange that began before it knows of; also when
    /// nobody can say whether it was carried out.
    private func written(_ call: Call) async -> Result<Answer, BackendError> {
        let outcome = await exchanged(call)
        cache?.expireAll()
        calls.seal()
        return outcome.map(Answer.init)
    }

    private func fetched(_ call: Call, _ key: CacheKey) async -> Result<Answer, BackendError> {
        guard let cache, call.request.method == .get else {
            return await exchanged(call).map(Answer.init)
        }
        let generation = cache.generation
        // Held from here on: the backend is only asked about a copy whose bytes there are.
        let copy = call.options.freshness == .reloaded ? nil : cache.copy(for: key)
        var conditional = call
        if let etag = copy?.etag { conditional.request.fields.set(.ifNoneMatch, to: etag) }
        let outcome = await exchanged(conditional)
        let now = environment.now()
        switch outcome {
        case .success(let response) where response.status == .notModified:
            guard let copy else { return .failure(.transport(Self.uncalledFor)) }
            guard
                let confirmed = copy.confirmed(
                    by: response.fields, generation: generation, now: now)
            else {
                cache.remove(key)
                return .success(Answer(copy, isRevalidated: true, now: copy.confirmed))
            }
            cache.store(confirmed, for: key)
            return .success(Answer(confirmed, isRevalidated: true, now: now))
        case .success(let response):
            let answer = Answer(response)
            if response.status == .ok,
                let new = CachedResponse(
                    answer.fields, answer.bytes, generation: generation, now: now)
            {
                cache.store(new, for: key)
            } else if response.status.code < 500 {
                cache.remove(key)
            }
            return .success(answer)
        case .failure(let error):
            guard call.options.freshness == .orCachedWhenOffline, error.isUnreachable, let copy
            else { return .failure(error) }
            return .success(Answer(copy, isRevalidated: false, now: now))
        }
    }

    private static var uncalledFor: TransportFailure {
        TransportFailure(.malformed, "the answer is 304, and nothing was asked about a copy")
    }
}

extension BackendError {
    /// Whether there was no answer because the backend was not to be had.
    fileprivate var isUnreachable: Bool {
        switch self {
        case .offline, .timedOut: true
        case .transport(let failure): failure.kind == .disconnected
        default: false
        }
    }
}
