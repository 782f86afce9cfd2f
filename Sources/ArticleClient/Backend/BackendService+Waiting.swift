import BroadsheetHTTP

/// Work that is replaced by a copy if it fails or takes too long, and copies that come back.
extension BackendService {
    /// The outcome of the work, or a substitute if it fails with an error that `allowsStale`, or
    /// has not ended after a wait. Then the work continues without its caller. Without a
    /// substitute, the caller waits for the work.
    ///
    /// - Parameters:
    ///   - wait: the time from now.
    ///   - work: is cancelled with its caller.
    ///   - substitute: receives the error of the work, or `timedOut` after the wait.
    func outcome<Value: Sendable>(
        after wait: Duration, of work: @escaping @Sendable () async -> Result<Value, BackendError>,
        orElse substitute: (BackendError) async -> Value?
    ) async -> Result<Value, BackendError> {
        let task = SharedTask<Value>(outlivesWaiters: true)
        task.start(work)
        let limit = WaitLimit(
            auth, Session.anonymous.id, for: wait, from: environment.now(), by: environment.now)
        let outcome = await Self.outcome(of: task, within: limit)
        guard case .failure(let error) = outcome, error.allowsStale else { return outcome }
        if let value = await substitute(error) { return .success(value) }
        return await Self.outcome(of: task, within: nil)
    }

    private static func outcome<Value: Sendable>(
        of task: SharedTask<Value>, within limit: WaitLimit?
    ) async -> Result<Value, BackendError> {
        let outcome = await task.join(limit) ?? .failure(.cancelled)
        if case .failure(.cancelled) = outcome { task.end(outcome) }
        return outcome
    }

    /// Puts back the copy that a response has replaced.
    ///
    /// - Returns: the copy; `nil` if there was none.
    func restoreCopy(
        insteadOf received: CallResponse, _ call: Call
    ) -> CachedResponse? {
        guard let cache, call.request.method == .get else { return nil }
        let key = CacheKey(call.request, to: call.origin, by: call.session.owner)
        let former = received.former?.copy
        auth.whileValid(call.session) { cache.restore(former, insteadOf: received.bytes, for: key) }
        return former
    }
}
