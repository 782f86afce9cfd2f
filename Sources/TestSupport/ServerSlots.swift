import Sockets

/// How many servers tests have up at once. Each takes threads of Dispatch's, which has 255 in all:
/// beyond, loops and queues would wait for each other for ever.
enum ServerSlots {
    private struct State {
        var free = 32
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Lock(State())

    /// Waits for a slot; `give` it back.
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
