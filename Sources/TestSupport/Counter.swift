import Sockets

/// A number that any thread counts up.
public final class Counter: Sendable {
    private let count = Lock(0)

    public init() {}

    public var value: Int { count.withLock { $0 } }

    /// How often it was called before.
    @discardableResult
    public func next() -> Int {
        count.withLock { count in
            count += 1
            return count - 1
        }
    }
}
