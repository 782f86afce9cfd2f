package import ArticleServiceCore
import BroadsheetPlatform

/// Limits the accounts that an address can create in an hour, all at once or evenly. A /56 of IPv6
/// can create twice as many, a /48 four times.
///
/// Failed attempts also count, as each one discloses if a name is taken. Memory is bounded. Safe to
/// use from any thread.
package final class SignUpThrottle: Sendable {
    private let addressRate: ThrottleRate
    /// Those of /48 and /56.
    private let networkRates: [ThrottleRate]
    private let buckets = Lock(BoundedTable<ThrottleBucket>(capacity: 16_384))
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - count: The maximum accounts in an hour; 1 to 100,000.
    ///   - now: Monotonic milliseconds.
    package init(perHour count: Int, now: @escaping @Sendable () -> Int64) {
        func rate(_ share: Int64) -> ThrottleRate {
            let burst = share * Int64(count)
            return ThrottleRate(burst: burst, interval: 3_600_000 / burst)
        }
        addressRate = rate(1)
        networkRates = [rate(4), rate(2)]
        self.now = now
    }

    /// Counts an attempt from an address, or rejects it.
    ///
    /// - Parameter networks: The larger networks of the address (`RequestContext.limitedNetworks`).
    package func take(_ address: UInt64, in networks: [UInt64]) throws(ServiceError) {
        let now = now()
        let rates = [(address, addressRate)] + zip(networks, networkRates)
        let limits = rates.map { (HashedKey(name: nil, address: $0), $1) }
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
