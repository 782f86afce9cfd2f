import Platform

/// Limits how many accounts an address can create: 10 at once, and then one in each 6 minutes.
///
/// Attempts count, whether they succeed or not, as each one discloses whether a name is taken.
/// Memory is bounded. Safe to use from any thread.
final class SignUpThrottle: Sendable {
    private static let interval: Int64 = 360_000
    private static let burst: Int64 = 10 * interval

    /// When the bucket of an address is full again (a token bucket).
    private struct Bucket: ThrottleEntry {
        var endsAt: Int64

        func weight(at now: Int64) -> Int64 { endsAt <= now ? -1 : endsAt }
    }

    private let addresses = Lock(ThrottleTable<Bucket>(capacity: 8_192))
    private let now: @Sendable () -> Int64

    /// - Parameter now: Monotonic milliseconds.
    init(now: @escaping @Sendable () -> Int64) { self.now = now }

    /// Counts an attempt from an address, or rejects it.
    func take(_ address: UInt64) throws(ServiceError) {
        let now = now()
        let key = ThrottleKey(name: nil, address: address)
        let wait = addresses.withLock { addresses in
            let end = max(addresses[key, at: now]?.endsAt ?? now, now) + Self.interval
            guard end - now <= Self.burst else { return end - now - Self.burst }
            addresses[key, at: now] = Bucket(endsAt: end)
            return 0
        }
        guard wait == 0 else {
            throw .tooManySignUps(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}
