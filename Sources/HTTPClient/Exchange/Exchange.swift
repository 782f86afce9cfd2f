import HTTP
import Platform
import Sockets

/// One request and its response, which the caller receives exactly once.
final class Exchange: Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPClientError>
    typealias Caller = UnsafeContinuation<Outcome, Never>

    let request: HTTPRequest
    let origin: HTTPOrigin
    let options: ExchangeOptions
    private let pool: ConnectionPool
    private let state = Lock(State())

    private struct State {
        var caller: Caller?
        /// The caller has received the outcome, or will receive this one.
        var isOver = false
        var early: HTTPClientError?
        /// The body that the caller may still be reading.
        var pipe: BodyPipe?
    }

    /// State that only the pool accesses, on its loop.
    struct Place {
        var deadline = Int64.max
        var timer: LoopTimer?
        var connection: ClientConnection?
        /// It failed on a closed connection, and must not use another idle one.
        var isRetried = false
    }
    // Confined to the pool's loop.
    nonisolated(unsafe) var place = Place()

    init(
        _ request: HTTPRequest, to origin: HTTPOrigin, _ options: ExchangeOptions,
        in pool: ConnectionPool
    ) {
        self.request = request
        self.origin = origin
        self.options = options
        self.pool = pool
    }

    /// Stores the caller's continuation and starts, unless the exchange has already ended.
    func begin(_ caller: Caller) {
        let early = state.withLock { state in
            if state.early == nil { state.caller = caller }
            return state.early
        }
        if let early { return caller.resume(returning: .failure(early)) }
        pool.add(self)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends the exchange with this outcome unless it has already ended.
    ///
    /// - Parameter pipe: The body of a streamed response.
    @discardableResult
    func finish(_ outcome: Outcome, streaming pipe: BodyPipe? = nil) -> Bool {
        let (isFirst, caller) = state.withLock { state in
            guard !state.isOver else { return (false, nil as Caller?) }
            state.isOver = true
            state.pipe = pipe
            if state.caller == nil, case .failure(let error) = outcome { state.early = error }
            return (true, state.caller.take())
        }
        caller?.resume(returning: outcome)
        return isFirst
    }

    /// The caller no longer wants the response or the rest of it.
    func cancel() {
        let pipe = state.withLock { $0.pipe.take() }
        pipe?.end(.failure(.cancelled))
        if finish(.failure(.cancelled)) || pipe != nil { pool.drop(self) }
    }

    /// The body is complete, so there is nothing left to cancel.
    func bodyEnded(_ end: Result<Void, HTTPClientError>) {
        state.withLock { $0.pipe.take() }?.end(end)
    }
}
