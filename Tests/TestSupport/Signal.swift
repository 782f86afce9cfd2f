import BroadsheetPlatform

/// An event that happens once, which tests wait for instead of sleeping.
public final class Signal: Sendable {
    private struct State {
        var isGiven = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }
    private let state = Lock(State())

    public init() {}

    public var isGiven: Bool { state.withLock { $0.isGiven } }

    /// The event has happened; everything that waits continues.
    public func give() {
        let waiting = state.withLock { state in
            state.isGiven = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    public func wait() async {
        await withUnsafeContinuation { continuation in
            let isGiven = state.withLock { state in
                if !state.isGiven { state.waiting.append(continuation) }
                return state.isGiven
            }
            if isGiven { continuation.resume() }
        }
    }
}

/// Waits until other threads make the condition true; false after ``Patience/seconds``.
public func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(Patience.seconds)
    var pause = Duration.milliseconds(1)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        // Leaves the processor to other threads, for longer the more time the condition takes.
        try? await Task.sleep(for: pause)
        pause = min(pause * 5 / 4, .milliseconds(25))
    }
    return true
}

/// A thread-safe counter.
public final class Counter: Sendable {
    private let count = Lock(0)

    public init() {}

    public var value: Int { count.withLock { $0 } }

    /// Increments the counter and returns its previous value.
    @discardableResult
    public func next() -> Int {
        count.withLock { count in
            count += 1
            return count - 1
        }
    }
}
