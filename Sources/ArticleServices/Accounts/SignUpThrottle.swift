import Platform

/// Limits how many accounts an address can create: 10 at once, and then one in each 6 minutes. A
/// /56 of IPv6 can create twice as many, a /48 four times.
///
/// Attempts count, whether they succeed or not, as each one discloses whether a name is taken.
/// Memory is bounded. Safe to use from any thread.
final class SignUpThrottle: Sendable {
    private static let addressRate = ThrottleRate(burst: 10, interval: 360_000)
    /// Those of /48 and /56.
    private static let networkRates = [
        ThrottleRate(burst: 40, interval: 90_000), ThrottleRate(burst: 20, interval: 180_000),
    ]

    private let buckets = Lock(ThrottleTable<ThrottleBucket>(capacity: 16_384))
    private let now: @Sendable () -> Int64

    /// - Parameter now: Monotonic milliseconds.
    init(now: @escaping @Sendable () -> Int64) { self.now = now }

    /// Counts an attempt from an address, or rejects it.
    ///
    /// - Parameter networks: The larger networks of the address (`RequestContext.limitedNetworks`).
    func take(_ address: UInt64, in networks: [UInt64]) throws(ServiceError) {
        let now = now()
        let rates = [(address, Self.addressRate)] + zip(networks, Self.networkRates)
        let limits = rates.map { (ThrottleKey(name: nil, address: $0), $1) }
        let wait = buckets.withLock { buckets in
            let wait = limits.map { buckets.wait($0, $1, at: now) }.max() ?? 0
            guard wait == 0 else { return wait }
            for (key, rate) in limits { buckets.add(key, rate, at: now) }
            return 0
        }
        guard wait == 0 else {
            throw .tooManySignUps(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}
