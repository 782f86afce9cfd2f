import Platform

/// Limits how many servers run in tests at the same time. Each takes Dispatch threads, of which
/// there are 255: with too many servers, loops and queues would deadlock.
enum ServerSlots {
    private struct State {
        var free = 32
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Lock(State())

    /// Waits for a slot; return it with `give`.
    static func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    static func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
