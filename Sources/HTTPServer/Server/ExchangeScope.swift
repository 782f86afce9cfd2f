public import Sockets

/// What the server and a request's handler share of one exchange, from when its handler begins
/// until the response has been sent, or dropped with its connection.
public final class ExchangeScope: Sendable {
    private struct State {
        var turns: [WorkerTurn] = []
        var allowance: RateLimitStatus?
        var isOver = false
    }

    private let state = Lock(State())
    private let meter: RateMeter?

    /// - Parameter meter: where the request's tokens come from; `nil`: it is not limited.
    init(meter: RateMeter?) { self.meter = meter }

    /// Keeps the room that the response takes until it is sent.
    public func hold(_ turn: WorkerTurn) {
        let isOver = state.withLock { state in
            if !state.isOver { state.turns.append(turn) }
            return state.isOver
        }
        if isOver { turn.end() }
    }

    /// Takes more from what the client may send: the request is dearer than others.
    ///
    /// - Parameter tokens: beside the one that each request costs.
    /// - Returns: `nil`, or after how many seconds the client may try again.
    public func charge(_ tokens: Int) -> Int? {
        guard tokens > 0, let meter else { return nil }
        let allowance = meter.take(tokens)
        state.withLock { $0.allowance = allowance }
        if case .empty(let seconds) = allowance.outcome { return seconds }
        return nil
    }

    /// What the client has left, if it was charged here.
    var allowance: RateLimitStatus? { state.withLock { $0.allowance } }

    /// The response is sent, or nobody will get it.
    func end() {
        let turns = state.withLock { state in
            state.isOver = true
            defer { state.turns = [] }
            return state.turns
        }
        for turn in turns { turn.end() }
    }
}

/// Where a request's tokens come from: the bucket of its address, or of its account.
struct RateMeter: Sendable {
    let limiter: RateLimiter
    let key: RateLimitKey
    let measure: RateLimitStatus.Measure
    /// Monotonic milliseconds, when the request came.
    let now: Int64

    func take(_ tokens: Int = 1) -> RateLimitStatus {
        RateLimitStatus(
            measure: measure, outcome: limiter.buckets.take(key, tokens: tokens, now: now))
    }
}
