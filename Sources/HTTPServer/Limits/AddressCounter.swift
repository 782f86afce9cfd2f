import Platform

/// Counts the open connections of each address. Addresses without connections take no memory.
final class AddressCounter: Sendable {
    private let limit: Int
    private let counts = Lock([RateLimitKey: Int]())
    /// How many connections of one address may receive a 429 at the same time.
    private static let rejectedLimit = 8

    init(limit: Int) { self.limit = limit }

    /// Counts one more connection of the address. After `welcome` and `full` the connection has to
    /// `leave`.
    func enter(_ key: RateLimitKey) -> ConnectionLimiter.Entrance {
        counts.withLock { counts in
            let count = counts[key] ?? 0
            guard count < limit + Self.rejectedLimit else { return .overrun }
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
