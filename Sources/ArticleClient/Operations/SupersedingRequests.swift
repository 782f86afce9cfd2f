public import ArticleAPI

/// Search as you type: only the response to the latest request is delivered.
///
/// A new request ends the previous one with `superseded`, and an outdated response is never
/// delivered. Use it from one actor, usually the main actor: a result returned there belongs to the
/// latest request that was made there.
///
/// With a pause, a request is sent once no other one has been made for that long, so that a typed
/// word is one request and not one for each letter.
///
/// ```swift
/// let search = SupersedingRequests(backend, pause: .milliseconds(250))
/// let page = try await search.send(SearchArticlesRequest(query: "swift"))
/// ```
public final class SupersedingRequests: Sendable {
    private struct State {
        var question = 0
        /// Ends the previous request.
        var supersede: (@Sendable () -> Void)?
    }

    private let service: BackendService
    private let pause: Duration
    private let state = Locked(State())

    /// - Parameters:
    ///   - service: sends the requests.
    ///   - pause: the time for which a request waits for a later one before it is sent.
    public init(_ service: BackendService, pause: Duration = .zero) {
        self.service = service
        self.pause = pause
    }

    /// Sends a request and ends the previous one.
    public func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        let session = service.auth.sessionID
        return try await deliver { [service] in
            await service.result(of: request, options: options, in: session)
        }
    }

    /// Does other work in place of sending a request, and ends the previous one: several requests,
    /// or one of which the reply matters. It ends with `signedOut` if its user has
    /// signed out before it began.
    ///
    /// - Parameter work: is cancelled when a later request is made.
    public func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(BackendError) -> Value
    ) async throws(BackendError) -> Value {
        let session = service.auth.sessionID
        return try await deliver { [service] in
            guard service.auth.sessionID == session else { return .failure(.signedOut) }
            do throws(BackendError) {
                return .success(try await work())
            } catch { return .failure(error) }
        }
    }

    private func deliver<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Result<Value, BackendError>
    ) async throws(BackendError) -> Value {
        let flight = SharedTask<Value>()
        let (question, supersede) = state.withLock { state in
            state.question += 1
            let before = state.supersede
            state.supersede = { flight.end(.failure(.superseded)) }
            return (state.question, before)
        }
        supersede?()
        flight.start { [service, pause] in
            if pause > .zero {
                do { try await service.environment.sleep(pause) } catch {
                    return .failure(.cancelled)
                }
            }
            return await work()
        }
        let outcome = await flight.join() ?? .failure(.cancelled)
        // There is no suspension point between this check and the caller.
        let isLatest = state.withLock { state in
            guard state.question == question else { return false }
            state.supersede = nil
            return true
        }
        guard isLatest else { throw .superseded }
        return try outcome.get()
    }

    /// Ends the current request with `superseded`.
    public func clear() {
        let supersede = state.withLock { state in
            state.question += 1
            return state.supersede.take()
        }
        supersede?()
    }
}
