public import ArticleAPI

/// Search as it is typed: only the answer to the last question counts.
///
/// A new question ends the one before it with `superseded`, and an answer that has come too late
/// is never delivered. Ask from one actor (the main one, as a rule): what is returned there is of
/// the last question that was asked there.
///
/// With a pause, a question goes out when nobody has asked another one for so long: a word that is
/// typed is one request and not one for each letter.
///
/// `let search = LatestWins(backend, pause: .milliseconds(250))`
public final class LatestWins: Sendable {
    private struct State {
        var question = 0
        /// Ends the question before.
        var supersede: (@Sendable () -> Void)?
    }

    private let service: BackendService
    private let pause: Duration
    private let state = Locked(State())

    /// - Parameters:
    ///   - service: what questions are sent by.
    ///   - pause: how long a question waits for a later one before it is sent.
    public init(_ service: BackendService, pause: Duration = .zero) {
        self.service = service
        self.pause = pause
    }

    /// Asks, and ends what was asked before.
    public func send<Request: BackendAPIRequest>(
        _ request: Request, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        let flight = SharedTask<Request.Item>()
        let (question, supersede) = state.withLock { state in
            state.question += 1
            let before = state.supersede
            state.supersede = { flight.end(.failure(.superseded)) }
            return (state.question, before)
        }
        supersede?()
        let session = service.auth.sessionID
        flight.start { [service, pause] in
            if pause > .zero {
                do { try await service.environment.sleep(pause) } catch {
                    return .failure(.cancelled)
                }
            }
            return await service.result(of: request, options: options, in: session)
        }
        let outcome = await flight.join() ?? .failure(.cancelled)
        // Nothing suspends between this and the caller.
        let isLatest = state.withLock { state in
            guard state.question == question else { return false }
            state.supersede = nil
            return true
        }
        guard isLatest else { throw .superseded }
        return try outcome.get()
    }

    /// Ends what was asked, with `superseded`: nobody wants the answer any more.
    public func clear() {
        let supersede = state.withLock { state in
            state.question += 1
            return state.supersede.take()
        }
        supersede?()
    }
}
