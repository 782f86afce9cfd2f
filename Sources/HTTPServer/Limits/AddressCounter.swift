import Sockets

/// Counts the open connections of each address. It holds nothing for an address without one.
final class AddressCounter: Sendable {
    private let limit: Int
    private let counts = Lock([RateLimitKey: Int]())
    /// How many of an address's connections may be told at the same time that there are too many.
    private static let refusedLimit = 8

    init(limit: Int) { self.limit = limit }

    /// Takes one more connection of the address. One that may stay, or is told that it may not, has
    /// to `leave`.
    func enter(_ key: RateLimitKey) -> ConnectionLimiter.Entrance {
        counts.withLock { counts in
            let count = counts[key] ?? 0
            guard count < limit + Self.refusedLimit else { return .overrun }
            counts[key] = count + 1
            return count < limit ? .welcome : .full
        }
    }

    func leave(_ key: RateLimitKey) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}
