public import Platform

/// What the server and a request's handler share during one exchange: from the start of the handler
/// until the response is sent or the connection fails.
public final class ExchangeScope: Sendable {
    private struct State {
        var turns: [WorkerTurn] = []
        var allowance: RateLimitStatus?
        var isOver = false
    }

    private let state = Lock(State())
    private let meter: RateMeter?

    /// - Parameter meter: The bucket that the request is charged to; `nil`: it is not limited.
    init(meter: RateMeter?) { self.meter = meter }

    /// Keeps the memory reservation of the response until it is sent.
    public func hold(_ turn: WorkerTurn) {
        let isOver = state.withLock { state in
            if !state.isOver { state.turns.append(turn) }
            return state.isOver
        }
        if isOver { turn.end() }
    }

    /// Charges the client more tokens for a request that is expensive.
    ///
    /// - Parameter tokens: In addition to the one that every request costs.
    /// - Returns: `nil`, or the number of seconds after which the client may retry.
    public func charge(_ tokens: Int) -> Int? {
        guard tokens > 0, let meter else { return nil }
        let allowance = meter.take(tokens)
        state.withLock { $0.allowance = allowance }
        if case .empty(let seconds) = allowance.outcome { return seconds }
        return nil
    }

    /// What the client may still send, if it was charged here.
    var allowance: RateLimitStatus? { state.withLock { $0.allowance } }

    /// The response is sent, or will never be.
    func end() {
        let turns = state.withLock { state in
            state.isOver = true
            defer { state.turns = [] }
            return state.turns
        }
        for turn in turns { turn.end() }
    }
}

/// The bucket that a request is charged to: of its address or of its account.
struct RateMeter: Sendable {
    let limiter: RateLimiter
    let key: RateLimitKey
    let measure: RateLimitStatus.Measure
    /// Monotonic milliseconds at the arrival of the request.
    let now: Int64

    func take(_ tokens: Int = 1) -> RateLimitStatus {
        RateLimitStatus(
            measure: measure, outcome: limiter.buckets.take(key, tokens: tokens, now: now))
    }
}
