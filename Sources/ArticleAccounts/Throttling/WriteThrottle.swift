package import ArticleAPI
package import ArticleServiceCore
import BroadsheetPlatform

/// Limits the writes of an account in a minute, all at once or evenly.
///
/// Failed attempts also count. Memory is bounded. Safe to use from any thread.
package final class WriteThrottle: Sendable {
    private let rate: ThrottleRate
    private let buckets = Lock(BoundedTable<ThrottleBucket>(capacity: 8_192))
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - count: The maximum writes in a minute.
    ///   - now: Monotonic milliseconds.
    package init(perMinute count: Int, now: @escaping @Sendable () -> Int64) {
        let burst = Int64(max(1, count))
        rate = ThrottleRate(burst: burst, interval: 60_000 / burst)
        self.now = now
    }

    /// Counts a write of a user, or rejects it.
    package func take(_ user: User.ID) throws(ServiceError) {
        let now = now()
        let key = HashedKey(name: "\(user)", address: nil)
        let wait = buckets.withLock { buckets in
            let wait = buckets.wait(key, rate, at: now)
            if wait == 0 { buckets.add(key, rate, at: now) }
            return wait
        }
        guard wait == 0 else {
            throw .tooManyWrites(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}
