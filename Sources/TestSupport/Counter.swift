import Platform

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
